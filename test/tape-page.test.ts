import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as layout from '../assembly/shared/layout.ts'
import { ENGINES } from './engines.ts'
import { tapePage } from './tape-page.ts'

test.each(ENGINES)('docs/tape.md is what engine %s leaves on its tape today (npm run docs:tape)', async (engine) => {
  await expect(tapePage(engine)).toMatchFileSnapshot('../docs/tape.md')
})

test('the memory map names the addresses that the constants have', () => {
  const source = readFileSync(new URL('../assembly/shared/layout.ts', import.meta.url), 'utf8')
  const rows = [...source.matchAll(/^\/\/ +(0x[0-9a-f]+) │ (.*?) +│/gm)]
  expect(rows.length).toBeGreaterThan(12)
  const addresses = new Set<number>(Object.values(layout))
  for (const [, address, what] of rows) if (what !== 'slack') expect(addresses, what).toContain(Number(address))
})
