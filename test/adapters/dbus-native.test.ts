// What applications and the tests of dbus-native and @homebridge/dbus-native rely on, over the adapter.
import { createRequire } from 'node:module'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { type BodyFunctions, install, type MessageModule } from '../../js/adapters/dbus-native.ts'

const require = createRequire(import.meta.url)
const PEERS = ['dbus-native', '@homebridge/dbus-native'] as const

// The untouched functions, kept before the adapter comes.
const untouched = Object.fromEntries(
  PEERS.map((peer) => [
    peer,
    {
      message: { ...require(`${peer}/lib/message`) } as MessageModule,
      marshall: require(`${peer}/lib/marshall`) as BodyFunctions['marshall'],
      unmarshall: require(`${peer}/lib/unmarshall`) as BodyFunctions['unmarshall'],
    },
  ]),
)

const CALL = { serial: 1, type: 1, path: '/a', interface: 'a.b', member: 'M', destination: 'a.b' }

/** What a stream of chunks comes to. */
async function parse(module: MessageModule, chunks: Buffer[], options?: object, takeFds?: (count: number) => unknown[]) {
  const stream = new PassThrough()
  const messages: Record<string, unknown>[] = []
  const errors: (Error & { code?: string })[] = []
  stream.on('error', (error) => errors.push(error))
  module.unmarshalMessages(
    stream as never,
    (message) => messages.push(message as never),
    options,
    (error) => errors.push(error),
    undefined,
    takeFds,
  )
  for (const chunk of chunks) stream.write(chunk)
  await new Promise((resolve) => setImmediate(resolve))
  return { messages, errors }
}

