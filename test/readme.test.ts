// The README's examples, run as they stand there; and that what it points to is there.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, describe, expect, test, vi } from 'vitest'
import * as api from '../js/index.ts'
import { settingsOf } from '../js/options.ts'

const { createCodec, Variant } = api
const ROOT = fileURLToPath(new URL('../', import.meta.url))
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code)
const entry = join(ROOT, 'js/index.ts')
const folder = mkdtempSync(join(tmpdir(), 'dbus-codec-readme-'))
afterAll(() => rmSync(folder, { recursive: true }))

const run = new Set<number>()

/** Runs the example that has this text, between two pieces of code, as a module of its own. */
function runExample(text: string, before: string, after: string): Promise<Record<string, unknown>> {
  const number = examples.findIndex((code) => code.includes(text))
  run.add(number)
  const path = join(folder, `example${number}.ts`)
  // vitest's transformer takes no parameter properties, tsc does.
  const code = ts.transpile(examples[number], { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext })
  writeFileSync(path, `${before}\n${code.replaceAll(/'dbus-codec(\/js)?'/g, JSON.stringify(entry))}\n${after}\n`)
  return import(path)
}

/** What an example prints. */
async function printed(text: string): Promise<unknown[][]> {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  await runExample(text, '', 'export {}')
  const { calls } = log.mock
  log.mockRestore()
  return calls
}

const RSSI = ['org.bluez.Device1', { RSSI: new Variant('n', -67) }, []]

describe('the example', () => {
  test('of encoding and decoding gives what its comments say', async () => {
    const { bytes, message } = await runExample('codec.decode(bytes)\nmessage', '', 'export { bytes, message }')
    expect((message as api.Message).member).toBe('PropertiesChanged')
    expect((message as api.Message).body).toEqual(RSSI)
    expect(createCodec().validate(bytes as Uint8Array)).toEqual({ valid: true })
  })

  test('of a socket gets messages whatever the chunks', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const before = "import { EventEmitter } from 'node:events'\nexport const socket = new EventEmitter()"
    const { socket } = (await runExample('socket.on', before, '')) as { socket: { emit(name: string, chunk: Uint8Array): void } }
    const header = { type: 4, serial: 7, path: '/a', interface: 'a.b', member: 'M', signature: 'sa{sv}as' as const }
    const bytes = createCodec().encode({ ...header, body: RSSI } as never)
    for (const byte of bytes) socket.emit('data', Uint8Array.of(byte))
    expect(log.mock.calls).toEqual([['a.b', 'M', RSSI]])
    log.mockRestore()
  })

  test('of types looks into the body that it names', async () => {
    const { name, count, changed } = await runExample('function changed', '', 'export { name, count, changed }')
    expect([name, count]).toEqual(['text', 7])
    expect((changed as Function)({ signature: 'sa{sv}as', body: ['a.b', { A: 1 }, ['B']] })).toEqual(['A', 'B'])
    expect((changed as Function)({ signature: 's', body: ['a.b'] })).toEqual([])
  })

  test('of errors prints code and place', async () => {
    expect(await printed('isDBusCodecError')).toEqual([
      ['ERR_DBUS_VALUE_RANGE', 'body[0]["RSSI"]'],
      ['ERR_DBUS_INCOMPLETE', 4],
    ])
  })

  test('of many messages gives each, and takes them all', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const { chunk, taken } = (await runExample('encodeMany', '', 'export { chunk, taken }')) as {
      chunk: Uint8Array
      taken: number
    }
    expect(log.mock.calls).toEqual([
      [1, 0],
      [2, chunk.length / 2],
    ])
    expect(taken).toBe(chunk.length)
    log.mockRestore()
  })

  test('of a prepared call makes a valid message', async () => {
    const { call } = await runExample('.prepare(', '', 'export { call }')
    const { serial, body } = createCodec().decode(call as Uint8Array)
    expect([serial, body]).toEqual([1, ['org.bluez.Adapter1', 'Powered']])
  })

  test('of a shape makes what its functions make', async () => {
    const { path, ObjectPath } = await runExample('class ObjectPath', '', 'export { path, ObjectPath }')
    expect(path).toBeInstanceOf(ObjectPath)
    expect(path).toEqual({ text: '/org/bluez' })
  })

  test.skipIf(!('WebAssembly' in globalThis))('of a module of its own decodes with it', async () => {
    vi.stubGlobal('fetch', async (path: string) => {
      const wasm = readFileSync(join(ROOT, 'build', path))
      return new Response(wasm, { headers: { 'content-type': 'application/wasm' } })
    })
    const { codec } = (await runExample('loadCodec', '', 'export { codec }')) as { codec: api.Codec }
    vi.unstubAllGlobals()
    expect(codec.unmarshal('s', codec.marshal('s', ['text']))).toEqual(['text'])
  })

  test('is run, whichever it is', () => {
    expect([...run].sort()).toEqual([...examples.keys()])
  })
})

test('the examples type-check, each by itself', () => {
  const files = examples.map((code, number) => {
    const path = join(folder, `typed${number}.ts`)
    const socket = "declare const socket: { on(event: 'data', listener: (chunk: Uint8Array) => void): void }\n"
    writeFileSync(path, `${code.includes('socket.') ? socket : ''}${code}\nexport {}\n`)
    return path
  })
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
  const program = ts.createProgram([...files, join(ROOT, 'js/embedded.d.ts')], {
    ...options,
    lib: ['lib.es2024.d.ts', 'lib.dom.d.ts'],
    types: [],
    erasableSyntaxOnly: false,
    noUnusedLocals: false,
    paths: { 'dbus-codec': [entry], 'dbus-codec/js': [entry] },
  })
  const faults = files.flatMap((file) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)))
  expect(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([])
})

describe('the README', () => {
  test('names every export', () => {
    for (const name of Object.keys(api)) expect(readme, name).toContain(`\`${name}`)
  })

  test('names every method of a codec', () => {
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(createCodec()))) {
      if (documented(name)) expect(readme, name).toMatch(new RegExp(`^\\| \`${name}\\(`, 'm'))
    }
  })

  test('names every option, and every function of a shape', () => {
    for (const name of Object.keys(settingsOf({}))) expect(readme, name).toContain(`| \`${name}\` |`)
    const values = readFileSync(join(ROOT, 'js/values.ts'), 'utf8')
    for (const [, name] of values.matchAll(/^ {2}(\w+)\?\(/gm)) expect(readme, name).toContain(`\`${name}(`)
  })

  test('names every subpath of the package', () => {
    for (const path of Object.keys(manifest.exports)) {
      if (path === '.' || path === './package.json') continue
      expect(readme, path).toMatch(new RegExp(`\`(dbus-codec|…)${path.replace(/^\.|\/adapters(?=\/.*\/)/g, '')}\``))
    }
  })
})

// What is not internal, by the comments of js/codec.ts.
function documented(name: string): boolean {
  const source = readFileSync(join(ROOT, 'js/codec.ts'), 'utf8')
  return new RegExp(`(?<!@internal )\\*/\\n  ${name}[<(]`).test(source)
}

test('links between the pages lead somewhere', () => {
  const pages = ['README.md', 'CONTRIBUTING.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)]
  for (const page of pages) {
    if (!page.endsWith('.md')) continue
    const text = readFileSync(join(ROOT, page), 'utf8')
    for (const [, path] of text.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      expect(existsSync(join(ROOT, dirname(page), path)), `${page}: ${path}`).toBe(true)
    }
  }
})
