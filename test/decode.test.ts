// Bytes on their way in: how the options show values, what stays when validation is light, limits, descriptors.
import { describe, expect, test } from 'vitest'
import {
  type CodecOptions,
  createCodec,
  DBusCodecError,
  isDBusCodecError,
  MessageFlag,
  type MessageInput,
  MessageType,
  Variant,
} from '../js/index.ts'
import { ENGINES } from './engines.ts'
import { bodyStart, hexOf, signalOf, textOf, wordOf } from './messages.ts'

const signal = (signature: string, body: unknown[]): MessageInput => ({
  type: 4,
  serial: 1,
  path: '/a',
  interface: 'a.b',
  member: 'M',
  signature,
  body,
})

function errorOf(action: () => unknown): DBusCodecError {
  try {
    action()
  } catch (error) {
    if (isDBusCodecError(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe.each(ENGINES)('engine %s', (engine) => {
  const codec = createCodec({ engine })
  const decodeWith = (options: CodecOptions, signature: string, body: unknown[]) =>
    createCodec({ engine, ...options }).decode(codec.encode(signal(signature, body))).body

  test('gives every header field, absent ones as undefined', () => {
    const bytes = codec.encode({ type: MessageType.METHOD_RETURN, serial: 7, replySerial: 3 })
    const message = codec.decode(bytes)
    expect(Object.keys(message).sort()).toEqual(
      ['type flags serial path interface member errorName replySerial', 'destination sender signature unixFds body']
        .join(' ')
        .split(' ')
        .sort(),
    )
    expect(message).toEqual({ type: 2, flags: 0, serial: 7, replySerial: 3, signature: '', body: [] })
    const full: MessageInput = {
      type: MessageType.ERROR,
      flags: MessageFlag.NO_REPLY_EXPECTED,
      serial: 4294967295,
      path: '/a/b',
      interface: 'a.b',
      member: 'M',
      errorName: 'a.b.Error',
      replySerial: 9,
      destination: ':1.2',
      sender: 'a-b.c',
      signature: 's',
      unixFds: 0,
      body: ['text'],
    }
    expect(codec.decode(codec.encode(full))).toEqual(full)
  })

  test('has the shapes of the documentation by default', () => {
    const signature = 'ynqiuhbxtdsogv(s)a{su}a{us}ayanaqaiauaxatadahabasa(y)'
    const body = [
      ...[255, -1, 65535, -1, 4294967295, 1, true, -1n, 1n, 0.5, 's', '/o', 'g', new Variant('s', 'v'), ['s']],
      ...[{ a: 1 }, new Map([[1, 'a']]), new Uint8Array([1]), new Int16Array([-1]), new Uint16Array([1])],
      ...[new Int32Array([-1]), new Uint32Array([1]), new BigInt64Array([-1n]), new BigUint64Array([1n])],
      ...[new Float64Array([0.5]), new Uint32Array([1]), [true, false], ['s'], [[1]]],
    ]
    expect(codec.decode(codec.encode(signal(signature, body))).body).toStrictEqual(body)
    expect(codec.unmarshal(signature as string, codec.marshal(signature as string, body))).toStrictEqual(body)
  })

  describe('int64', () => {
    test('gives numbers when they are exact', () => {
      const body = [-5n, 5n, [1n], { k: new Variant('x', -9007199254740991n) }]
      const [x, t, at, dict] = decodeWith({ int64: 'number' }, 'xtata{sv}', body) as unknown[]
      expect([x, t, (dict as { k: Variant }).k.value]).toEqual([-5, 5, -9007199254740991])
      expect(Array.from(at as ArrayLike<unknown>, Number)).toEqual([1])
    })

    test('refuses them when they are not, at their offset', () => {
      for (const [signature, body, before] of [
        ['yt', [1, 9007199254740992n], 8],
        ['ux', [1, -9007199254740992n], 8],
        ['t', [18446744073709551615n], 0],
        ['a(x)', [[[1n], [9223372036854775807n]]], 16],
      ] as const) {
        const bytes = codec.encode(signal(signature, body as never))
        const error = errorOf(() => createCodec({ engine, int64: 'number' }).decode(bytes))
        expect(error.code).toBe('ERR_DBUS_UNSAFE_INTEGER')
        if (error.offset !== undefined) expect(error.offset).toBe(bodyStart(bytes) + before)
      }
    })
  })

  describe('dict', () => {
    test('gives Maps when asked to, in wire order', () => {
      const [dict] = decodeWith({ dict: 'map' }, 'a{sa{ou}}', [
        new Map([
          ['2', { '/b': 1, '/a': 2 }],
          ['1', {}],
        ]),
      ])
      expect(dict).toStrictEqual(
        new Map([
          [
            '2',
            new Map([
              ['/b', 1],
              ['/a', 2],
            ]),
          ],
          ['1', new Map()],
        ]),
      )
    })

    test('gives Maps for keys that are no text, whatever is asked', () => {
      for (const dict of ['object', 'map'] as const) {
        const keys: [string, unknown][] = [
          ...[
            ['y', 1],
            ['b', true],
            ['n', -1],
            ['q', 1],
            ['i', -1],
            ['u', 1],
            ['x', -1n],
          ],
          ...[
            ['t', 18446744073709551615n],
            ['d', 0.5],
            ['h', 1],
          ],
        ] as [string, unknown][]
        for (const [type, key] of keys) {
          expect(decodeWith({ dict }, `a{${type}s}`, [new Map([[key, 'v']])])).toStrictEqual([new Map([[key, 'v']])])
        }
      }
    })

    test('keeps the last of equal keys', () => {
      const entry = (value: number) => Buffer.concat([textOf('k'), Buffer.alloc(2), wordOf(value)])
      const entries = Buffer.concat([entry(1), Buffer.alloc(4), entry(2)])
      const bytes = signalOf('a{su}', Buffer.concat([wordOf(entries.length), Buffer.alloc(4), entries]))
      expect(codec.decode(bytes).body).toEqual([{ k: 2 }])
      expect(createCodec({ engine, dict: 'map' }).decode(bytes).body).toEqual([new Map([['k', 2]])])
    })

    test('gives objects and nested objects of their own', () => {
      const [dict] = codec.decode(codec.encode(signal('a{sa{su}}', [{ a: { x: 1 }, b: { x: 1 } }]))).body as never[]
      const { a, b } = dict as { a: object; b: object }
      expect(a).toEqual(b)
      expect(a).not.toBe(b)
    })
  })

  describe('variant', () => {
    const body = [
      new Variant('v', new Variant('s', 'x')),
      { k: new Variant('a{sv}', { l: new Variant('ay', new Uint8Array([1])) }) },
    ]

    test('wraps by default, as deep as the wire does', () => {
      const decoded = decodeWith({}, 'va{sv}', body)
      expect(decoded).toStrictEqual(body)
      expect(decoded[0]).toBeInstanceOf(Variant)
      expect((decoded[0] as Variant).signature).toBe('v')
    })

    test('gives the bare values when asked to, at every depth', () => {
      expect(decodeWith({ variant: 'unwrap' }, 'va{sv}', body)).toStrictEqual(['x', { k: { l: new Uint8Array([1]) } }])
    })
  })

  test('gives plain arrays when asked to, and bytes all the same', () => {
    const body = [
      new Int16Array([-1, 2]),
      new BigUint64Array([1n]),
      new Float64Array([0.5]),
      new Uint8Array([1]),
      [new Uint32Array([7])],
    ]
    const plain = [[-1, 2], [1n], [0.5], new Uint8Array([1]), [[7]]]
    expect(decodeWith({ arrays: 'plain' }, 'anatadayaau', body)).toStrictEqual(plain)
  })

  describe('bytes', () => {
    test.each([3, 300, 100_000])('copies %i bytes by default, so that the message can be written to', (length) => {
      const bytes = codec.encode(signal('ayaay', [new Uint8Array(length).fill(7), [new Uint8Array(length).fill(8)]]))
      const [first, [second]] = codec.decode(bytes).body as [Uint8Array, Uint8Array[]]
      bytes.fill(0)
      expect(first).toStrictEqual(new Uint8Array(length).fill(7))
      expect(second).toStrictEqual(new Uint8Array(length).fill(8))
      first.fill(1)
      expect(second[0]).toBe(8)
    })

    test.each([3, 300, 100_000])('views %i bytes of the message when asked to', (length) => {
      const bytes = codec.encode(signal('sayv', ['x', new Uint8Array(length).fill(7), new Variant('ay', new Uint8Array([1]))]))
      const [, view] = createCodec({ engine, bytes: 'view' }).decode(bytes).body as [string, Uint8Array, Variant]
      expect(view.buffer).toBe(bytes.buffer)
      expect(view).toEqual(new Uint8Array(length).fill(7))
      bytes[view.byteOffset - bytes.byteOffset] = 9
      expect(view[0]).toBe(9)
    })

    test('gives a Uint8Array for a Buffer, copied or viewed', () => {
      const bytes = Buffer.from(codec.encode(signal('ay', [new Uint8Array([1, 2])])))
      for (const form of ['copy', 'view'] as const) {
        const [value] = createCodec({ engine, bytes: form }).decode(bytes).body
        expect(Object.getPrototypeOf(value)).toBe(Uint8Array.prototype)
        expect(value).toEqual(new Uint8Array([1, 2]))
      }
    })
  })

  test('reads a message at any offset of a shared pool, and nothing beside it', () => {
    const bytes = codec.encode(signal('sayatadv', ['é', new Uint8Array([1, 2, 3]), [1n, 2n], [0.5], new Variant('o', '/a')]))
    const swapped = codec.swap(bytes)
    const expected = codec.decode(bytes)
    const pool = new Uint8Array(65_536)
    for (let offset = 0; offset < 16; offset++) {
      for (const message of [bytes, swapped]) {
        for (const fill of [0xff, 0]) {
          pool.fill(fill)
          pool.set(message, offset)
          for (const input of [
            pool.subarray(offset, offset + message.length),
            Buffer.from(pool.buffer, offset, message.length),
          ]) {
            expect(codec.decode(input)).toStrictEqual(expected)
            expect(codec.validate(input)).toEqual({ valid: true })
            expect(hexOf(codec.swap(input))).toBe(hexOf(message === bytes ? swapped : bytes))
          }
          expect(pool.every((byte, i) => byte === fill || (i >= offset && i < offset + message.length))).toBe(true)
        }
      }
    }
  })

  describe('validation: structure', () => {
    const trusting = createCodec({ engine, validation: 'structure' })

    test('lets through what only text, names, padding and booleans have wrong', () => {
      const lax: [what: string, bytes: Uint8Array, code: string][] = [
        ['text', signalOf('s', '02000000c08000'), 'ERR_DBUS_UTF8'],
        ['padding', signalOf('yu', '01ff000002000000'), 'ERR_DBUS_PADDING'],
        ['boolean', signalOf('b', '02000000'), 'ERR_DBUS_BOOLEAN'],
        ['path', signalOf('o', '030000002f612f00'), 'ERR_DBUS_OBJECT_PATH'],
        ['header path', signalOf('', '', { path: '/a/' }), 'ERR_DBUS_OBJECT_PATH'],
      ]
      for (const [what, bytes, code] of lax) {
        expect(errorOf(() => codec.decode(bytes)).code, what).toBe(code)
        expect(() => trusting.decode(bytes), what).not.toThrow()
        expect(trusting.validate(bytes), what).toEqual({ valid: true })
      }
    })

    test('refuses what bounds, lengths, depth and types have wrong, as full validation does', () => {
      const variants = (levels: number) => `${'017600'.repeat(levels - 1)}01790005`
      const bad: [what: string, bytes: Uint8Array][] = [
        ['a string past the end', signalOf('s', '1000000061626300')],
        ['an array past the end', signalOf('ay', 'fcffffff6161616161616161')],
        ['half an element', signalOf('ai', '060000000100000002000000')],
        ['an element over the end', signalOf('as', '090000000100000061000000000000')],
        ['bytes left over', signalOf('u', '0100000000')],
        ['a signature that is none', signalOf('v', '012800')],
        ['a variant without a type', signalOf('v', '0000')],
        ['65 levels', signalOf('v', variants(65))],
        ['no body', signalOf('u', '')],
        ['a cut message', signalOf('u', '01000000').subarray(0, -1)],
        ['bytes after it', new Uint8Array([...signalOf('u', '01000000'), 0])],
      ]
      for (const [what, bytes] of bad) {
        const { code, offset } = errorOf(() => codec.decode(bytes))
        expect(
          errorOf(() => trusting.decode(bytes)),
          what,
        ).toMatchObject({ code, offset })
      }
    })
  })

  describe('limits', () => {
    test('refuses a message over maxMessageLength, from its first 16 bytes', () => {
      const bytes = codec.encode(signal('ay', [new Uint8Array(1000)]))
      const strict = createCodec({ engine, maxMessageLength: bytes.length - 1 })
      for (const input of [bytes, bytes.subarray(0, 16)]) {
        expect(errorOf(() => strict.decode(input))).toMatchObject({ code: 'ERR_DBUS_MESSAGE_LENGTH', offset: 4 })
      }
      expect(errorOf(() => strict.messageLength(bytes)).code).toBe('ERR_DBUS_MESSAGE_LENGTH')
      expect(createCodec({ engine, maxMessageLength: bytes.length }).decode(bytes).body).toHaveLength(1)
    })

    test('refuses a message with more values than maxValues', () => {
      const bytes = codec.encode(signal('aay', [Array(1000).fill(new Uint8Array(0))]))
      expect(errorOf(() => createCodec({ engine, maxValues: 100 }).decode(bytes)).code).toBe('ERR_DBUS_TOO_MANY_VALUES')
      expect(createCodec({ engine, maxValues: 2000 }).decode(bytes).body[0]).toHaveLength(1000)
    })

    test('refuses a million nested variants at the 65th, and goes on', () => {
      const bytes = signalOf('v', Buffer.concat([Buffer.alloc(3_000_000, '017600', 'hex'), Buffer.from('01790005', 'hex')]))
      expect(errorOf(() => codec.decode(bytes))).toMatchObject({ code: 'ERR_DBUS_DEPTH', offset: bodyStart(bytes) + 65 * 3 })
      expect(codec.decode(codec.encode(signal('s', ['after']))).body).toEqual(['after'])
    })

    test('reads a path of 130 000 bytes and one of 259', () => {
      for (const path of ['/a'.repeat(65_000), `/${'a'.repeat(258)}`]) {
        const bytes = codec.encode({ ...signal('o', [path]), path })
        expect(codec.decode(bytes)).toMatchObject({ path, body: [path] })
      }
      expect(hexOf(codec.marshal('o', [`/${'a'.repeat(258)}`])).slice(0, 8)).toBe('03010000')
      expect(hexOf(codec.marshal('s', ['a'.repeat(256)])).slice(0, 8)).toBe('00010000')
    })
  })

  describe('descriptors', () => {
    const fds = [{ fd: 10 }, { fd: 11 }]
    const withFds = (signature: string, body: unknown[], unixFds: number | undefined) =>
      codec.encode({ ...signal(signature, body), unixFds })

    test('stand in place of their indexes, at every depth', () => {
      const bytes = withFds(
        'hah(sh)a{sv}',
        [1, [0, 1], ['x', 0], { k: new Variant('h', 1), l: new Variant('ah', new Uint32Array([1])) }],
        2,
      )
      expect(codec.decode(bytes, { fds }).body).toStrictEqual([
        fds[1],
        [fds[0], fds[1]],
        ['x', fds[0]],
        { k: new Variant('h' as string, fds[1]), l: new Variant('ah' as string, [fds[1]]) },
      ])
      expect(codec.decode(codec.swap(bytes), { fds }).body[0]).toBe(fds[1])
      expect(codec.decode(bytes).body[0]).toBe(1)
    })

    test('are refused when an index has none', () => {
      for (const index of [2, 4294967295]) {
        const error = errorOf(() => codec.decode(withFds('sh', ['x', index], 2), { fds }))
        expect(error.code).toBe('ERR_DBUS_FD_INDEX')
        expect(error.message).toMatch(/at (byte \d+|body\[1\])/)
        expect(error.fds).toEqual(fds)
      }
      expect(errorOf(() => codec.decode(withFds('ah', [[0, 2]], 2), { fds })).code).toBe('ERR_DBUS_FD_INDEX')
      expect(errorOf(() => codec.decode(withFds('v', [new Variant('h', 5)], 2), { fds })).code).toBe('ERR_DBUS_FD_INDEX')
    })

    test('are refused when there are more or fewer than UNIX_FDS says', () => {
      const cases: [unixFds: number | undefined, given: unknown[]][] = [
        [2, [1]],
        [2, []],
        [1, fds],
        [undefined, fds],
        [0, fds],
      ]
      for (const [unixFds, given] of cases) {
        const error = errorOf(() => codec.decode(withFds('s', ['x'], unixFds), { fds: given }))
        expect(error.code).toBe('ERR_DBUS_FD_COUNT')
        expect(error.fds).toEqual(given)
      }
      expect(codec.decode(withFds('s', ['x'], undefined), { fds: [] }).body).toEqual(['x'])
    })

    test('come back with the error of a bad message', () => {
      const bytes = withFds('sh', ['x', 0], 2)
      expect(errorOf(() => codec.decode(bytes.subarray(0, -1), { fds })).fds).toEqual(fds)
      expect(errorOf(() => codec.decode(new Uint8Array(16), { fds })).fds).toEqual(fds)
    })
  })

  test('has a verdict for anything that is bytes, and a TypeError for what is not', () => {
    for (const bytes of [new Uint8Array(0), new Uint8Array(15), Buffer.from('GET / HTTP/1.1\r\n\r\n')]) {
      const verdict = codec.validate(bytes)
      expect(verdict.valid).toBe(false)
      if (!verdict.valid) expect(verdict.error).toBeInstanceOf(DBusCodecError)
      expect(() => codec.decode(bytes)).toThrow(DBusCodecError)
    }
    for (const input of ['text', null, undefined, 5, [1, 2], {}, new Uint16Array(8)]) {
      expect(() => codec.decode(input as never)).toThrow(TypeError)
    }
  })
})

test('refuses options that do not exist or have no such value', () => {
  const wrong = [
    ...[{ int64: 'string' }, { dict: 'array' }, { variant: 'yes' }, { arrays: 1 }, { bytes: 'share' }, { validation: 'none' }],
    ...[
      { maxMessageLength: -1 },
      { maxMessageLength: '5' },
      { maxMessageLength: 134217729 },
      { maxValues: 0.5 },
      { engine: 'wat' },
    ],
  ]
  for (const options of wrong) expect(() => createCodec(options as never), JSON.stringify(options)).toThrow(TypeError)
})
