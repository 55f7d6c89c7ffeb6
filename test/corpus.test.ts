// The product against the corpus: every verdict, every value, every valid message there and back, on every engine.
import { afterAll, describe, expect, test } from 'vitest'
import { createCodec, type Message } from '../js/index.ts'
import { type CorpusRecord, corpusBytes, corpusDirectories, corpusRecords, corpusValues } from './corpus.ts'
import { ENGINES } from './engines.ts'
import { bodyStart, hexOf, WRITTEN_ORDER } from './messages.ts'
import { bodyToNeutral, isLossless, kept } from './neutral.ts'
import { type Neutral, type NeutralMessage, referenceDecode, referenceSwap, referenceValidate } from './reference/index.ts'

// Cut and bad at once: the label names what is bad; we, as libdbus, ask first whether the message is all there.
const CUT_AND_BAD = ['mutant-props-le-del-11', 'mutant-error-be-ins-19']

// Hosts that emulate another processor leave out what takes a gigabyte or a minute there.
const LIGHT = process.env.DBUS_CODEC_TEST_LIGHT === '1'

const DIRECTORIES = corpusDirectories().map((directory) => [directory.split('/').at(-2) as string, directory] as const)

const label = ({ file, name }: CorpusRecord) => `${file} ${name}`

/** What a decoded message says, in the form of values.jsonl. */
function factsOf(bytes: Uint8Array, message: Omit<Message, 'body'> & { body: readonly unknown[] }) {
  return {
    endian: String.fromCharCode(bytes[0]),
    type: message.type,
    flags: message.flags,
    version: bytes[3],
    serial: message.serial,
    path: message.path ?? null,
    interface: message.interface ?? null,
    member: message.member ?? null,
    error: message.errorName ?? null,
    reply_serial: message.replySerial ?? null,
    destination: message.destination ?? null,
    sender: message.sender ?? null,
    signature: message.signature,
    unix_fds: message.unixFds ?? null,
    body: bodyToNeutral(message.signature, message.body).map(kept),
  }
}

function expectedFacts({ header: { fields: _, ...header }, body }: NeutralMessage) {
  return { ...header, body: body.map(kept) }
}

/** Whether the writer put the fields as we do, and none that a Message does not hold. */
function isOurOrder({ header }: NeutralMessage): boolean {
  const codes = header.fields.map(([code]) => code)
  const ours = WRITTEN_ORDER.filter((code) => codes.includes(code))
  const emptySignature = header.signature === '' && codes.includes(8)
  return codes.join() === ours.join() && !emptySignature
}

