// What the fuzzer has kept (npm run fuzz): as few inputs as reach every branch that it has reached. Every codec judges them as the
// reference does, and what is valid survives swapping and being written anew.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { judge, seen } from './fuzz/target.ts'

const KEPT = new URL('./vectors/fuzz/kept.jsonl', import.meta.url)

test('kept inputs are judged alike by all engines and the reference', () => {
  const lines = readFileSync(KEPT, 'utf8').trim().split('\n')
  for (const line of lines) judge(new Uint8Array(Buffer.from(JSON.parse(line).hex, 'hex')))
  expect(lines.length).toBeGreaterThan(100)
  // Nearly every way in which a message can be wrong is among them.
  expect(seen.size).toBeGreaterThan(50)
})
