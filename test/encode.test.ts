// Values on their way in: what is accepted, what is refused and under which path. What is refused by decoding is never written.
import { describe, expect, test } from 'vitest'
import { createCodec, type DBusCodecError, isDBusCodecError, type MessageInput, Variant } from '../js/index.ts'
import { ENGINES } from './engines.ts'
import { hexOf } from './messages.ts'

const TYPE = 'ERR_DBUS_VALUE_TYPE'
const RANGE = 'ERR_DBUS_VALUE_RANGE'
const COUNT = 'ERR_DBUS_VALUE_COUNT'
const NUL = 'ERR_DBUS_TEXT_NUL'
const SURROGATE = 'ERR_DBUS_TEXT_SURROGATE'
// Not an integer, or not one that fits: NaN is as much the wrong kind as out of range.
const EITHER = /^ERR_DBUS_(VALUE_TYPE|VALUE_RANGE|UNSAFE_INTEGER)$/

const INTEGERS: Record<string, [least: bigint, most: bigint]> = {
  y: [0n, 255n],
  n: [-32768n, 32767n],
  q: [0n, 65535n],
  i: [-2147483648n, 2147483647n],
  u: [0n, 4294967295n],
  h: [0n, 4294967295n],
  x: [-9223372036854775808n, 9223372036854775807n],
  t: [0n, 18446744073709551615n],
}

