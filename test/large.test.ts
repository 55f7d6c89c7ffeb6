// Values that do not go through linear memory: bulk arrays and long strings, left as gaps and filled from the caller's own
// bytes. And the three ways to have the bytes: a buffer of their own, someone else's buffer, pieces for writev.
import { describe, expect, test } from 'vitest'
import { createCodec, isDBusCodecError, type MessageInput, Variant } from '../js/index.ts'
import { ENGINES } from './engines.ts'
import { bodyStart, hexOf, signalOf, textOf, wordOf } from './messages.ts'
import type { ByteOrder } from './reference/index.ts'

const ORDERS: readonly ByteOrder[] = ['little', 'big']
const LIGHT = process.env.DBUS_CODEC_TEST_LIGHT === '1'
const MIB = 1 << 20

// Round every size at which something may change: piece by piece copies, slabs, the window, growth.
const SIZES = [0, 1, 7, 8, 9, 63, 64, 65, 255, 256, 257, 511, 512, 513, 1023, 1024, 4095, 4096, 4097, 8192, 16384, 65535]
const LARGE = [65536, 65537, 70_000, 131_071, 131_072, 131_073, MIB]

const PIECES: [what: string, piece: string][] = [
  ['one byte', 'a'],
  ['two bytes', 'é'],
  ['three bytes', '€'],
  ['four bytes', '😀'],
  ['one and four bytes', 'a😀'],
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

const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0

const patterned = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 7 + (i >> 8)) & 0xff)

function bigEndian(bytes: Uint8Array, size: number): Buffer {
  const copy = Buffer.from(bytes)
  for (let i = 0; i < copy.length; i += size) copy.subarray(i, i + size).reverse()
  return copy
}

