// The package as others get it: packed, installed into an empty project, and used from there by Node, tsc and bundlers.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { rolldown } from 'rolldown'
import { rollup } from 'rollup'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wasm } from './webassembly.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const SUBPATHS = Object.keys(manifest.exports).map((key) => key.replace(/^\./, 'dbus-codec'))
// What a program loads and nothing more happens; the `register` entries are there to do something at once.
const MODULES = SUBPATHS.filter((path) => !/\.\w+$|\/register$/.test(path))

let project = ''

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'dbus-codec-package-'))
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: project, encoding: 'utf8' })
  const archive = npm('pack', ROOT, '--ignore-scripts', '--silent', '--pack-destination', project).trim()
  writeFileSync(join(project, 'package.json'), '{ "name": "project", "private": true }')
  npm('install', `./${archive}`, '--offline', '--no-audit', '--no-fund', '--silent')
})

afterAll(() => rmSync(project, { recursive: true, force: true }))

/** Runs a program in the project; its standard output. */
function run(program: string, flags: string[] = [], env: Record<string, string> = {}): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, '-'], {
    cwd: project,
    encoding: 'utf8',
    input: program,
    env: { ...process.env, DBUS_CODEC_ENGINE: '', NODE_OPTIONS: '', ...env },
  })
  if (status !== 0) throw new Error(stderr)
  return stdout.trim()
}

const asModule = (program: string, flags: string[] = [], env = {}) => run(program, ['--input-type=module', ...flags], env)
const asScript = (program: string, flags: string[] = [], env = {}) => run(program, ['--input-type=commonjs', ...flags], env)

const ROUND_TRIP = `
  const message = { type: 4, serial: 1, path: '/a', interface: 'a.b', member: 'M', signature: 'sat', body: ['text', [1n]] }
  const codec = createCodec()
  const { body } = codec.decode(codec.encode(message))
  console.log(codec.engine.name, body[0], String(body[1][0]))`
const LOADED = {
  import: (program: string, before = '') => `${before}\nconst { createCodec } = await import('dbus-codec')\n${program}`,
  require: (program: string, before = '') => `${before}\nconst { createCodec } = require('dbus-codec')\n${program}`,
}

test('installs nothing beside itself', () => {
  expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['dbus-codec'])
})

describe.each(['import', 'require'] as const)('%s', (way) => {
  const start = way === 'import' ? asModule : asScript

  test('finds every module of the package, with the same names', () => {
    const load = way === 'import' ? 'await import(path)' : 'require(path)'
    const program = `const names = {}
      for (const path of ${JSON.stringify(MODULES)}) names[path] = Object.keys(${load}).filter((name) => name !== 'module.exports').sort()
      console.log(JSON.stringify(names))`
    const names = JSON.parse(start(program))
    expect(Object.keys(names)).toEqual(MODULES)
    expect(names['dbus-codec/js']).toEqual(names['dbus-codec'])
    expect(names['dbus-codec']).toContain('createCodec')
    for (const path of MODULES.filter((path) => path.includes('/adapters/'))) expect(names[path], path).not.toEqual([])
  })

  test('has a codec on WebAssembly at once', () => {
    expect(start(LOADED[way](ROUND_TRIP))).toBe('simd text 1')
  })

  test.each(['simd', 'baseline', 'js'])('works where no code is made from strings: %s', (engine) => {
    const flags = ['--disallow-code-generation-from-strings']
    expect(start(LOADED[way](ROUND_TRIP), flags, { DBUS_CODEC_ENGINE: engine })).toBe(`${engine} text 1`)
  })

  // BUG-085 and BUG-099: programs died while they were being loaded, on hosts where WebAssembly cannot be used.
  test('touches no WebAssembly, whatever is loaded', () => {
    const touch = `throw new Error('WebAssembly was touched')`
    const forbid = `Object.defineProperty(globalThis, 'WebAssembly', { get() { ${touch} } })`
    const load = MODULES.map((path) => (way === 'import' ? `await import('${path}')` : `require('${path}')`))
    expect(start(`${forbid}\n${load.join('\n')}\nconsole.log('loaded')`)).toBe('loaded')
  })

  test('is JavaScript on ARMv6, without a touch of WebAssembly', () => {
    const before = `
      Object.defineProperty(globalThis, 'WebAssembly', { get() { throw new Error('WebAssembly was touched') } })
      Object.defineProperty(process, 'arch', { value: 'arm' })
      Object.defineProperty(process, 'config', { value: { variables: { arm_version: '6' } } })`
    expect(start(LOADED[way](ROUND_TRIP, before))).toBe('js text 1')
  })

  test.each(['CompileError', 'RangeError'])('is JavaScript where compiling ends in a %s', (error) => {
    const type = error === 'CompileError' ? 'WebAssembly.CompileError' : error
    const before = `WebAssembly.Module = class { constructor() { throw new ${type}('no') } }`
    expect(start(LOADED[way](ROUND_TRIP, before))).toBe('js text 1')
  })

  test('has no WebAssembly under dbus-codec/js', () => {
    expect(start(LOADED[way](ROUND_TRIP).replace("'dbus-codec'", "'dbus-codec/js'"))).toBe('js text 1')
  })
})