/** Refused: signature, values, path, code. */
const REFUSED: [what: string, signature: string, body: unknown[], path: string, code: string | RegExp][] = [
  ['null for a string', 's', [null], 'body[0]', TYPE],
  ['undefined for a string', 's', [undefined], 'body[0]', TYPE],
  ['a number for a string', 's', [5], 'body[0]', TYPE],
  ['an array for a string', 's', [['a']], 'body[0]', TYPE],
  ['a NUL in a string', 'us', [1, 'a\0'], 'body[1]', NUL],
  ['a NUL in a long string', 's', [`${'x'.repeat(70_000)}\0`], 'body[0]', NUL],
  ['a NUL alone', 'as', [['ok', '\0']], 'body[0][1]', NUL],
  ['a lone high surrogate', 's', ['a\ud83d'], 'body[0]', SURROGATE],
  ['a lone low surrogate', 's', ['\udc00a'], 'body[0]', SURROGATE],
  ['surrogates the wrong way round', 's', ['\udc00\ud800'], 'body[0]', SURROGATE],
  ['a lone surrogate at the end of a long string', 's', [`${'é'.repeat(40_000)}\ud800`], 'body[0]', SURROGATE],
  [
    'a lone surrogate in the middle of a long string',
    's',
    [`${'x'.repeat(35_000)}\udfff${'x'.repeat(35_000)}`],
    'body[0]',
    SURROGATE,
  ],
  ['a lone surrogate in a dict key', 'a{su}', [{ '\ud800': 1 }], 'body[0] (key 0)', SURROGATE],
  ['a NUL in a dict key', 'a{su}', [{ a: 1, 'a\0': 1 }], 'body[0] (key 1)', NUL],
  ['a path without a slash', 'o', ['a'], 'body[0]', 'ERR_DBUS_OBJECT_PATH'],
  ['an empty path', 'o', [''], 'body[0]', 'ERR_DBUS_OBJECT_PATH'],
  ['a path with a trailing slash', 'ao', [['/a', '/a/']], 'body[0][1]', 'ERR_DBUS_OBJECT_PATH'],
  ['a path that is not ASCII', 'o', ['/é'], 'body[0]', 'ERR_DBUS_OBJECT_PATH'],
  ['a signature with an unknown code', 'g', ['az'], 'body[0]', 'ERR_DBUS_TYPE_CODE'],
  ['a signature of an array of nothing', 'g', ['a'], 'body[0]', 'ERR_DBUS_ARRAY_ELEMENT'],
  ['a signature of 256 characters', 'g', ['y'.repeat(256)], 'body[0]', 'ERR_DBUS_SIGNATURE_TOO_LONG'],
  ['a number for a boolean', 'b', [2], 'body[0]', TYPE],
  ['a string for a boolean', 'b', ['true'], 'body[0]', TYPE],
  ['null for a boolean', 'ab', [[true, null]], 'body[0][1]', TYPE],
  ['a string for a double', 'd', ['1.5'], 'body[0]', TYPE],
  ['undefined for a double', 'ad', [[1, undefined]], 'body[0][1]', TYPE],
  ['a boolean for an integer', 'i', [true], 'body[0]', TYPE],
  ['a Date for a number', 't', [new Date(0)], 'body[0]', TYPE],
  ['too few values', 'su', ['a'], 'body', COUNT],
  ['too many values', 's', ['a', 'b'], 'body', COUNT],
  ['values without a signature', '', ['a'], 'body', COUNT],
  ['too few members', '(su)', [['a']], 'body[0]', COUNT],
  [
    'too many members',
    'a(su)',
    [
      [
        ['a', 1],
        ['a', 1, 2],
      ],
    ],
    'body[0][1]',
    COUNT,
  ],
  ['no array for a struct', '(su)', ['ab'], 'body[0]', TYPE],
  ['null for a struct', 'a(s)', [[null]], 'body[0][0]', TYPE],
  ['a string for an array', 'as', ['abc'], 'body[0]', TYPE],
  ['a number for an array', 'ai', [3], 'body[0]', TYPE],
  ['null for an array', 'as', [null], 'body[0]', TYPE],
  ['a plain object for an array', 'as', [{ 0: 'a', length: 1 }], 'body[0]', TYPE],
  ['a hole in an array', 'ai', [[1, , 3]], 'body[0][1]', TYPE],
  ['a string for bytes', 'ay', ['abc'], 'body[0]', TYPE],
  ['null for bytes', 'aay', [[new Uint8Array(1), null]], 'body[0][1]', TYPE],
  ['256 among bytes', 'ay', [[1, 256]], 'body[0][1]', RANGE],
  ['-1 among bytes', 'ay', [new Int8Array([1, -1])], 'body[0][1]', RANGE],
  ['a fraction among integers', 'ai', [new Float64Array([1, 1.5])], 'body[0][1]', EITHER],
  ['NaN among integers', 'aq', [new Float64Array([Number.NaN])], 'body[0][0]', EITHER],
  ['-1 among unsigned integers', 'au', [new Int32Array([1, 2, -1])], 'body[0][2]', RANGE],
  ['2^31 among signed integers', 'ai', [new Uint32Array([2147483648])], 'body[0][0]', RANGE],
  ['65536 among 16-bit integers', 'aq', [new Uint32Array([65536])], 'body[0][0]', RANGE],
  ['2^63 among signed 64-bit integers', 'ax', [new BigUint64Array([9223372036854775808n])], 'body[0][0]', RANGE],
  ['-1n among unsigned 64-bit integers', 'at', [new BigInt64Array([0n, -1n])], 'body[0][1]', RANGE],
  ['null for a dict', 'a{sv}', [null], 'body[0]', TYPE],
  ['a string for a dict', 'a{sv}', ['ab'], 'body[0]', TYPE],
  ['a wrong value in a dict', 'a{su}', [{ a: 1, b: 'x' }], 'body[0]["b"]', TYPE],
  ['a wrong value in a Map', 'a{su}', [new Map<string, unknown>([['b', 'x']])], 'body[0]["b"]', TYPE],
  [
    'a wrong value deep inside',
    'a{sa(ub)}',
    [
      {
        k: [
          [1, true],
          [2, 3],
        ],
      },
    ],
    'body[0]["k"][1][1]',
    TYPE,
  ],
  ['a number key in a Map of strings', 'a{su}', [new Map([[1, 1]])], 'body[0] (key 0)', TYPE],
  ['a key that is out of range', 'a{yu}', [new Map([[256, 1]])], 'body[0] (key 0)', RANGE],
  ['a string key in a Map of numbers', 'a{yu}', [new Map([['1', 1]])], 'body[0] (key 0)', TYPE],
  ['a bare value for a variant', 'v', ['text'], 'body[0]', TYPE],
  ['null for a variant', 'av', [[null]], 'body[0][0]', TYPE],
  ['a pair for a variant', 'v', [['s', 'text']], 'body[0]', TYPE],
  ['a variant without a type', 'v', [new Variant('' as string, 1)], 'body[0]', 'ERR_DBUS_VARIANT_EMPTY'],
  ['a variant of two types', 'v', [new Variant('ss' as string, 'a')], 'body[0]', 'ERR_DBUS_VARIANT_MULTIPLE'],
  ['a variant of an unknown type', 'v', [new Variant('z' as string, 'a')], 'body[0]', /TYPE_CODE|VARIANT_SIGNATURE/],
]

