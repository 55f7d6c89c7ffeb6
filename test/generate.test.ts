// The generator and the breakers: what the differential tests feed to everyone must itself be what it claims to be.
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { BREAKERS, breakMessage, breakSeveral } from './break.ts'
import { arbitraryMessage, arbitrarySignature, chooseSeed, generateMessage, seededSource } from './generate.ts'
import {
  referenceDecode,
  referenceEncode,
  referenceMarshal,
  referenceSignature,
  referenceSwap,
  referenceUnmarshal,
  referenceValidate,
} from './reference/index.ts'

const MESSAGES = 500
vi.setConfig({ testTimeout: 60_000 })
const OPTIONS = { large: true, duplicateKeys: true, fieldTen: true }

describe('generated messages', () => {
  const seed = chooseSeed('generated messages')

  test('are valid, and the same again for the same seed', () => {
    const source = seededSource(seed)
    const again = seededSource(seed)
    for (let i = 0; i < MESSAGES; i++) {
      const message = generateMessage(source, OPTIONS)
      expect(referenceValidate(message.bytes), `message ${i}`).toEqual({ valid: true })
      expect(Buffer.compare(generateMessage(again, OPTIONS).bytes, message.bytes)).toBe(0)
    }
  })

  test('decode to the values they were made of, and swap there and back', () => {
    const source = seededSource(seed + 1)
    for (let i = 0; i < MESSAGES; i++) {
      const message = generateMessage(source, { duplicateKeys: true })
      const { header, body } = referenceDecode(message.bytes)
      expect(body, `message ${i}`).toEqual(message.body)
      expect(header).toMatchObject({ ...message.header, signature: message.signature, fields: message.fields })
      const swapped = referenceSwap(message.bytes)
      const byteOrder = message.byteOrder === 'little' ? 'big' : 'little'
      const expected = referenceEncode(message.header, message.signature, body, { byteOrder, fields: message.fields })
      expect(Buffer.compare(swapped, expected), `message ${i}`).toBe(0)
      expect(Buffer.compare(referenceSwap(swapped), message.bytes), `message ${i}`).toBe(0)
    }
  })

  test('have bodies that marshal at any offset and unmarshal to the same values', () => {
    const source = seededSource(seed + 2)
    for (let i = 0; i < MESSAGES; i++) {
      const { signature, body, byteOrder } = generateMessage(source)
      const options = { byteOrder, offset: i % 8 }
      const bytes = referenceMarshal(signature, body, options)
      expect(referenceUnmarshal(signature, bytes, options), `message ${i}, ${signature}`).toEqual(body)
    }
  })

  test('are valid with structure alone checked, and give the same values', () => {
    const source = seededSource(seed + 3)
    for (let i = 0; i < MESSAGES; i++) {
      const { bytes } = generateMessage(source)
      expect(referenceDecode(bytes, { structure: true })).toEqual(referenceDecode(bytes))
    }
  })

  test('are valid however fast-check draws and shrinks them', () => {
    fc.assert(
      fc.property(arbitraryMessage(OPTIONS), ({ bytes }) => referenceValidate(bytes).valid),
      { seed, numRuns: 300 },
    )
    fc.assert(
      fc.property(arbitrarySignature, (signature) => referenceSignature(signature).valid),
      { seed, numRuns: 300 },
    )
  })
})

describe('broken messages', () => {
  const seed = chooseSeed('broken messages')

  // Some breakers aim at a fault that another may hide, or hit a place where the change is harmless: all of their codes
  // are reached over many messages, none of them needs to be reached by each. One fixed seed: this must not be a lottery.
  test.each(BREAKERS.map((breaker) => [`${breaker.rule} ${breaker.name}`, breaker] as const))('%s', (_, breaker) => {
    const source = seededSource(1)
    const missing = new Set(breaker.codes)
    let invalid = 0
    const seen = new Map<string, number>()
    for (let i = 0; i < 400; i++) {
      const { bytes } = breakMessage(source, generateMessage(source), breaker)
      const verdict = referenceValidate(bytes)
      if (verdict.valid) continue
      invalid++
      missing.delete(verdict.code)
      seen.set(verdict.code, (seen.get(verdict.code) ?? 0) + 1)
      if (missing.size === 0 && i >= 40) break
    }
    expect([...missing], JSON.stringify([...seen])).toEqual([])
    expect(invalid).toBeGreaterThan(20)
  })

  test('with several rules broken still get one verdict, with an offset inside the bytes or at their end', () => {
    const source = seededSource(seed)
    for (let i = 0; i < MESSAGES; i++) {
      const { bytes } = breakSeveral(source, generateMessage(source))
      const verdict = referenceValidate(bytes)
      if (verdict.valid) continue
      expect(verdict.code).toMatch(/^ERR_DBUS_[A-Z0-9_]+$/)
      expect(verdict.offset).toBeGreaterThanOrEqual(0)
      expect(verdict.offset).toBeLessThanOrEqual(bytes.length)
    }
  })
})
