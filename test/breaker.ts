// What breakers are made of: changes to a message's parts, and changes of bytes at the places the reference's writer marked.
import { type GeneratedMessage, once, pick, type Source, writeMessage } from './generate.ts'
import type { Mark, MarkKind, Neutral, NeutralField } from './reference/index.ts'

export interface Breaker {
  rule: string
  name: string
  codes: string[]
  parts?: (source: Source, message: GeneratedMessage) => GeneratedMessage
  bytes?: (source: Source, message: GeneratedMessage) => Uint8Array
}

export const code = (name: string) => `ERR_DBUS_${name}`

export function withBody(message: GeneratedMessage, signature: string, body: Neutral[]): GeneratedMessage {
  const fields = message.fields.filter(([field]) => field !== 8)
  fields.push([8, 'g', ['g', signature]])
  return writeMessage({ ...message, signature, body, fields })
}

/** One more value at the end of the body; alone in the body when the signature would get too long. */
export function withValue(message: GeneratedMessage, type: string, value: Neutral): GeneratedMessage {
  const fits = message.signature.length + type.length <= 255
  const [signature, body] = fits ? [message.signature, message.body] : ['', []]
  return withBody(message, signature + type, [...body, value])
}

export function withFields(message: GeneratedMessage, fields: NeutralField[]): GeneratedMessage {
  return writeMessage({ ...message, fields })
}

/** The fields with the one of this code replaced, or added at a random place. */
export function withField(source: Source, message: GeneratedMessage, field: NeutralField): GeneratedMessage {
  const fields = message.fields.filter(([other]) => other !== field[0])
  fields.splice(source.below(fields.length + 1), 0, field)
  return withFields(message, fields)
}

/** A value that has a mark of each kind, for messages without one. */
export const SAMPLES: Partial<Record<MarkKind, [type: string, value: Neutral]>> = {
  padding: [
    '(yt)',
    [
      '(',
      [
        ['y', 1],
        ['t', '2'],
      ],
    ],
  ],
  boolean: [
    'ab',
    [
      'a',
      'b',
      [
        ['b', true],
        ['b', false],
        ['b', true],
      ],
    ],
  ],
  length: ['s', ['s', 'text']],
  array: [
    'aq',
    [
      'a',
      'q',
      [
        ['q', 1],
        ['q', 2],
        ['q', 3],
      ],
    ],
  ],
  text: ['s', ['s', 'a text of some twenty']],
  path: ['o', ['o', '/a/bc']],
  nul: ['s', ['s', '']],
  signature: ['g', ['g', 'a{sv}']],
  variant: ['v', ['v', 'as', ['a', 's', []]]],
  'signature-length': ['g', ['g', 'as']],
}

const fitting = (message: GeneratedMessage, kind: MarkKind, least: number) =>
  message.marks.filter((mark) => mark.kind === kind && mark.size >= least && mark.offset + mark.size <= message.bytes.length)

/** Changes bytes at a random mark of the kind. A sample value brings one now and then, and whenever there is none. */
export function atMark(
  kind: MarkKind,
  change: (bytes: Uint8Array, mark: Mark, source: Source, message: GeneratedMessage) => void,
  least = 0,
): Required<Pick<Breaker, 'parts' | 'bytes'>> {
  const sample = SAMPLES[kind]
  return {
    parts: (source, message) => {
      const wanted = once(source, 3) || fitting(message, kind, least).length === 0
      return wanted && sample !== undefined ? withValue(message, ...sample) : message
    },
    bytes: (source, message) => {
      const bytes = message.bytes.slice()
      const marks = fitting(message, kind, least)
      if (marks.length > 0) change(bytes, pick(source, marks), source, message)
      return bytes
    },
  }
}

// Out of bounds nothing is read or written: of several breakers an earlier one may have cut the message.
export function setU32(bytes: Uint8Array, at: number, value: number, message: GeneratedMessage): void {
  if (at + 4 <= bytes.length) new DataView(bytes.buffer).setUint32(at, value, message.byteOrder === 'little')
}

export function getU32(bytes: Uint8Array, at: number, message: GeneratedMessage): number {
  return at + 4 <= bytes.length ? new DataView(bytes.buffer).getUint32(at, message.byteOrder === 'little') : 0
}

export const fixed = (rule: string, name: string, at: number, values: number[], codes: string[]): Breaker => ({
  rule,
  name,
  codes,
  bytes: (source, message) => {
    const bytes = message.bytes.slice()
    bytes[at] = pick(source, values)
    return bytes
  },
})

export const word = (rule: string, name: string, at: number, values: number[], codes: string[]): Breaker => ({
  rule,
  name,
  codes,
  bytes: (source, message) => {
    const bytes = message.bytes.slice()
    setU32(bytes, at, pick(source, values), message)
    return bytes
  },
})

export function append(bytes: Uint8Array, tail: readonly number[]): Uint8Array {
  const longer = new Uint8Array(bytes.length + tail.length)
  longer.set(bytes)
  longer.set(tail, bytes.length)
  return longer
}

/** The variant that ends the body, `y` 0, with these bytes in its place, from the signature's length on. */
export function replaceLastVariant(message: GeneratedMessage, tail: number[]): Uint8Array {
  const bytes = append(message.bytes.subarray(0, Math.max(0, message.bytes.length - 4)), tail)
  setU32(bytes, 4, getU32(bytes, 4, message) - 4 + tail.length, message)
  return bytes
}

export const characters = (text: string) => [...text].map((character) => character.charCodeAt(0))