describe.each(PEERS)('%s', (peer) => {
  const module = require(`${peer}/lib/message`) as MessageModule
  const body = install(module)
  const own = untouched[peer]
  const fork = peer !== 'dbus-native'

  test('is installed once, however often', () => {
    expect(install(module)).toBe(body)
  })

  test('gives the functions for bodies to those who load them later', () => {
    expect(require(`${peer}/lib/marshall`)).toBe(body.marshall)
    expect(require(`${peer}/lib/unmarshall`)).toBe(body.unmarshall)
  })

  test.each([
    ['g', ['xxxtt(t)s{u}uuiibb']],
    ['s', ['text']],
    [
      'a(yai)',
      [
        [
          [100, [1, 2, 3]],
          [200, [4]],
        ],
      ],
    ],
    ['ayay', [Buffer.from([0, 255]), Buffer.alloc(0)]],
  ] as const)('writes and reads a message that lacks fields and names nobody, with a body of %s', (signature, values) => {
    const message = { type: 1, serial: 1, destination: 'final', flags: 1, signature, body: [...values] as unknown[] }
    expect(module.unmarshall(module.marshall(message))).toEqual(message)
    expect(module.marshall(message)).toEqual(own.message.marshall(message))
  })

  // The fork writes what it does not know as nothing, which is no example to follow.
  const others = [
    [
      'a{sv}',
      new (class Settings {
        readonly a = 1
      })(),
    ],
    ['a{ss}', new Map([['a', 'b']])],
    ['a{ss}', Object.create({ a: 'x' })],
    ['a{bs}', { true: 'a' }],
    ['a{hs}', { 5: 'a' }],
    ['as', new Set(['a'])],
    ['ay', new Set([1])],
    ['a{sas}', { k: new Set(['x']) }],
  ] as const
  for (const [signature, value] of fork ? [] : others) {
    test(`takes no more for ${signature} than the peer, and says so in its words`, () => {
      const words = (write: () => unknown) => {
        try {
          return write()
        } catch (error) {
          return (error as Error).message
        }
      }
      expect(words(() => body.marshall(signature, [value]))).toEqual(words(() => own.marshall(signature, [value])))
      const message = { ...CALL, signature, body: [value] }
      expect(words(() => module.marshall(message))).toEqual(words(() => own.message.marshall(message)))
    })
  }

  test('refuses to read a signature with which the untouched peer would not end', () => {
    const bytes = module.marshall({ ...CALL, signature: 'gv', body: ['s{u}', ['ai', [1, 2]]] })
    const bad = Buffer.from(bytes.toString('latin1').replace('\x02ai\0', '\x02ar\0'), 'latin1')
    expect(bad).not.toEqual(bytes)
    expect(() => module.unmarshall(bad)).toThrow()
  })

  test.each([
    [{ ...CALL, serial: 0x1_0000_0000 }, 'Number outside range'],
    [{ ...CALL, serial: 0 }, 'Missing or invalid serial'],
    [{ ...CALL, signature: 's', body: ['a\0b'] }, 'String contains null byte'],
    [{ ...CALL, signature: 'y', body: [1.5] }, 'was not an integer'],
    [{ ...CALL, signature: 'd', body: [Number.NaN] }, 'was not a number'],
    [{ ...CALL, signature: 'ad', body: [new Float64Array([Number.NaN])] }, 'was not a number'],
    [{ ...CALL, signature: 'xt', body: ['1'] }, 'does not match message signature'],
    [{ ...CALL, signature: 'x', body: ['twelve'] }, 'did not convert correctly to signed 64 bit'],
    [{ ...CALL, signature: 'x', body: [{ low: 1, high: 0, unsigned: true }] }, 'Longjs object is unsigned'],
  ])('refuses %o in the peer’s words', (message, words) => {
    expect(() => module.marshall(message)).toThrow(words)
  })

  test('writes bodies at any offset as the peer does, and reads them', () => {
    for (let offset = 0; offset < 16; offset++) {
      const bytes = body.marshall('yx', [1, '2'], offset)
      expect(bytes).toEqual(own.marshall('yx', [1, '2'], offset))
      expect(body.unmarshall(bytes, 'yx', offset)).toEqual(own.unmarshall(bytes, 'yx', offset))
    }
  })

  test('reads a body as far as its signature goes', () => {
    expect(body.unmarshall(Buffer.from([1, 2, 3]), 'y')).toEqual([1])
    expect(body.unmarshall(Buffer.alloc(0), '')).toEqual(fork ? Buffer.alloc(0) : [])
    expect(() => body.unmarshall(Buffer.from('ffffff0000000000', 'hex'), 's')).toThrow('runs past the end of the message')
  })

  test('waits for the rest of a message, in chunks of any cut', async () => {
    const bytes = module.marshall({ ...CALL, signature: 's', body: ['text'] })
    for (let cut = 1; cut < bytes.length; cut++) {
      const { messages, errors } = await parse(module, [bytes.subarray(0, cut), bytes.subarray(cut)])
      expect([messages.length, errors.length]).toEqual([1, 0])
    }
    expect(await parse(module, [bytes.subarray(0, 20)])).toEqual({ messages: [], errors: [] })
  })

  test('reads what follows a handler’s exception', async () => {
    const stream = new PassThrough()
    const seen: number[] = []
    const thrown: unknown[] = []
    const handler = (message: { serial?: number }) => {
      seen.push(message.serial as number)
      if (message.serial === 1) throw new Error('from the handler')
    }
    module.unmarshalMessages(stream as never, handler, {}, undefined, (error) => thrown.push(error))
    stream.write(Buffer.concat([1, 2, 3].map((serial) => module.marshall({ ...CALL, serial }))))
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen).toEqual([1, 2, 3])
    expect(thrown).toMatchObject([{ message: 'from the handler' }])
  })

  test('reports a message that is none once, and nothing after it', async () => {
    const bad = module.marshall({ ...CALL, signature: 'b', body: [true] })
    bad[bad.length - 4] = 2
    const { messages, errors } = await parse(module, [bad, module.marshall(CALL)])
    expect(messages).toEqual([])
    expect(errors).toMatchObject([{ cause: { code: 'ERR_DBUS_BOOLEAN' } }])
  })
})

function secondVersion(): Buffer {
  const bytes = (require('dbus-native/lib/message') as MessageModule).marshall(CALL)
  bytes[3] = 2
  return bytes
}