describe.each(ENGINES)('engine %s', (engine) => {
  const codec = createCodec({ engine })

  /** Every way to encode it gives these bytes. */
  function expectBytes(signature: string, body: unknown[], expected: Uint8Array, byteOrder: ByteOrder): void {
    const what = `${signature}, ${expected.length} bytes`
    const start = bodyStart(expected)
    const message = signal(signature, body)
    const bytes = codec.encode(message, { byteOrder })
    expect(same(bytes.subarray(bodyStart(bytes)), expected.subarray(start)), what).toBe(true)
    const target = new Uint8Array(bytes.length + 24).fill(0xee)
    expect(codec.encodeInto(message, target, 11, { byteOrder })).toBe(bytes.length)
    expect(same(target.subarray(11, 11 + bytes.length), bytes), what).toBe(true)
    expect([...target.subarray(0, 11), ...target.subarray(11 + bytes.length)].every((byte) => byte === 0xee)).toBe(true)
    const segments = codec.encodeSegments(message, { byteOrder })
    expect(same(Buffer.concat(segments), bytes), what).toBe(true)
    expect(same(codec.marshal(signature, body, { byteOrder }), expected.subarray(start)), what).toBe(true)
    expect(codec.validate(bytes), what).toEqual({ valid: true })
  }

  test.each(PIECES)('writes and reads strings of %s a character, of every size', (_, piece) => {
    for (const size of [...SIZES, ...LARGE]) {
      const text = piece.repeat(size / piece.length) + 'z'.repeat(size % piece.length)
      for (const byteOrder of ORDERS) {
        const expected = signalOf('s', textOf(text, byteOrder), { byteOrder })
        expectBytes('s', [text], expected, byteOrder)
        expect(codec.decode(expected).body[0] === text).toBe(true)
      }
    }
  })

  test('writes and reads byte arrays of every size, whatever holds them', () => {
    for (const size of [...SIZES, ...LARGE]) {
      const bytes = patterned(size)
      const pool = new Uint8Array(size + 3)
      pool.set(bytes, 3)
      for (const byteOrder of ORDERS) {
        const expected = signalOf('ay', Buffer.concat([wordOf(size, byteOrder), bytes]), { byteOrder })
        for (const source of [bytes, Buffer.from(bytes), pool.subarray(3)]) expectBytes('ay', [source], expected, byteOrder)
        expect(same(codec.decode(expected).body[0] as Uint8Array, bytes)).toBe(true)
      }
    }
  })

  test.each([
    ['n', Int16Array, 2],
    ['q', Uint16Array, 2],
    ['i', Int32Array, 4],
    ['u', Uint32Array, 4],
    ['h', Uint32Array, 4],
    ['x', BigInt64Array, 8],
    ['t', BigUint64Array, 8],
    ['d', Float64Array, 8],
  ] as const)('writes and reads arrays of %s of every size, typed and plain', (type, Typed, size) => {
    const padding = Buffer.alloc(size === 8 ? 4 : 0)
    for (const length of [0, 1, 2, 3, 63, 64, 65, 255, 256, 257, 1000, 8191, 8192, 8193, 20_000]) {
      const bytes = patterned(length * size)
      // No NaN among the doubles: JavaScript does not keep its bits.
      if (type === 'd') for (let i = 7; i < bytes.length; i += 8) bytes[i] &= 0x3f
      const values = new Typed(bytes.buffer)
      for (const byteOrder of ORDERS) {
        const wire = byteOrder === 'little' ? bytes : bigEndian(bytes, size)
        const body = Buffer.concat([wordOf(wire.length, byteOrder), padding, wire])
        const expected = signalOf(`a${type}`, body, { byteOrder })
        expectBytes(`a${type}`, [values], expected, byteOrder)
        expectBytes(`a${type}`, [Array.from(values as never)], expected, byteOrder)
        const decoded = codec.decode(expected).body[0]
        expect(decoded).toBeInstanceOf(Typed)
        expect(same(new Uint8Array((decoded as typeof values).buffer.slice(0)), bytes)).toBe(true)
      }
    }
  })

  test('keeps the bits of every double in an array, those of a NaN too', () => {
    const bits = ['7ff0000000000001', 'fff8123456789abc', '7ff8000000000000', '8000000000000000']
    const bytes = Buffer.concat([wordOf(32), Buffer.alloc(4), ...bits.map((one) => Buffer.from(one, 'hex').reverse())])
    const message = signalOf('ad', bytes)
    expect(hexOf(codec.encode(codec.decode(message)))).toContain(bytes.toString('hex'))
  })

  test('writes gaps next to each other, inside variants, structs and dicts', () => {
    const bytes = patterned(70_001)
    const text = 'é'.repeat(40_000)
    const body = [
      [bytes, text, bytes],
      { k: new Variant('ay', bytes), l: new Variant('(sai)', [text, new Int32Array(9000).fill(-2)]) },
      [bytes, new Uint8Array(0), bytes],
      7,
    ]
    for (const byteOrder of ORDERS) {
      const encoded = codec.encode(signal('(aysay)a{sv}aayu', body), { byteOrder })
      expect(codec.decode(encoded).body).toEqual(body)
      expectBytes('(aysay)a{sv}aayu', body, encoded, byteOrder)
      expect(same(codec.swap(codec.swap(encoded)), encoded)).toBe(true)
    }
  })

  test('hands over a big byte array as it is in segments', () => {
    const bytes = patterned(MIB)
    const segments = codec.encodeSegments(signal('say', ['text', bytes]))
    expect(segments.length).toBeGreaterThan(1)
    expect(segments.some(({ buffer, byteLength }) => buffer === bytes.buffer && byteLength === MIB)).toBe(true)
  })

  test('gives a buffer that is not written to again', () => {
    const first = codec.encode(signal('s', ['first']))
    const before = hexOf(first)
    for (let i = 0; i < 2000; i++) codec.encode(signal('sau', ['second', [i, i]]))
    codec.encode(signal('ay', [patterned(MIB)]))
    expect(hexOf(first)).toBe(before)
    first.fill(0)
    expect(codec.validate(codec.encode(signal('s', ['first'])))).toEqual({ valid: true })
  })

  test('refuses a target that is too short, and writes to no byte outside it', () => {
    const message = signal('say', ['text', patterned(300)])
    const { length } = codec.encode(message)
    const buffer = new Uint8Array(length + 64).fill(0xee)
    const target = buffer.subarray(32, 32 + length)
    for (const offset of [1, 8, length, length + 1]) {
      expect(() => codec.encodeInto(message, target, offset)).toThrow(Error)
    }
    for (const offset of [-1, 0.5, Number.NaN]) expect(() => codec.encodeInto(message, target, offset)).toThrow()
    expect(codec.encodeInto(message, target, 0)).toBe(length)
    expect([...buffer.subarray(0, 32), ...buffer.subarray(32 + length)].every((byte) => byte === 0xee)).toBe(true)
  })

  test.skipIf(LIGHT)('takes arrays of 64 MiB and not a byte more, and messages of 128 MiB', { timeout: 60_000 }, () => {
    const most = new Uint8Array(64 * MIB)
    const bytes = codec.encode(signal('ay', [most]))
    expect(bytes.length).toBeGreaterThan(most.length)
    expect(codec.validate(bytes)).toEqual({ valid: true })
    const refused: [unknown[], string, string | undefined][] = [
      [['x', new Uint8Array(64 * MIB + 1)], 'ERR_DBUS_ARRAY_TOO_LONG', 'body[1]'],
      [['x'.repeat(100), most, most], 'ERR_DBUS_MESSAGE_LENGTH', undefined],
    ]
    for (const [body, code, path] of refused) {
      const error = errorOf(() => codec.encodeSegments(signal(body.length === 2 ? 'say' : 'sayay', body)))
      expect(error.code).toBe(code)
      if (path !== undefined) expect(error.path).toBe(path)
    }
    expect(codec.validate(codec.encode(signal('s', ['usable afterwards'])))).toEqual({ valid: true })
  })

  test('decodes small, large and small again: no view of memory outlives its growth', () => {
    const small = codec.encode(signal('sai', ['small', [1, 2, 3]]))
    const rows = Array.from({ length: 30_000 }, (_, i) => [`row ${i}`, i])
    const large = codec.encode(signal('a(su)', [rows]))
    for (let i = 0; i < 3; i++) {
      expect(codec.decode(small).body).toEqual(['small', new Int32Array([1, 2, 3])])
      expect((codec.decode(large).body[0] as unknown[]).length).toBe(30_000)
      expect(codec.decode(large).body[0]).toEqual(rows)
    }
    expect(hexOf(codec.encode(signal('sai', ['small', [1, 2, 3]])))).toBe(hexOf(small))
  })
})

function errorOf(action: () => unknown) {
  try {
    action()
  } catch (error) {
    if (isDBusCodecError(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
