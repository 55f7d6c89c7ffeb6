// Headers alone: to route by, to change, to prepare; and the body later.
import { describe, expect, test } from 'vitest'
import { createCodec, isDBusCodecError, type MessageInput, Variant } from '../js/index.ts'
import { corpusBytes, corpusDirectories, corpusRecords } from './corpus.ts'
import { ENGINES } from './engines.ts'
import { bodyStart, hexOf, signalOf } from './messages.ts'
import { referenceDecode } from './reference/index.ts'

const call: MessageInput = {
  type: 1,
  flags: 4,
  serial: 77,
  path: '/org/example/Object',
  interface: 'org.example.Interface',
  member: 'Member',
  destination: 'org.example.Service',
  signature: 'sa{sv}ay',
  body: ['text', { k: new Variant('u', 7) }, new Uint8Array(300).fill(9)],
}

const VALUES = {
  path: '/other',
  interface: 'other.Interface',
  member: 'Other',
  errorName: 'other.Error',
  replySerial: 4294967295,
  destination: ':1.2',
  sender: ':1.42',
  unixFds: 3,
} as const

type Field = keyof typeof VALUES
const FIELDS = Object.keys(VALUES) as Field[]

function codeOf(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    if (isDBusCodecError(error)) return error.code
    throw error
  }
  throw new Error('nothing was thrown')
}

const bodyOf = (bytes: Uint8Array) => hexOf(bytes.subarray(bodyStart(bytes)))

