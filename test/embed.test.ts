import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'

test('both Wasm modules are embedded, byte by byte', async () => {
  const given: Record<string, Uint8Array>[] = []
  vi.doMock('../js/engine.ts', () => ({ provideBytes: (bytes: Record<string, Uint8Array>) => given.push(bytes) }))
  const { withWasm } = await import('../js/embed.ts')
  expect(withWasm((value: number) => value + 1)(1)).toBe(2)
  for (const name of ['simd', 'baseline']) {
    const bytes = readFileSync(new URL(`../build/${name}.wasm`, import.meta.url))
    expect(bytes.equals(given[0][name]), name).toBe(true)
  }
})