// Header fields: what is wrong, the message's part, path, code.
const REFUSED_HEADERS: [what: string, part: Partial<MessageInput>, path: string, code: string | RegExp][] = [
  ['type 0', { type: 0 }, 'type', 'ERR_DBUS_MESSAGE_TYPE'],
  ['type 256', { type: 256 }, 'type', RANGE],
  ['type NaN', { type: Number.NaN }, 'type', EITHER],
  ['flags 256', { flags: 256 }, 'flags', RANGE],
  ['serial 0', { serial: 0 }, 'serial', 'ERR_DBUS_SERIAL'],
  ['serial 2^32', { serial: 4294967296 }, 'serial', RANGE],
  ['serial 1.5', { serial: 1.5 }, 'serial', EITHER],
  ['reply serial 0', { replySerial: 0 }, 'replySerial', 'ERR_DBUS_REPLY_SERIAL'],
  ['descriptors -1', { unixFds: -1 }, 'unixFds', RANGE],
  ['a path without a slash', { path: 'a' }, 'path', 'ERR_DBUS_OBJECT_PATH'],
  ['a path that is a number', { path: 5 as never }, 'path', TYPE],
  ['a path of null', { path: null as never }, 'path', /VALUE_TYPE|MISSING_PATH/],
  ['the reserved path', { path: '/org/freedesktop/DBus/Local' }, 'path', 'ERR_DBUS_LOCAL_PATH'],
  ['the reserved interface', { interface: 'org.freedesktop.DBus.Local' }, 'interface', 'ERR_DBUS_LOCAL_INTERFACE'],
  ['an interface of one element', { interface: 'a' }, 'interface', 'ERR_DBUS_INTERFACE'],
  ['an interface of 256 characters', { interface: `a.${'b'.repeat(254)}` }, 'interface', 'ERR_DBUS_INTERFACE'],
  ['an interface that is not ASCII', { interface: 'a.é' }, 'interface', 'ERR_DBUS_INTERFACE'],
  ['a member with a dot', { member: 'a.b' }, 'member', 'ERR_DBUS_MEMBER'],
  ['an empty member', { member: '' }, 'member', 'ERR_DBUS_MEMBER'],
  ['a member with a NUL', { member: 'a\0' }, 'member', /MEMBER|TEXT_NUL/],
  ['a member with a lone surrogate', { member: '\ud800' }, 'member', /MEMBER|TEXT_SURROGATE/],
  ['an error name of one element', { errorName: 'a' }, 'errorName', 'ERR_DBUS_ERROR_NAME'],
  ['a destination that ends in a dot', { destination: 'a.' }, 'destination', 'ERR_DBUS_DESTINATION'],
  ['a unique name of one element', { destination: ':1' }, 'destination', 'ERR_DBUS_DESTINATION'],
  ['a sender without a dot', { sender: 'a' }, 'sender', 'ERR_DBUS_SENDER'],
  ['a signature that is none', { signature: 'a{vs}', body: [new Map()] }, 'signature', 'ERR_DBUS_DICT_KEY'],
  ['a body that is no array', { signature: 's', body: 'a' as never }, 'body', TYPE],
  ['a signal without interface', { interface: undefined }, 'interface', 'ERR_DBUS_MISSING_INTERFACE'],
  ['a signal without path', { path: undefined }, 'path', 'ERR_DBUS_MISSING_PATH'],
  ['a signal without member', { member: undefined }, 'member', 'ERR_DBUS_MISSING_MEMBER'],
  ['a call without path', { type: 1, path: undefined }, 'path', 'ERR_DBUS_MISSING_PATH'],
  ['a call without member', { type: 1, member: undefined }, 'member', 'ERR_DBUS_MISSING_MEMBER'],
  ['a return without reply serial', { type: 2 }, 'replySerial', 'ERR_DBUS_MISSING_REPLY_SERIAL'],
  ['an error without name', { type: 3, replySerial: 1 }, 'errorName', 'ERR_DBUS_MISSING_ERROR_NAME'],
  ['an error without reply serial', { type: 3, errorName: 'a.b' }, 'replySerial', 'ERR_DBUS_MISSING_REPLY_SERIAL'],
]

