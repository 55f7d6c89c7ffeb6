// Which engine runs where: chosen when the first codec is made, never at import, and never by touching what is not there.
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { wasm } from './webassembly.ts'

const real = wasm
const simdBytes = readFileSync(new URL('../build/simd.wasm', import.meta.url))

const MESSAGE = { type: 4, serial: 1, path: '/a', interface: 'a.b', member: 'M', signature: 'sa{sv}', body: ['text', {}] }

/** The package as a program sees it that imports it for the first time. */
async function freshPackage() {
  vi.resetModules()
  return await import('../js/index.ts')
}

async function freshEngine() {
  const { createCodec } = await freshPackage()
  const codec = createCodec()
  expect(codec.decode(codec.encode(MESSAGE)).body).toEqual(MESSAGE.body)
  return codec.engine
}

/** WebAssembly with some of it replaced. */
function stubWebAssembly(parts: Record<string, unknown>): void {
  const stub = Object.create(null)
  for (const name of Object.getOwnPropertyNames(real)) stub[name] = real[name as 'Module']
  vi.stubGlobal('WebAssembly', Object.assign(stub, parts))
}

function forbidWebAssembly(): void {
  const touched = () => {
    throw new Error('WebAssembly was touched')
  }
  vi.stubGlobal('WebAssembly', new Proxy({}, { get: touched, has: touched, ownKeys: touched }))
}

/** A constructor that refuses to make anything; what others have made is an instance of it all the same. */
function refusing(constructor: object, error: Error): object {
  return new Proxy(constructor, {
    construct() {
      throw error
    },
  })
}

beforeEach(() => vi.stubEnv('DBUS_CODEC_ENGINE', ''))

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

describe('the engine', () => {
  test('is WebAssembly with SIMD where there is both', async () => {
    expect(await freshEngine()).toMatchObject({ name: 'simd', reason: expect.any(String) })
  })

  test('is the baseline where SIMD does not validate', async () => {
    class WithoutSimd extends real.Module {
      constructor(bytes: Uint8Array) {
        if (bytes.length === simdBytes.length) throw new real.CompileError('invalid opcode 0xfd')
        super(bytes)
      }
    }
    stubWebAssembly({ Module: WithoutSimd })
    expect((await freshEngine()).name).toBe('baseline')
  })

  test('is JavaScript where there is no WebAssembly', async () => {
    vi.stubGlobal('WebAssembly', undefined)
    const { name, reason } = await freshEngine()
    expect(name).toBe('js')
    expect(reason).toMatch(/WebAssembly/)
  })

  test.each([
    ['a Content-Security-Policy forbids compiling', { Module: refusing(real.Module, new real.CompileError('blocked by CSP')) }],
    ['the main thread refuses to compile at once', { Module: refusing(real.Module, new RangeError('larger than 4KB')) }],
    ['no Memory can be made', { Memory: refusing(real.Memory, new RangeError('could not allocate memory')) }],
  ])('is JavaScript where %s', async (_, parts) => {
    stubWebAssembly(parts)
    expect((await freshEngine()).name).toBe('js')
  })

  test('is JavaScript on ARMv6, without a touch of WebAssembly', async () => {
    forbidWebAssembly()
    const arch = Object.getOwnPropertyDescriptor(process, 'arch') as PropertyDescriptor
    const config = Object.getOwnPropertyDescriptor(process, 'config') as PropertyDescriptor
    Object.defineProperty(process, 'arch', { ...arch, value: 'arm' })
    Object.defineProperty(process, 'config', { configurable: true, value: { variables: { arm_version: '6' } } })
    try {
      expect((await freshEngine()).name).toBe('js')
    } finally {
      Object.defineProperty(process, 'arch', arch)
      Object.defineProperty(process, 'config', config)
    }
  })

  test.each(['simd', 'baseline', 'js'])('is %s when DBUS_CODEC_ENGINE says so, and when the option does', async (name) => {
    vi.stubEnv('DBUS_CODEC_ENGINE', name)
    expect((await freshEngine()).name).toBe(name)
    vi.stubEnv('DBUS_CODEC_ENGINE', name === 'js' ? 'simd' : 'js')
    const { createCodec } = await freshPackage()
    expect(createCodec({ engine: name as 'js' }).engine.name).toBe(name)
  })

  test('is refused when DBUS_CODEC_ENGINE names none', async () => {
    vi.stubEnv('DBUS_CODEC_ENGINE', 'turbo')
    const { createCodec } = await freshPackage()
    expect(() => createCodec()).toThrow(TypeError)
  })
})

test('importing touches no WebAssembly and needs no codec', async () => {
  forbidWebAssembly()
  const { Variant, createCodec } = await freshPackage()
  expect(new Variant('s', 'x').signature).toBe('s')
  expect(createCodec).toBeTypeOf('function')
})

test('names and signatures are checked where there is no WebAssembly', async () => {
  vi.stubGlobal('WebAssembly', undefined)
  const { isBusName, isSignature, parseSignature } = await freshPackage()
  expect(isBusName(':1.2')).toBe(true)
  expect(isSignature('a{sv}')).toBe(true)
  expect(parseSignature('a{sv}s')).toHaveLength(2)
})

test('one instance serves all codecs and framers of a thread', async () => {
  let instances = 0
  const Instance = class {
    constructor(module: object, imports: object) {
      instances++
      return new real.Instance(module, imports)
    }
  }
  Object.defineProperty(Instance, Symbol.hasInstance, { value: (value: unknown) => value instanceof real.Instance })
  stubWebAssembly({ Instance })
  const { createCodec, MessageFramer } = await freshPackage()
  const bytes = createCodec().encode(MESSAGE)
  for (let i = 0; i < 500; i++) {
    const codec = createCodec({ dict: i % 2 === 0 ? 'map' : 'object' })
    const framer = new MessageFramer({ onMessage: (message: Uint8Array) => codec.decode(message) })
    framer.push(bytes)
  }
  expect(instances).toBeLessThanOrEqual(1)
})

describe('loadCodec', () => {
  test('takes a compiled module, or a promise of one, where compiling at once is refused', async () => {
    const module = await real.compile(simdBytes)
    for (const given of [module, Promise.resolve(module)]) {
      stubWebAssembly({ Module: refusing(real.Module, new RangeError('larger than 4KB')) })
      const { createCodec, loadCodec } = await freshPackage()
      expect(createCodec().engine.name).toBe('js')
      const codec = await loadCodec({ module: given })
      expect(codec.engine.name).not.toBe('js')
      expect(codec.decode(codec.encode(MESSAGE)).body).toEqual(MESSAGE.body)
      expect(createCodec().engine.name).toBe(codec.engine.name)
    }
  })

  test('takes the options of a codec', async () => {
    const { loadCodec } = await freshPackage()
    const codec = await loadCodec({ module: real.compile(simdBytes), dict: 'map' })
    expect(codec.decode(codec.encode(MESSAGE)).body).toEqual(['text', new Map()])
  })
})

test('encoding and decoding are synchronous from the first call on', async () => {
  const { createCodec } = await freshPackage()
  const bytes = createCodec().encode(MESSAGE)
  expect(bytes).toBeInstanceOf(Uint8Array)
  expect(createCodec().decode(bytes).serial).toBe(1)
})