describe('the Wasm bytes that require reads from a file', () => {
  const LOADED_BYTES = `console.log(Object.keys(require.cache).some((file) => file.endsWith('chunk-wasm.cjs')))`
  const replaced = (result: string) => `
    const fs = require('node:fs')
    const read = fs.readFileSync
    fs.readFileSync = (file, ...rest) => (/\\.wasm$/.test(file) ? ${result} : read(file, ...rest))`

  test.each([
    ['are the file where it is as it should be', '', 'false'],
    ['are in the package where Node cannot be asked', 'process.getBuiltinModule = undefined', 'true'],
    ['are in the package where the file cannot be read', replaced(`(() => { throw new Error('EACCES') })()`), 'true'],
    ['are in the package where the file is another', replaced('Buffer.alloc(24)'), 'true'],
  ])('%s', (_, before, embedded) => {
    for (const engine of ['simd', 'baseline']) {
      const program = `${LOADED.require(ROUND_TRIP, before)}\n${LOADED_BYTES}`
      expect(asScript(program, [], { DBUS_CODEC_ENGINE: engine })).toBe(`${engine} text 1\n${embedded}`)
    }
  })

  test('are in a bundle for Node', async () => {
    const entry = join(project, 'bundled.cjs')
    writeFileSync(entry, LOADED.require(ROUND_TRIP))
    const made = await rolldown({ input: entry, platform: 'node', logLevel: 'silent' })
    const file = join(project, 'apart', 'bundle.cjs')
    await made.write({ file, format: 'cjs', codeSplitting: false })
    expect(asScript(`require(${JSON.stringify(file)})`, [], { DBUS_CODEC_ENGINE: '' })).toBe('simd text 1')
  })
})

test('tells its errors from others, whichever copy made them', () => {
  const program = `
    import { createCodec, isDBusCodecError } from 'dbus-codec'
    import { createRequire } from 'node:module'
    const other = createRequire(process.cwd() + '/')('dbus-codec')
    try {
      other.createCodec().decode(new Uint8Array(16))
    } catch (error) {
      console.log(isDBusCodecError(error), error instanceof other.DBusCodecError, error.code)
    }`
  expect(asModule(program)).toBe('true true ERR_DBUS_BYTE_ORDER')
})

test('hands out its Wasm modules as files', () => {
  for (const path of SUBPATHS.filter((path) => path.endsWith('.wasm'))) {
    const file = asScript(`console.log(require.resolve('${path}'))`)
    expect(wasm.validate(readFileSync(file)), path).toBe(true)
    expect(asModule(`console.log(import.meta.resolve('${path}'))`)).toMatch(/\.wasm$/)
  }
})

test('has the command dbus-codec', () => {
  const npx = (...args: string[]) => spawnSync('npx', ['--offline', 'dbus-codec', ...args], { cwd: project, encoding: 'utf8' })
  expect(npx('help')).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('demo') })
  expect(npx('no-such-command').status).toBe(2)
})

