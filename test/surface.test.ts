// What others build on, so that it cannot change by accident: names exported, Wasm exports and imports, package contents, sizes.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { wasm } from './webassembly.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

const KIB = 1000

describe('the public API', () => {
  test('has these names', async () => {
    expect(Object.keys(await import('../js/index.ts')).sort()).toMatchInlineSnapshot()
  })

  test('has a codec with these methods', async () => {
    const { createCodec } = await import('../js/index.ts')
    const codec = createCodec()
    const names = new Set<string>()
    for (let object: object = codec; object !== Object.prototype; object = Object.getPrototypeOf(object)) {
      for (const name of Object.getOwnPropertyNames(object)) names.add(name)
    }
    names.delete('constructor')
    expect([...names].sort()).toMatchInlineSnapshot()
  })
})

describe.each(['simd', 'baseline'])('build/%s.wasm', (name) => {
  const bytes = readFileSync(join(ROOT, `build/${name}.wasm`))
  const module = new wasm.Module(bytes)

  test('exports functions alone, and imports memory and the way to the message', () => {
    const exported = wasm.Module.exports(module).map(({ kind, name }) => `${kind} ${name}`)
    const imported = wasm.Module.imports(module).map(({ kind, module, name }) => `${kind} ${module}.${name}`)
    expect({ exported: exported.sort(), imported: imported.sort() }).toMatchSnapshot()
  })

  test('has at most 24 kB', () => {
    expect(bytes.length).toBeLessThanOrEqual(24 * KIB)
  })
})

test('both modules export and import the same', () => {
  const [simd, baseline] = ['simd', 'baseline'].map((name) => {
    const module = new wasm.Module(readFileSync(join(ROOT, `build/${name}.wasm`)))
    return { exports: wasm.Module.exports(module), imports: wasm.Module.imports(module) }
  })
  expect(simd).toEqual(baseline)
})

test('the baseline module uses nothing newer than the first WebAssembly', () => {
  const text = readFileSync(join(ROOT, 'build/baseline.wasm'))
  // Neither the SIMD prefix's types (v128 is 0x7b) in a signature nor a section that counts data for bulk memory.
  const sections = sectionsOf(text)
  expect(sections.map(({ id }) => id)).not.toContain(12)
  expect([...(sections.find(({ id }) => id === 1)?.bytes ?? [])]).not.toContain(0x7b)
})

function sectionsOf(bytes: Uint8Array): { id: number; bytes: Uint8Array }[] {
  const sections: { id: number; bytes: Uint8Array }[] = []
  for (let at = 8; at < bytes.length; ) {
    const id = bytes[at++]
    let length = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]
      length |= (byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    sections.push({ id, bytes: bytes.subarray(at, at + length) })
    at += length
  }
  return sections
}

describe('the package', () => {
  const packed = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT, encoding: 'utf8' }))[0]
  const files: string[] = packed.files.map(({ path }: { path: string }) => path).sort()

  test('holds these files', () => {
    expect(files).toMatchSnapshot()
  })

  test('is at most 150 kB, compressed', () => {
    expect(packed.size).toBeLessThanOrEqual(150 * KIB)
  })

  test('depends on nothing', () => {
    for (const key of ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundledDependencies']) {
      expect(Object.keys(manifest[key] ?? {}), key).toEqual([])
    }
    for (const key of ['preinstall', 'install', 'postinstall']) expect(manifest.scripts[key], key).toBeUndefined()
  })

  test('exports files that it holds', () => {
    const targets: string[] = []
    const collect = (entry: unknown) => {
      if (typeof entry === 'string') targets.push(entry.replace(/^\.\//, ''))
      else if (entry !== null && typeof entry === 'object') Object.values(entry).forEach(collect)
    }
    collect(manifest.exports)
    collect([manifest.main, manifest.types, manifest.bin])
    expect(targets.length).toBeGreaterThan(3)
    for (const target of targets.filter((target) => !target.includes('*'))) expect(files, target).toContain(target)
    expect(manifest.exports).toHaveProperty(['./package.json'])
    expect(Object.keys(manifest.exports).some((key) => key.endsWith('.wasm'))).toBe(true)
  })

  test('makes no code from strings, requires nothing late, awaits nothing at import', () => {
    for (const file of files.filter((file) => /\.(js|cjs|mjs)$/.test(file))) {
      const code = readFileSync(join(ROOT, file), 'utf8')
      expect(code, file).not.toMatch(/\beval\(|\bnew Function\b/)
      if (/^build\/(index|js)\.c?js$/.test(file)) {
        expect(code, file).not.toMatch(/^\s+.*\brequire\(/m)
        expect(code, file).not.toMatch(/^await\b|^const .*= await\b/m)
        expect(code, file).not.toMatch(/\bfrom ['"]|^import /m)
      }
    }
  })

  test('has an entry without any Wasm', () => {
    const target = manifest.exports['./js']
    expect(target).toBeDefined()
    const file = JSON.stringify(target).match(/build\/[\w./-]+\.js/)?.[0] as string
    const code = readFileSync(join(ROOT, file), 'utf8')
    const base64 = readFileSync(join(ROOT, 'build/simd.wasm')).toString('base64')
    expect(code).not.toContain(base64.slice(0, 100))
    expect(code).not.toContain('AGFzbQE')
  })

  test('has no machine path in it', () => {
    for (const file of files.filter((file) => existsSync(join(ROOT, file)) && /\.(js|cjs|ts|json|md|map)$/.test(file))) {
      expect(readFileSync(join(ROOT, file), 'utf8').includes(ROOT.slice(0, -1)), file).toBe(false)
    }
  })
})
