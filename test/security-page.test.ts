// docs/security.md names limits, where they are and what tests them: all three have to be there.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const read = (path: string) => readFileSync(ROOT + path, 'utf8')

const LIMIT = /^\| `(\w+)` \| (\d+) \| `([\w./-]+)` \| .+ \| `([\w-]+)`: (.+) \|$/gm
const limits = [...read('docs/security.md').matchAll(LIMIT)].map(([, name, value, file, suite, claim]) => ({
  name,
  value,
  file,
  suite,
  claim,
}))

test('the page has its limits', () => {
  expect(limits.length).toBeGreaterThanOrEqual(20)
})

test.each(limits)('$name is $value, and $suite tests it', ({ name, value, file, suite, claim }) => {
  expect(read(file)).toMatch(new RegExp(`^(?:export )?const ${name} = ${value}\\b`, 'm'))
  expect(read(`test/${suite}.test.ts`)).toContain(claim)
})