describe('the declarations', () => {
  const CONSUMER = `
    import { createCodec, Variant, type Message, type BodyOf } from 'dbus-codec'
    import { createCodec as createJs } from 'dbus-codec/js'
    import { install } from 'dbus-codec/adapters/dbus-next'
    import { install as installNative } from 'dbus-codec/adapters/dbus-native'
    import { accelerate } from 'dbus-codec/adapters/jellybrick'
    const message: Message = createCodec().decode(new Uint8Array(16))
    const body: BodyOf<'sv'> = ['text', new Variant('s', 'x')]
    const text: string = body[0]
    // @ts-expect-error: a string is no number
    const number: number = body[0]
    export { accelerate, createJs, install, installNative, message, number, text }`

  test.each([
    ['NodeNext', ['mts', 'cts']],
    ['Bundler', ['ts']],
  ])('compile for %s, the libraries checked too', (resolution, extensions) => {
    const files = extensions.map((extension) => `consumer.${extension}`)
    for (const file of files) writeFileSync(join(project, file), CONSUMER)
    const module = resolution === 'Bundler' ? 'ESNext' : resolution
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')]
    expect(compile(`--module ${module} --moduleResolution ${resolution}`, ...types, ...files)).toBe('')
  })

  test('are the same for import and require: a codec of one is a codec of the other', () => {
    writeFileSync(join(project, 'made.cts'), `import { createCodec } from 'dbus-codec'\nexport const codec = createCodec()\n`)
    const taken = `import type { Codec } from 'dbus-codec'\nimport { codec } from './made.cjs'\nexport const same: Codec = codec\n`
    writeFileSync(join(project, 'taken.mts'), taken)
    expect(compile('--module NodeNext --skipLibCheck', 'taken.mts')).toBe('')
  })

  /** What the compiler has to say. */
  function compile(options: string, ...rest: string[]): string {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const args = [tsc, '--strict', '--noEmit', '--target', 'ES2022', '--lib', 'ES2022', ...options.split(' '), ...rest]
    return spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' }).stdout
  }
})

describe('bundled', () => {
  const PROGRAM = `import { createCodec } from 'dbus-codec'\nglobalThis.console = globalThis.output\n${ROUND_TRIP}`

  /** Runs a script where there is what browsers and Node share: no Buffer, no process, no require. */
  function inBrowser(code: string): string {
    const lines: string[] = []
    const { WebAssembly } = globalThis as unknown as { WebAssembly: object }
    const output = { log: (...words: unknown[]) => lines.push(words.join(' ')) }
    const context = createContext({ WebAssembly, TextDecoder, TextEncoder, output, console: output })
    runInContext(code, context)
    return lines.join('\n')
  }

  const resolver = {
    name: 'project',
    resolveId: (id: string) => (id === 'dbus-codec' ? join(project, 'node_modules/dbus-codec/build/index.js') : null),
  }

  async function bundle(program: string): Promise<string> {
    const entry = join(project, 'entry.js')
    writeFileSync(entry, program)
    const made = await rollup({ input: entry, plugins: [resolver], treeshake: { moduleSideEffects: false } })
    const { output } = await made.generate({ format: 'iife', name: 'bundle' })
    return output[0].code
  }

  test('by rollup, runs with no more than browsers have', async () => {
    expect(inBrowser(await bundle(PROGRAM))).toBe('simd text 1')
  })

  test('by vite, runs with no more than browsers have', async () => {
    const folder = join(project, 'vite')
    mkdirSync(folder)
    writeFileSync(join(folder, 'entry.js'), PROGRAM)
    const options = {
      lib: { entry: join(folder, 'entry.js'), formats: ['iife'] as ['iife'], name: 'bundle' },
      write: false,
      target: 'es2022',
    }
    const made = await build({ configFile: false, root: folder, logLevel: 'error', build: options })
    const [{ output }] = made as unknown as [{ output: [{ code: string }] }]
    expect(inBrowser(output[0].code)).toBe('simd text 1')
  })

  test('leaves the engines out where only messages are cut', async () => {
    const code = await bundle(`export { MessageFramer, messageLength, isDBusCodecError } from 'dbus-codec'`)
    expect(code).not.toContain('AGFzbQE')
    expect(code.length).toBeLessThan(40_000)
  })
})

test('is taken by dbus-next before the program starts: node -r dbus-codec/adapters/dbus-next/register', () => {
  const modules = join(project, 'node_modules')
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (!name.startsWith('.') && name !== 'dbus-codec') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  }
  const program = `const { Message } = require('dbus-next'); console.log(typeof Message, typeof require('dbus-codec').createCodec)`
  expect(asScript(program, ['-r', 'dbus-codec/adapters/dbus-next/register'])).toBe('function function')
  expect(asModule('console.log(1)', ['--import', 'dbus-codec/adapters/dbus-next/register'])).toBe('1')
})
