import { describe, expect, it } from 'vitest'
import { messageLength } from '../js/length.ts'
import { claim, MAX, place, thrown } from './framing.ts'

describe('messageLength', () => {
  it('needs 16 bytes', () => {
    const bytes = claim(0, 0)
    for (let length = 0; length < 16; length++) expect(messageLength(bytes.subarray(0, length))).toBeUndefined()
    expect(messageLength(bytes)).toBe(16)
  })

  it('adds header, fields padded to 8, and body, in either byte order', () => {
    for (const little of [true, false]) {
      for (let fields = 0; fields < 30; fields++) {
        expect(messageLength(claim(fields, 5, little))).toBe(16 + ((fields + 7) & ~7) + 5)
      }
    }
  })

  it('refuses a first byte that names no byte order, at offset 0', () => {
    for (let first = 0; first < 256; first++) {
      if (first === 0x6c || first === 0x42) continue
      const bytes = claim(0, 0)
      bytes[0] = first
      expect(place(thrown(() => messageLength(bytes)))).toBe('ERR_DBUS_BYTE_ORDER at 0')
    }
  })

  it('refuses lengths over their limits at the length that is wrong, without wrapping at 2^31 or 2^32', () => {
    for (const little of [true, false]) {
      const verdict = (fields: number, body: number) => place(thrown(() => messageLength(claim(fields, body, little))))
      for (const fields of [0x04000001, 0x7fffffff, 0x80000000, 0xfffffff0, 0xfffffff8, 0xfffffff9, 0xffffffff]) {
        expect(verdict(fields, 0)).toBe('ERR_DBUS_FIELDS_LENGTH at 12')
        expect(verdict(fields, 0xffffffff)).toBe('ERR_DBUS_FIELDS_LENGTH at 12')
      }
      for (const body of [MAX + 1, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff]) {
        expect(verdict(0, body)).toBe('ERR_DBUS_BODY_LENGTH at 4')
      }
      expect(verdict(0, MAX)).toBe('ERR_DBUS_MESSAGE_LENGTH at 4')
      expect(verdict(0, MAX - 15)).toBe('ERR_DBUS_MESSAGE_LENGTH at 4')
      expect(verdict(0x04000000, MAX)).toBe('ERR_DBUS_MESSAGE_LENGTH at 4')
      expect(messageLength(claim(0, MAX - 16, little))).toBe(MAX)
      expect(messageLength(claim(0x04000000, 0x04000000 - 16, little))).toBe(MAX)
      expect(verdict(0x04000000 - 1, 0x04000000 - 15)).toBe('ERR_DBUS_MESSAGE_LENGTH at 4')
    }
  })

  it('refuses what is over the maximum asked for', () => {
    expect(messageLength(claim(8, 8), 32)).toBe(32)
    expect(place(thrown(() => messageLength(claim(8, 9), 32)))).toBe('ERR_DBUS_MESSAGE_LENGTH at 4')
    expect(place(thrown(() => messageLength(claim(9, 8), 32)))).toBe('ERR_DBUS_MESSAGE_LENGTH at 4')
  })

  it('reads a view at any offset of its buffer', () => {
    const shared = new Uint8Array(64).fill(0xff)
    shared.set(claim(3, 4), 13)
    expect(messageLength(shared.subarray(13))).toBe(28)
  })
})