describe.each(ENGINES)('engine %s', (engine) => {
  const codec = createCodec({ engine })
  const byMap = createCodec({ engine, dict: 'map' })

  test('is the one asked for', () => {
    expect(codec.engine.name).toBe(engine)
  })

  describe.each(DIRECTORIES)('corpus %s', (_, directory) => {
    const records = corpusRecords(directory).filter(({ parts }) => parts === undefined)
    const valid = records.filter((record) => record.valid === true)

    test('gives every verdict that is not open, with the code and offset of the reference', () => {
      const wrong: string[] = []
      for (const record of records) {
        const bytes = corpusBytes(record)
        const reference = referenceValidate(bytes)
        const expected = reference.valid ? 'valid' : `${reference.code} at ${reference.offset}`
        const verdict = codec.validate(bytes)
        const got = verdict.valid ? 'valid' : `${verdict.error.code} at ${verdict.error.offset}`
        if (record.valid !== null && verdict.valid !== record.valid) wrong.push(`${label(record)}: ${got}`)
        if (got !== expected) wrong.push(`${label(record)}: ${got}, not ${expected}`)
        const more = !verdict.valid && verdict.error.code === 'ERR_DBUS_INCOMPLETE'
        const cut = record.expect === 'more' && !CUT_AND_BAD.includes(record.name)
        if (record.expect === 'bad' && more && !CUT_AND_BAD.includes(record.name)) wrong.push(`${label(record)}: incomplete`)
        if (cut && !more) wrong.push(`${label(record)}: not incomplete`)
      }
      expect(wrong).toEqual([])
    })

    test('decodes what it validates, and refuses the rest with the same error', () => {
      const wrong: string[] = []
      for (const record of records) {
        const bytes = corpusBytes(record)
        const verdict = codec.validate(bytes)
        try {
          codec.decode(bytes)
          if (!verdict.valid) wrong.push(`${label(record)}: decoded`)
        } catch (error) {
          const { code, offset } = error as { code: string; offset: number }
          const same = !verdict.valid && verdict.error.code === code && verdict.error.offset === offset
          if (!same) wrong.push(`${label(record)}: ${error}`)
        }
      }
      expect(wrong).toEqual([])
    })

    test('gives every value as libdbus does', () => {
      const named = new Map(records.map((record) => [label(record), record]))
      const values = corpusValues(directory)
      for (const { file, name, value } of values) {
        const bytes = corpusBytes(named.get(`${file} ${name}`) as CorpusRecord)
        const expected = { ...value, body: (value.body as Neutral[]).map(kept) }
        for (const some of [codec, byMap]) expectSame(factsOf(bytes, some.decode(bytes)), expected, `${file} ${name}`)
      }
      expect(values.length).toBeGreaterThan(0)
    })

    test('gives every other value as the reference does, in either byte order', () => {
      for (const record of valid) {
        const bytes = corpusBytes(record)
        for (const same of [bytes, referenceSwap(bytes)]) {
          expectSame(factsOf(same, codec.decode(same)), expectedFacts(referenceDecode(same)), label(record))
        }
      }
    })

    test('swaps every valid message as the reference does, and back to the same bytes', () => {
      const wrong: string[] = []
      for (const record of valid) {
        const bytes = corpusBytes(record)
        const swapped = codec.swap(bytes)
        if (Buffer.compare(swapped, referenceSwap(bytes)) !== 0) wrong.push(`${label(record)}: swapped to ${hexOf(swapped)}`)
        else if (Buffer.compare(codec.swap(swapped), bytes) !== 0) wrong.push(`${label(record)}: swapped twice`)
      }
      expect(wrong).toEqual([])
    })

    const counts = { identical: 0, body: 0, messages: 0 }
    afterAll(() => console.log(`${engine}, ${counts.messages} messages: ${counts.identical} identical, ${counts.body} in body`))

    test('encodes every valid message to itself, but for field order and what values cannot hold', () => {
      const wrong: string[] = []
      for (const record of valid) {
        const bytes = corpusBytes(record)
        const message = byMap.decode(bytes)
        const byteOrder = bytes[0] === 0x6c ? 'little' : 'big'
        const again = byMap.encode(message, { byteOrder })
        const reference = referenceDecode(bytes)
        const sameBody = Buffer.compare(again.subarray(bodyStart(again)), bytes.subarray(bodyStart(bytes))) === 0
        const same = Buffer.compare(again, bytes) === 0
        if (isLossless(reference.body) && !sameBody) wrong.push(`${label(record)}: body ${hexOf(again)}`)
        if (isLossless(reference.body) && isOurOrder(reference) && !same) wrong.push(`${label(record)}: ${hexOf(again)}`)
        expectSame(factsOf(again, byMap.decode(again)), factsOf(bytes, message), label(record))
        counts.messages++
        if (same) counts.identical++
        else if (sameBody) counts.body++
      }
      expect(wrong).toEqual([])
    })

    test('encodes the default shapes to a message that decodes to the same', () => {
      for (const record of valid) {
        const bytes = corpusBytes(record)
        const message = codec.decode(bytes)
        for (const byteOrder of ['little', 'big'] as const) {
          const again = codec.encode(message, { byteOrder })
          const endian = byteOrder === 'little' ? 'l' : 'B'
          expectSame(factsOf(again, codec.decode(again)), { ...factsOf(bytes, message), endian }, label(record))
        }
      }
    })
  })

  test.skipIf(LIGHT).each(corpusRecords(DIRECTORIES[0][1], 'hostile-large'))(
    'judges $name',
    (record) => {
      const verdict = codec.validate(corpusBytes(record))
      expect(verdict.valid).toBe(record.valid)
    },
    60_000,
  )
})

// A string is compared a hundred times faster than a tree; the tree is for the message of a failure.
function expectSame(got: object, expected: object, what: string): void {
  if (JSON.stringify(got) !== JSON.stringify(expected)) expect(got, what).toEqual(expected)
}
