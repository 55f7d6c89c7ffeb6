// Generated messages, whole and broken: the product agrees with the reference in bytes, values, fault code and offset, in both
// byte orders, on every engine. The seed is printed; DBUS_CODEC_TEST_SEED repeats a run, fast-check shrinks a failure.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createCodec, type MessageInput } from '../js/index.ts'
import { breakMessage, breakSeveral } from './break.ts'
import { ENGINES } from './engines.ts'
import { arbitraryMessage, chooseSeed, type GeneratedMessage, generateMessage, seededSource } from './generate.ts'
import { hexOf, WRITTEN_ORDER } from './messages.ts'
import { bodyFromNeutral, bodyToNeutral, kept } from './neutral.ts'
import {
  encodeMarked,
  referenceDecode,
  referenceMarshal,
  referenceSwap,
  referenceUnmarshal,
  referenceValidate,
} from './reference/index.ts'

const RUNS = Number(process.env.DBUS_CODEC_TEST_RUNS ?? 300)
const ORDERS = ['little', 'big'] as const

function inputOf({ header, signature }: GeneratedMessage, body: unknown[]): MessageInput {
  return {
    type: header.type,
    flags: header.flags ?? 0,
    serial: header.serial,
    path: header.path ?? undefined,
    interface: header.interface ?? undefined,
    member: header.member ?? undefined,
    errorName: header.error ?? undefined,
    replySerial: header.reply_serial ?? undefined,
    destination: header.destination ?? undefined,
    sender: header.sender ?? undefined,
    unixFds: header.unix_fds ?? undefined,
    signature,
    body,
  }
}

// A NaN that went through JavaScript may have other bits, and a Map has no key -0.
const IS_CHANGED = /"[7f]ff(?!0{13}")[0-9a-f]{13}"|"\{",\["d","80{15}"/

describe.each(ENGINES)('engine %s', (engine) => {
  const seed = chooseSeed(`generated, ${engine}`)
  const codec = createCodec({ engine })
  const byMap = createCodec({ engine, dict: 'map' })
  const trusting = createCodec({ engine, validation: 'structure' })

  function verdictOf(bytes: Uint8Array, judge = codec): string {
    const verdict = judge.validate(bytes)
    return verdict.valid ? 'valid' : `${verdict.error.code} at ${verdict.error.offset}`
  }

  function expectedVerdict(bytes: Uint8Array, structure = false): string {
    const verdict = referenceValidate(bytes, { structure })
    return verdict.valid ? 'valid' : `${verdict.code} at ${verdict.offset}`
  }

  function forEvery(options: Parameters<typeof arbitraryMessage>[0], check: (message: GeneratedMessage) => void): void {
    fc.assert(fc.property(arbitraryMessage(options), check), { seed, numRuns: RUNS })
  }

  test('decodes to the values of the reference', () => {
    forEvery({ large: true, duplicateKeys: true, fieldTen: true }, ({ bytes, signature }) => {
      const { body } = referenceDecode(bytes)
      expect(verdictOf(bytes)).toBe('valid')
      for (const some of [codec, byMap]) {
        const decoded = some.decode(bytes)
        expect(decoded.signature).toBe(signature)
        expect(bodyToNeutral(signature, decoded.body).map(kept)).toEqual(body.map(kept))
      }
    })
  })

  test('encodes to the bytes of the reference, whatever shapes the values have', () => {
    forEvery({ large: true }, (message) => {
      if (IS_CHANGED.test(JSON.stringify(message.body))) return
      for (const byteOrder of ORDERS) {
        const options = { byteOrder, fieldOrder: WRITTEN_ORDER }
        const expected = hexOf(encodeMarked(message.header, message.signature, message.body, options).bytes)
        for (const shapes of [{ dict: 'map' }, { dict: 'map', arrays: 'plain' }] as const) {
          const input = inputOf(message, bodyFromNeutral(message.body, shapes))
          expect(hexOf(codec.encode(input, { byteOrder }))).toBe(expected)
          expect(Buffer.concat(codec.encodeSegments(input, { byteOrder })).toString('hex')).toBe(expected)
        }
        const objects = inputOf(message, bodyFromNeutral(message.body))
        const decoded = codec.decode(codec.encode(objects, { byteOrder }))
        expect(bodyToNeutral(message.signature, decoded.body).map(kept)).toEqual(message.body.map(kept))
      }
    })
  })

  test('marshals and unmarshals as the reference does, at every offset', () => {
    forEvery({}, ({ signature, body }) => {
      if (IS_CHANGED.test(JSON.stringify(body))) return
      const values = bodyFromNeutral(body, { dict: 'map' })
      for (const byteOrder of ORDERS) {
        for (const offset of [0, 1, 4, 7]) {
          const expected = referenceMarshal(signature, body, { byteOrder, offset })
          const bytes = codec.marshal(signature, values, { byteOrder, offset })
          expect(hexOf(bytes)).toBe(hexOf(expected))
          const read = codec.unmarshal(signature, bytes, { byteOrder, offset })
          const again = referenceUnmarshal(signature, expected, { byteOrder, offset })
          expect(bodyToNeutral(signature, read).map(kept)).toEqual(again.map(kept))
        }
      }
    })
  })

  test('swaps as the reference does', () => {
    forEvery({ large: true, duplicateKeys: true, fieldTen: true }, ({ bytes }) => {
      const swapped = codec.swap(bytes)
      expect(hexOf(swapped)).toBe(hexOf(referenceSwap(bytes)))
      expect(hexOf(codec.swap(swapped))).toBe(hexOf(bytes))
    })
  })

  test('finds the fault of the reference in a message with one rule broken, or several', () => {
    const source = seededSource(seed)
    const wrong: string[] = []
    for (let i = 0; i < RUNS * 10; i++) {
      const message = generateMessage(source, { large: i % 50 === 0 })
      const { bytes, breakers } = i % 2 === 0 ? breakMessage(source, message) : breakSeveral(source, message)
      const names = breakers.map(({ name }) => name).join(', ')
      const expected = expectedVerdict(bytes)
      const got = verdictOf(bytes)
      if (got !== expected) wrong.push(`${names}: ${got}, not ${expected}: ${hexOf(bytes).slice(0, 2000)}`)
      const light = verdictOf(bytes, trusting)
      const lightly = expectedVerdict(bytes, true)
      if (light !== lightly) wrong.push(`structure, ${names}: ${light}, not ${lightly}: ${hexOf(bytes).slice(0, 2000)}`)
    }
    expect(wrong.slice(0, 10)).toEqual([])
  })

  test('finds the fault of the reference at every truncation and every changed byte of a message', () => {
    const source = seededSource(seed + 1)
    const wrong: string[] = []
    for (let i = 0; i < RUNS / 50; i++) {
      let message = generateMessage(source)
      while (message.bytes.length > 400) message = generateMessage(source)
      for (const bytes of variations(message.bytes, source.below(255) + 1)) {
        const expected = expectedVerdict(bytes)
        const got = verdictOf(bytes)
        if (got !== expected) wrong.push(`${got}, not ${expected}: ${hexOf(bytes)}`)
        if (expected === 'valid') codec.decode(bytes)
      }
    }
    expect(wrong.slice(0, 10)).toEqual([])
  })
})

function* variations(bytes: Uint8Array, change: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at++) {
    yield bytes.slice(0, at)
    for (const value of [bytes[at] ^ change, bytes[at] ^ 1, 0, 255]) {
      const changed = bytes.slice()
      changed[at] = value
      yield changed
    }
  }
}
