import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const page = read('docs/security.md')
const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| `([\w/.]+)` \|/gm)]

test('docs/security.md gives every limit the value that it has', () => {
  expect(rows.length).toBeGreaterThan(15)
  for (const [, name, value, file] of rows)
    expect(read(file), file).toMatch(new RegExp(`^(export )?const ${name} = ${value}\\b`, 'm'))
})

test('docs/security.md has every limit of the specification', () => {
  for (const [, name] of read('assembly/shared/wire.ts').matchAll(/^export const (MAX_\w+)/gm))
    expect(page).toContain(`\`${name}\``)
})

test('docs/security.md names tests that are there', () => {
  for (const [, path] of page.matchAll(/`(test\/[\w.-]+\.test\.ts)`/g)) expect(read(path)).not.toBe('')
})