describe.each(ENGINES)('engine %s', (engine) => {
  const codec = createCodec({ engine })
  const little = codec.encode(call)
  const big = codec.encode(call, { byteOrder: 'big' })

  describe('decodeHeader and decodeBody', () => {
    test('give together what decode gives', () => {
      for (const bytes of [little, big]) {
        const header = codec.decodeHeader(bytes)
        const { body, ...rest } = codec.decode(bytes)
        expect(header).toEqual(rest)
        expect('body' in header).toBe(false)
        expect(codec.decodeBody(header, bytes)).toEqual(body)
      }
    })

    test('keep apart headers of several messages', () => {
      const other = codec.encode({ ...call, signature: 'u', body: [1] }, { byteOrder: 'big' })
      const headers = [little, other, big].map((bytes) => codec.decodeHeader(bytes))
      expect(codec.decodeBody(headers[0], little)).toEqual(call.body)
      expect(codec.decodeBody(headers[1], other)).toEqual([1])
      expect(codec.decodeBody(headers[2], big)).toEqual(call.body)
    })

    test('find a fault where it is: in the header at once, in the body later, at the same offset', () => {
      const bytes = signalOf('sb', `0100000061000000${'02000000'}`)
      const header = codec.decodeHeader(bytes)
      expect(header.signature).toBe('sb')
      expect(() => codec.decodeBody(header, bytes)).toThrow(`at byte ${bodyStart(bytes) + 8}`)
      const bad = little.slice()
      bad[1] = 0
      expect(codeOf(() => codec.decodeHeader(bad))).toBe('ERR_DBUS_MESSAGE_TYPE')
    })

    test('agree with decode on the corpus', () => {
      const records = corpusRecords(corpusDirectories()[0], 'hostile').filter(({ parts }) => parts === undefined)
      for (const record of records) {
        const bytes = corpusBytes(record)
        const whole = outcomeOf(() => codec.decode(bytes))
        const apart = outcomeOf(() => {
          const header = codec.decodeHeader(bytes)
          return { ...header, body: codec.decodeBody(header, bytes) }
        })
        // Without the body, bytes after the message are found before a fault in it.
        const trailing = typeof whole === 'string' && /^ERR_DBUS_TRAILING_BYTES/.test(String(apart))
        if (!trailing) expect(apart, record.name).toEqual(whole)
      }
    })

    test('resolve descriptors', () => {
      const bytes = codec.encode({ ...call, unixFds: 1, signature: 'h', body: [0] })
      const header = codec.decodeHeader(bytes)
      expect(codec.decodeBody(header, bytes)).toEqual([0])
      expect(codec.decodeBody(header, bytes, { fds: ['fd'] })).toEqual(['fd'])
    })
  })

  function outcomeOf(action: () => unknown): unknown {
    try {
      return action()
    } catch (error) {
      if (!isDBusCodecError(error)) throw error
      return `${error.code} at ${error.offset}`
    }
  }

  describe('setHeaderField', () => {
    test.each(FIELDS)('adds or replaces %s, and changes nothing else', (field) => {
      for (const bytes of [little, big]) {
        const before = hexOf(bytes)
        const changed = codec.setHeaderField(bytes, field, VALUES[field] as never)
        expect(hexOf(bytes)).toBe(before)
        expect(changed[0]).toBe(bytes[0])
        expect(codec.validate(changed)).toEqual({ valid: true })
        expect(codec.decode(changed)).toEqual({ ...codec.decode(bytes), [field]: VALUES[field] })
        expect(bodyOf(changed)).toBe(bodyOf(bytes))
        const replaced = codec.setHeaderField(changed, field, codec.decode(changed)[field] as never)
        expect(hexOf(replaced)).toBe(hexOf(changed))
      }
    })

    test('removes a field with undefined, and leaves an absent one absent', () => {
      for (const bytes of [little, big]) {
        const without = codec.setHeaderField(bytes, 'destination', undefined)
        expect(codec.decode(without)).toEqual({ ...codec.decode(bytes), destination: undefined })
        expect(bodyOf(without)).toBe(bodyOf(bytes))
        expect(hexOf(codec.setHeaderField(bytes, 'sender', undefined))).toBe(hexOf(bytes))
        const added = codec.setHeaderField(bytes, 'sender', ':1.42')
        expect(hexOf(codec.setHeaderField(added, 'sender', undefined))).toBe(hexOf(bytes))
      }
    })

    test('keeps the order of the others and the fields it does not know', () => {
      for (const record of corpusRecords(corpusDirectories()[0], 'hostile.jsonl')) {
        if (record.valid !== true) continue
        const bytes = corpusBytes(record)
        const changed = codec.setHeaderField(bytes, 'sender', ':1.42')
        const others = (message: Uint8Array) => referenceDecode(message).header.fields.filter(([code]) => code !== 7)
        expect(others(changed), record.name).toEqual(others(bytes))
        expect(referenceDecode(changed).header.sender).toBe(':1.42')
        expect(bodyOf(changed), record.name).toBe(bodyOf(bytes))
      }
    })

    test('refuses a value that the field cannot have, a message that is not valid, a name that is no field', () => {
      expect(codeOf(() => codec.setHeaderField(little, 'sender', 'a'))).toBe('ERR_DBUS_SENDER')
      expect(codeOf(() => codec.setHeaderField(little, 'path', 'a'))).toBe('ERR_DBUS_OBJECT_PATH')
      expect(codeOf(() => codec.setHeaderField(little, 'replySerial', 0))).toBe('ERR_DBUS_REPLY_SERIAL')
      expect(codeOf(() => codec.setHeaderField(little, 'member', 5 as never))).toBe('ERR_DBUS_VALUE_TYPE')
      expect(codeOf(() => codec.setHeaderField(little, 'member', undefined))).toBe('ERR_DBUS_MISSING_MEMBER')
      expect(codeOf(() => codec.setHeaderField(little.subarray(0, -1), 'sender', ':1.1'))).toBe('ERR_DBUS_INCOMPLETE')
      expect(() => codec.setHeaderField(little, 'color' as never, 'red' as never)).toThrow(TypeError)
    })

    test('does not carry a header over 64 MiB or a message over 128 MiB', () => {
      const small = createCodec({ engine, maxMessageLength: little.length })
      expect(codeOf(() => small.setHeaderField(little, 'sender', `a.${'b'.repeat(200)}`))).toBe('ERR_DBUS_MESSAGE_LENGTH')
    })
  })

  describe('prepare', () => {
    const { serial: _, body: __, ...template } = call

    test('encodes what encode does, for every serial and body', () => {
      for (const byteOrder of ['little', 'big'] as const) {
        const prepared = codec.prepare(template, { byteOrder })
        for (const serial of [1, 255, 256, 65536, 4294967295]) {
          for (const text of ['', 'text', 'é'.repeat(300), 'x'.repeat(70_000)]) {
            const body = [text, {}, new Uint8Array(text.length)] as never
            expect(hexOf(prepared.encode(serial, body))).toBe(hexOf(codec.encode({ ...template, serial, body }, { byteOrder })))
          }
        }
      }
    })

    test('gives each message bytes of its own', () => {
      const prepared = codec.prepare({ type: 1, path: '/a', member: 'M', signature: 's' })
      const first = prepared.encode(1, ['first'])
      const second = prepared.encode(2, ['second'])
      expect(codec.decode(first)).toMatchObject({ serial: 1, body: ['first'] })
      first.fill(0)
      expect(codec.decode(second)).toMatchObject({ serial: 2, body: ['second'] })
      expect(codec.decode(prepared.encode(3, ['third']))).toMatchObject({ serial: 3, body: ['third'] })
    })

    test('needs no body without a signature', () => {
      const prepared = codec.prepare({ type: 1, path: '/a', member: 'M' })
      expect(codec.decode(prepared.encode(5)).body).toEqual([])
      expect(hexOf(prepared.encode(5, []))).toBe(hexOf(prepared.encode(5)))
    })

    test('refuses a bad header at once, a bad serial or body when encoding', () => {
      expect(codeOf(() => codec.prepare({ type: 1, path: '/a' }))).toBe('ERR_DBUS_MISSING_MEMBER')
      expect(codeOf(() => codec.prepare({ type: 1, path: '/a', member: 'a.b' }))).toBe('ERR_DBUS_MEMBER')
      expect(codeOf(() => codec.prepare({ type: 1, path: '/a', member: 'M', signature: 'a' as string }))).toBe(
        'ERR_DBUS_ARRAY_ELEMENT',
      )
      const prepared = codec.prepare({ type: 1, path: '/a', member: 'M', signature: 'su' })
      expect(codeOf(() => prepared.encode(0, ['a', 1]))).toBe('ERR_DBUS_SERIAL')
      expect(codeOf(() => prepared.encode(4294967296, ['a', 1]))).toBe('ERR_DBUS_VALUE_RANGE')
      expect(codeOf(() => prepared.encode(1, ['a'] as never))).toBe('ERR_DBUS_VALUE_COUNT')
      expect(() => prepared.encode(1, ['a', 'b'] as never)).toThrow('body[1]')
      expect(codec.validate(prepared.encode(1, ['a', 1]))).toEqual({ valid: true })
    })

    test('survives many other signatures and texts', () => {
      const prepared = codec.prepare(template)
      const expected = hexOf(codec.encode(call))
      for (let i = 0; i < 3000; i++) {
        const signature: string = `${'y'.repeat(i % 200)}s(us)`
        codec.marshal(signature, [...Array(i % 200).fill(1), `${i}`, [i, `t${i}`]])
      }
      expect(hexOf(prepared.encode(77, call.body as never))).toBe(expected)
    })
  })

  describe('messageLength', () => {
    test('is known from the first 16 bytes and not before', () => {
      for (const bytes of [little, big]) {
        for (let length = 0; length < 16; length++) expect(codec.messageLength(bytes.subarray(0, length))).toBeUndefined()
        expect(codec.messageLength(bytes.subarray(0, 16))).toBe(bytes.length)
        expect(codec.messageLength(new Uint8Array([...bytes, 1, 2, 3]))).toBe(bytes.length)
      }
    })

    test('refuses what no message claims', () => {
      const claim = (at: number, value: number) => {
        const bytes = Buffer.from(little.subarray(0, 16))
        bytes.writeUInt32LE(value, at)
        return bytes
      }
      expect(codeOf(() => codec.messageLength(Buffer.alloc(16)))).toBe('ERR_DBUS_BYTE_ORDER')
      expect(codeOf(() => codec.messageLength(claim(12, 67108865)))).toBe('ERR_DBUS_FIELDS_LENGTH')
      expect(codeOf(() => codec.messageLength(claim(12, 4294967295)))).toBe('ERR_DBUS_FIELDS_LENGTH')
      expect(codeOf(() => codec.messageLength(claim(4, 134217729)))).toBe('ERR_DBUS_BODY_LENGTH')
      expect(codeOf(() => codec.messageLength(claim(4, 134217728)))).toBe('ERR_DBUS_MESSAGE_LENGTH')
    })
  })
})
