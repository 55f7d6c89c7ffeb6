// Named cases: what went wrong in other implementations, by the number under which it became known. The codec, on each engine, and the
// reference codec give the same answer.
import { describe, expect, test } from 'vitest'
import { createCodec } from '../js/index.ts'
import { ENGINES } from './engines.ts'
import { bodyStart, signalOf, textOf, wordOf } from './messages.ts'
import { referenceSignature, referenceValidate } from './reference/index.ts'

const ORDERS = ['little', 'big'] as const

describe.each(ENGINES)('engine %s', (engine) => {
  const codec = createCodec({ engine })
  const structure = createCodec({ engine, validation: 'structure' })

  function expectFault(bytes: Uint8Array, code: string, offset: number): void {
    expect(codec.validate(bytes).error).toMatchObject({ code, offset })
    expect(structure.validate(bytes).error).toMatchObject({ code, offset })
    expect(referenceValidate(bytes)).toEqual({ valid: false, code, offset })
    for (const call of ['decode', 'swap'] as const)
      expect(() => codec[call](bytes)).toThrow(expect.objectContaining({ code, offset }))
  }

  /** A signature as the body's, as a value and as a variant's; `at`: the character at which it breaks. */
  function expectBadSignature(signature: string, code: string, at: number): void {
    expect(referenceSignature(signature)).toEqual({ valid: false, code, offset: at })
    expect(() => codec.marshal(signature as never, [] as never)).toThrow(expect.objectContaining({ code, offset: at }))
    const fields = signalOf(signature, Buffer.alloc(64))
    expectFault(fields, code, 16 + new DataView(fields.buffer).getUint32(12, true) - 1 - signature.length + at)
    const characters = Buffer.from(`${signature}\0`)
    const value = signalOf('g', Buffer.concat([Buffer.from([signature.length]), characters]))
    expectFault(value, code, bodyStart(value) + 1 + at)
    const variant = signalOf('v', Buffer.concat([Buffer.from([signature.length]), characters, Buffer.alloc(64)]))
    expectFault(variant, 'ERR_DBUS_VARIANT_SIGNATURE', bodyStart(variant) + 1 + at)
  }

  test('CVE-2022-42010: brackets of a signature that are closed by the wrong ones', () => {
    expectBadSignature('(a{sv)}', 'ERR_DBUS_STRUCT_NOT_STARTED', 5)
    expectBadSignature('a{s(s})', 'ERR_DBUS_DICT_NOT_STARTED', 5)
    expectBadSignature('(a{s(v}))', 'ERR_DBUS_DICT_NOT_STARTED', 6)
    expectBadSignature('a{s)}', 'ERR_DBUS_STRUCT_NOT_STARTED', 3)
  })

  test('CVE-2022-42011: an array of fixed-size elements whose length is no multiple of their size', () => {
    for (const byteOrder of ORDERS) {
      for (const [type, size] of [
        ['b', 4],
        ['n', 2],
        ['q', 2],
        ['i', 4],
        ['u', 4],
        ['h', 4],
        ['x', 8],
        ['t', 8],
        ['d', 8],
      ] as const) {
        for (let length = 1; length <= 2 * size; length++) {
          const body = Buffer.concat([wordOf(length, byteOrder), Buffer.alloc(size === 8 ? 4 : 0), Buffer.alloc(length)])
          const bytes = signalOf(`a${type}`, body, { byteOrder })
          if (length % size === 0) expect(codec.validate(bytes)).toEqual({ valid: true })
          else expectFault(bytes, 'ERR_DBUS_ARRAY_LENGTH', bodyStart(bytes))
        }
      }
    }
  })

  test('CVE-2022-42012: descriptors of a message in the other byte order', () => {
    for (const byteOrder of ORDERS) {
      const other = byteOrder === 'little' ? 'big' : 'little'
      const message = { type: 4, serial: 1, path: '/a', interface: 'a.b', member: 'M', unixFds: 3, signature: 'hahv(h)' } as const
      const body = [1, [0, 2], { signature: 'h', value: 2 }, [0]] as const
      const bytes = codec.encode({ ...message, body } as never, { byteOrder })
      const swapped = codec.swap(bytes)
      expect(Buffer.compare(swapped, codec.encode({ ...message, body } as never, { byteOrder: other }))).toBe(0)
      for (const either of [bytes, swapped]) {
        const { unixFds, body: decoded } = codec.decode(either, { fds: ['a', 'b', 'c'] })
        expect(unixFds).toBe(3)
        expect(decoded).toEqual(['b', ['a', 'c'], { signature: 'h', value: 'c' }, ['a']])
        // An index is looked up, never used to read memory.
        expect(() => codec.decode(either, { fds: ['a'] })).toThrow(expect.objectContaining({ code: 'ERR_DBUS_FD_COUNT' }))
      }
    }
  })

  test('CVE-2010-4352: variants nested without end', () => {
    const nested = (levels: number) => {
      const inner = Buffer.concat([...Array(levels - 1).fill(Buffer.from('\x01v\0')), Buffer.from('\x01y\0\x07')])
      return signalOf('v', inner)
    }
    for (const levels of [65, 66, 1000, 100_000])
      expectFault(nested(levels), 'ERR_DBUS_DEPTH', bodyStart(nested(levels)) + 3 * 65)
    let value: unknown = codec.decode(nested(64)).body[0]
    for (let level = 1; level < 64; level++) value = (value as { value: unknown }).value
    expect(value).toEqual({ signature: 'y', value: 7 })
  })

  test('CVE-2009-1189: a dict whose key is a container', () => {
    for (const key of ['v', 'as', '(s)', 'a{ss}', 'ay']) {
      const at = 2
      expectBadSignature(`a{${key}s}`, 'ERR_DBUS_DICT_KEY', at)
      expectBadSignature(`a{${key}v}`, 'ERR_DBUS_DICT_KEY', at)
    }
    for (const key of 'ybnqiuxtdsogh')
      expect(referenceSignature(`a{${key}s}`).valid && codec.marshal(`a{${key}s}` as 'a{ss}', [{}]).length > 0).toBe(true)
  })

  describe('sums of 32-bit lengths that wrap round', () => {
    test.each(ORDERS)('in the header: %s-endian', (byteOrder) => {
      const message = signalOf('s', textOf('x', byteOrder), { byteOrder })
      const fields = bodyStart(message) - 16
      for (const [at, lengths] of [
        [4, [0xffffffff, 0xfffffff8, 0x80000000, 0xffffffff - fields, 0x100000000 - 16 - fields]],
        [12, [0xffffffff, 0xfffffff8, 0xfffffff0, 0x80000000, 0xffffffe9]],
      ] as const) {
        for (const length of lengths) {
          const bytes = message.slice()
          bytes.set(wordOf(length, byteOrder), at)
          expectFault(bytes, at === 4 ? 'ERR_DBUS_BODY_LENGTH' : 'ERR_DBUS_FIELDS_LENGTH', at)
          expect(() => codec.messageLength(bytes)).toThrow()
        }
      }
      // Each within its limit, too long together.
      const bytes = message.slice()
      bytes.set(wordOf(0x4000000, byteOrder), 12)
      bytes.set(wordOf(0x7fffff0, byteOrder), 4)
      expectFault(bytes, 'ERR_DBUS_MESSAGE_LENGTH', 4)
    })

    test.each(ORDERS)('of texts, arrays and signatures: %s-endian', (byteOrder) => {
      for (const length of [0xffffffff, 0xfffffffe, 0xfffffffc, 0xfffffff8, 0xfffffff0, 0x80000000, 0x7fffffff]) {
        for (const type of ['s', 'o', 'ay', 'au', 'at', 'as', 'a{sv}', 'a(yy)', 'av']) {
          const bytes = signalOf(type, Buffer.concat([wordOf(length, byteOrder), Buffer.alloc(60)]), { byteOrder })
          expectFault(bytes, 'ERR_DBUS_LENGTH_OUT_OF_BOUNDS', bodyStart(bytes))
          // The same deeper in, where offsets are larger than 0.
          const later = signalOf(
            `ta${type}`,
            Buffer.concat([Buffer.alloc(8), wordOf(32, byteOrder), wordOf(length, byteOrder), Buffer.alloc(28)]),
            {
              byteOrder,
            },
          )
          const offset = bodyStart(later) + 12
          expectFault(later, 'ERR_DBUS_LENGTH_OUT_OF_BOUNDS', offset)
        }
      }
      for (const type of ['g', 'v']) {
        const bytes = signalOf(type, Buffer.from([255, 0x79, 0]), { byteOrder })
        const code = type === 'g' ? 'ERR_DBUS_SIGNATURE_LENGTH' : 'ERR_DBUS_VARIANT_SIGNATURE_LENGTH'
        expectFault(bytes, code, bodyStart(bytes))
      }
    })
  })
})