describe('dbus-native', () => {
  const module = require('dbus-native/lib/message') as MessageModule
  const { Variant } = require('dbus-native')

  test.each([
    [Buffer.from('6c01000100000008010000000000000000', 'hex'), {}, 'maximum size'],
    [Buffer.from('6c010001000000000100000000000008', 'hex'), {}, 'maximum size'],
    [module.marshall(CALL), { maxMessageSize: 32 }, 'maximum size'],
    [Buffer.from('41010001000000000100000000000000', 'hex'), {}, 'byte order'],
    [secondVersion(), {}, 'Unsupported protocol version'],
  ])('reports %o with %o as ProtocolError', async (bytes, options, words) => {
    const { errors } = await parse(module, [bytes], options)
    expect(errors).toMatchObject([{ name: 'ProtocolError', code: 'EPROTO' }])
    expect(errors[0].message).toContain(words)
  })

  test('asks for the options at every message', async () => {
    const options: Record<string, unknown> = {}
    const stream = new PassThrough()
    const bodies: unknown[] = []
    module.unmarshalMessages(stream as never, (message) => bodies.push(message.body), options)
    const send = async (shapes: object) => {
      Object.assign(options, shapes)
      stream.write(module.marshall({ ...CALL, signature: 'a{sv}x', body: [{ k: 'w' }, 5n] }))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await send({})
    await send({ variants: 'wrap' })
    await send({ plainValues: false, variants: undefined, returnBigInt: false })
    await send({ plainValues: true, variants: 'plain', returnBigInt: true })
    expect(bodies).toEqual([
      [{ k: 'w' }, 5n],
      [{ k: new Variant('s', 'w') }, 5n],
      [[['k', [[{ type: 's', child: [] }], ['w']]]], 5],
      [{ k: 'w' }, 5n],
    ])
  })

  test('refuses an unknown shape of variants', () => {
    const bytes = module.marshall({ ...CALL, signature: 'v', body: [['u', 1]] })
    expect(() => module.unmarshall(bytes, { variants: 'plane' } as never)).toThrow(`Unknown 'variants' option "plane"`)
  })

  test('gives bytes of its own, or with ayBuffer "view" those of the chunk', async () => {
    const bytes = module.marshall({ ...CALL, signature: 'ay', body: [Buffer.alloc(20, 7)] })
    const shared = async (ayBuffer: unknown) => {
      const { messages } = await parse(module, [bytes], { ayBuffer })
      const [value] = messages[0].body as [Buffer]
      expect(Buffer.isBuffer(value)).toBe(true)
      return value.buffer === bytes.buffer && value.byteOffset === bytes.byteOffset + bytes.length - 20
    }
    expect(await shared('view')).toBe(true)
    expect(await shared(true)).toBe(false)
  })

  test('takes each message’s descriptors by their number', async () => {
    const fds = [10, 11, 12]
    const chunks = [
      module.marshall({ ...CALL, signature: 'ah', body: [[0, 1]], fds: [7, 8] }),
      module.marshall({ ...CALL, member: 'Plain' }),
      module.marshall({ ...CALL, signature: 'h', body: [0], fds: [9] }),
    ]
    const { messages } = await parse(module, chunks, {}, (count) => fds.splice(0, count))
    expect(messages.map((message) => [message.unixFds, message.fds, message.body])).toEqual([
      [2, [10, 11], [[0, 1]]],
      [undefined, undefined, undefined],
      [1, [12], [0]],
    ])
  })

  test('refuses a message whose descriptors did not arrive', async () => {
    const bytes = module.marshall({ ...CALL, signature: 'h', body: [0], fds: [9] })
    expect((await parse(module, [bytes])).errors).toMatchObject([
      { message: expect.stringMatching(/carries file descriptors.*received/) },
    ])
    expect((await parse(module, [bytes], {}, () => [])).errors).toMatchObject([
      { message: expect.stringContaining('but 0 arrived') },
    ])
  })
})

describe('@homebridge/dbus-native', () => {
  const module = require('@homebridge/dbus-native/lib/message') as MessageModule
  const Long = createRequire(require.resolve('@homebridge/dbus-native/lib/message'))('long')

  test('gives Longs of the class that it uses, for ReturnLongjs', () => {
    const bytes = module.marshall({ ...CALL, signature: 'xt', body: ['-9223372036854775808', '18446744073709551615'] })
    const [x, t] = module.unmarshall(bytes, { ReturnLongjs: true }).body as object[]
    expect(x).toEqual(Long.MIN_VALUE)
    expect(t).toEqual(Long.MAX_UNSIGNED_VALUE)
    expect(module.unmarshall(bytes, {}).body).toEqual([-(2 ** 63), 2 ** 64])
  })
})

test('install() says what it takes', () => {
  expect(() => install({} as MessageModule)).toThrow("install() takes the module 'dbus-native/lib/message'")
})