/** Accepted besides what decoding gives: signature, value, the value it stands for. */
const ACCEPTED: [what: string, signature: string, value: unknown, same: unknown][] = [
  ['-0 for an integer', 'i', -0, 0],
  ['-0 for a 64-bit integer', 'x', -0, 0n],
  ['-0 for a double', 'd', -0, -0],
  ['NaN for a double', 'd', Number.NaN, Number.NaN],
  ['infinity for a double', 'd', Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
  ['a number for a 64-bit integer', 'x', -5, -5n],
  ['the largest safe number', 't', Number.MAX_SAFE_INTEGER, 9007199254740991n],
  ['a Buffer', 'ay', Buffer.from([1, 2, 3]), new Uint8Array([1, 2, 3])],
  ['plain numbers for bytes', 'ay', [1, 2, 3], new Uint8Array([1, 2, 3])],
  ['plain numbers for a typed array', 'an', [-1, 2], new Int16Array([-1, 2])],
  ['another typed array', 'ai', new Int16Array([-1, 2]), new Int32Array([-1, 2])],
  ['numbers for 64-bit integers', 'at', [1, 2n], new BigUint64Array([1n, 2n])],
  ['numbers for doubles', 'ad', new Float32Array([0.5, -0]), new Float64Array([0.5, -0])],
  ['a typed array for booleans', 'ab', [true, false], [true, false]],
  ['a Map for an object', 'a{su}', new Map([['a', 1]]), { a: 1 }],
  [
    'an object for a Map',
    'a{qu}',
    { 1: 2, 65535: 3 },
    new Map([
      [1, 2],
      [65535, 3],
    ]),
  ],
  ['an object with negative keys', 'a{nu}', { '-1': 2 }, new Map([[-1, 2]])],
  ['an object with 64-bit keys, exactly', 'a{ts}', { '9007199254740993': 'x' }, new Map([[9007199254740993n, 'x']])],
  ['an object without a prototype', 'a{su}', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ['own keys only', 'a{su}', Object.assign(Object.create({ inherited: 1 }), { a: 1 }), { a: 1 }],
  ['no symbol keys', 'a{su}', { a: 1, [Symbol('s')]: 2 }, { a: 1 }],
  ['integer-like keys', 'a{su}', { b: 1, 1: 2 }, { 1: 2, b: 1 }],
  ['anything with signature and value for a variant', 'v', { signature: 'y', value: 1 }, new Variant('y', 1)],
  ['noncharacters', 's', '\uffff\ufdd0\u{10ffff}', '\uffff\ufdd0\u{10ffff}'],
  ['a byte order mark', 's', '\ufeffa\ufeff', '\ufeffa\ufeff'],
]

const signal = (signature: string, body: unknown[]): MessageInput => ({
  type: 4,
  serial: 1,
  path: '/a',
  interface: 'a.b',
  member: 'M',
  signature,
  body,
})

describe.each(ENGINES)('engine %s', (engine) => {
  const codec = createCodec({ engine })

  function refusal(message: MessageInput): DBusCodecError {
    try {
      codec.encode(message)
    } catch (error) {
      if (isDBusCodecError(error)) return error
      throw error
    }
    throw new Error('encoded')
  }

  function expectRefusal(message: MessageInput, path: string, code: string | RegExp) {
    const error = refusal(message)
    expect(error.path).toBe(path)
    expect(error.code).toMatch(code)
    expect(error.message).toContain(path)
  }

  test.each(REFUSED)('refuses %s (%s), at its path', (_, signature, body, path, code) => {
    expectRefusal(signal(signature, body), path, code)
  })

  test.each(REFUSED_HEADERS)('refuses a message with %s', (_, part, path, code) => {
    expectRefusal({ ...signal('', []), ...part }, path, code)
  })

  test.each(ACCEPTED)('accepts %s (%s)', (_, signature, value, same) => {
    const bytes = codec.encode(signal(signature, [value]))
    expect(codec.decode(bytes).body).toEqual([same])
    expect(hexOf(codec.encode(signal(signature, [same])))).toBe(hexOf(bytes))
  })

  describe.each(Object.entries(INTEGERS))('integers of type %s', (type, [least, most]) => {
    const forms = (value: bigint): unknown[] => ('xt'.includes(type) ? [value] : [Number(value)])
    const wrong = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0.5, '5', null, undefined, {}, [1]]

    test('are exact at both ends of their range', () => {
      for (const value of [...forms(least), ...forms(most)]) {
        expect(codec.decode(codec.encode(signal(type, [value]))).body).toEqual([value])
        expect(Array.from(codec.unmarshal(`a${type}`, codec.marshal(`a${type}`, [[value]]))[0] as never)).toEqual([value])
      }
    })

    test('are refused beyond it', () => {
      for (const value of [...forms(least - 1n), ...forms(most + 1n)]) {
        expectRefusal(signal(type, [value]), 'body[0]', RANGE)
        expectRefusal(signal(`a${type}`, [[value]]), 'body[0][0]', RANGE)
      }
    })

    test('are never made of anything else', () => {
      for (const value of wrong) {
        expectRefusal(signal(type, [value]), 'body[0]', EITHER)
        expectRefusal(signal(`a${type}`, [[0, value]]), 'body[0][1]', EITHER)
        expectRefusal(signal('v', [new Variant(type, value)]), 'body[0]', EITHER)
      }
    })
  })

  test.each(['', ' 1', '01', '+1', '1.0', '1e3', '0x10', '-0', 'abc', '1n', 'NaN'])('refuses %j as a number key', (key) => {
    for (const type of ['y', 'i', 't']) {
      expect(refusal(signal(`a{${type}u}`, [{ [key]: 1 }])).code).toMatch(EITHER)
    }
  })

  test('refuses an unsafe number for a 64-bit integer', () => {
    for (const value of [2 ** 53, -(2 ** 53), 2 ** 63, 1e300]) {
      expect(refusal(signal('x', [value])).code).toMatch(EITHER)
      expect(refusal(signal('ax', [[value]])).path).toBe('body[0][0]')
    }
  })

  test('keeps __proto__ as a key like any other', () => {
    const dict = JSON.parse('{"__proto__":1,"constructor":2,"toString":3}')
    const [decoded] = codec.decode(codec.encode(signal('a{su}', [dict]))).body as [object]
    expect(Object.keys(decoded)).toEqual(['__proto__', 'constructor', 'toString'])
    expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype)
    const nested = codec.decode(codec.encode(signal('a{sa{su}}', [new Map([['__proto__', { polluted: 1 }]])]))).body[0]
    expect(Object.keys(nested as object)).toEqual(['__proto__'])
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  test('refuses values nested more than 64 deep, and values that hold themselves', () => {
    const nested = (levels: number) => {
      let value: unknown = new Variant('y', 1)
      for (let i = 1; i < levels; i++) value = new Variant('v' as string, value)
      return signal('v', [value])
    }
    expect(codec.validate(codec.encode(nested(64)))).toEqual({ valid: true })
    expect(refusal(nested(65)).code).toBe('ERR_DBUS_DEPTH')
    expect(refusal(nested(100_000)).code).toBe('ERR_DBUS_DEPTH')
    const cycle = { signature: 'v', value: undefined as unknown }
    cycle.value = cycle
    expect(refusal(signal('v', [cycle])).code).toBe('ERR_DBUS_DEPTH')
  })

  test('writes the byte order asked for, little by default, and refuses another word', () => {
    expect(codec.encode(signal('u', [1]))[0]).toBe(0x6c)
    expect(codec.encode(signal('u', [1]), { byteOrder: 'big' })[0]).toBe(0x42)
    expect(() => codec.encode(signal('u', [1]), { byteOrder: 'middle' as never })).toThrow(TypeError)
  })

  test('writes UNIX_FDS from unixFds', () => {
    const message = codec.decode(codec.encode({ ...signal('h', [1]), unixFds: 2 }))
    expect(message.unixFds).toBe(2)
    expect(message.body).toEqual([1])
    expect(codec.decode(codec.encode({ ...signal('', []), unixFds: 0 })).unixFds).toBe(0)
  })

  test('writes unknown types and flags', () => {
    const { type, flags, serial } = codec.decode(codec.encode({ type: 200, flags: 0xf8, serial: 4294967295 }))
    expect({ type, flags, serial }).toEqual({ type: 200, flags: 0xf8, serial: 4294967295 })
  })

  test('marshals at any offset of a message', () => {
    for (let offset = 0; offset < 16; offset++) {
      const bytes = codec.marshal('yt', [1, 2n], { offset })
      expect(bytes.length).toBe(1 + (-(offset + 1) & 7) + 8)
      expect(codec.unmarshal('yt', bytes, { offset })).toEqual([1, 2n])
    }
  })
})

// Beyond some hundred keys a message says a name again by referring to where it has said it before.
describe.each(ENGINES)('engine %s, a message with the same keys in hundreds of dicts', (engine) => {
  const codec = createCodec({ engine })
  const names = ['Name', 'é', '', 'k'.repeat(5000), '/a']
  const dicts = Array.from({ length: 400 }, (_, i) =>
    Object.fromEntries([...names, `own${i}`].map((name, n) => [name, (i + n) % 256])),
  )

  test('comes back as it was, with other texts between that say the same', () => {
    const body = [dicts, names, new Map([['/a', { '/a': 1, Name: 2 }]])]
    for (const byteOrder of ['little', 'big'] as const) {
      const bytes = codec.marshal('aa{sy}asa{oa{sy}}', body as never, { byteOrder })
      expect(codec.unmarshal('aa{sy}asa{oa{sy}}', bytes, { byteOrder })).toEqual([dicts, names, { '/a': { '/a': 1, Name: 2 } }])
    }
  })

  test.each([
    ['s', '\ud800', SURROGATE],
    ['s', 'a\0', NUL],
    ['o', 'no path', 'ERR_DBUS_OBJECT_PATH'],
  ])('a bad key of type %s is refused where it stands first', (type, name, code) => {
    const good = Array.from({ length: 300 }, (_, i) => ({ [`/a${i}`]: 1 }))
    const refused = () => codec.marshal(`aa{${type}y}` as 'aa{sy}', [[...good, { '/a': 1, [name]: 1 }, { [name]: 2 }]])
    expect(refused).toThrow(expect.objectContaining({ code, path: 'body[0][300] (key 1)' }))
    expect(codec.unmarshal('a{sy}', codec.marshal('a{sy}', [{ Name: 1 }]))).toEqual([{ Name: 1 }])
  })
})
