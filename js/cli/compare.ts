// What became of a message that was decoded and encoded again: the same bytes, or other bytes and why.
import { isDeepStrictEqual } from 'node:util'
import type { ByteOrder, Codec, Message, Variant } from '../index.ts'

export interface Comparison {
  readonly identical: boolean
  /** The bodies alone: everything after the header. */
  readonly bodyIdentical: boolean
  readonly bodyLength: number
  /** Why the bytes differ; empty when they do not. */
  readonly reasons: readonly string[]
  /** The header fields in the order of the writer, by name. */
  readonly order: string
}

/** Names of the header fields by code (D-Bus specification, "Header Fields"). */
const FIELD_NAMES = [
  'invalid',
  'path',
  'interface',
  'member',
  'error',
  'reply',
  'destination',
  'sender',
  'signature',
  'fds',
] as const
const FIELD_SIGNATURE = 8
const HEADER = 'yyyyuua(yv)'
/** Property order of ECMAScript: integer-like keys ascending, then the others as they were added. */
const KEY_ORDER = "body: an object has integer-like keys first (dict: 'map' keeps their place)"
const OTHER_BYTES = 'body: the same values in other bytes, as when a dict has a key twice'

type Field = readonly [code: number, value: Variant]

type HeaderValues = [
  order: number,
  type: number,
  flags: number,
  version: number,
  bodyLength: number,
  serial: number,
  fields: Field[],
]

interface Parts {
  readonly fixed: readonly number[]
  readonly fields: readonly Field[]
  readonly body: Uint8Array
}

/** The byte order that a valid message says it is in. */
export function byteOrderOf(bytes: Uint8Array): ByteOrder {
  return bytes[0] === 0x42 ? 'big' : 'little'
}

/** Encodes a decoded message again, in its own byte order, and compares. `mapped` is a codec that has every dict as a Map. */
export function compareAgain(codec: Codec, mapped: Codec, bytes: Uint8Array, message: Message): Comparison {
  const byteOrder = byteOrderOf(bytes)
  const again = codec.encode(message, { byteOrder })
  const from = partsOf(codec, bytes)
  const order = from.fields.map(([code]) => FIELD_NAMES[code] ?? `field ${code}`).join(' ')
  const bodyLength = from.body.length
  if (Buffer.compare(bytes, again) === 0) return { identical: true, bodyIdentical: true, bodyLength, reasons: [], order }
  const to = partsOf(codec, again)
  const bodyIdentical = Buffer.compare(from.body, to.body) === 0
  const reasons = [...compareHeaders(from, to)]
  if (!bodyIdentical) {
    const inMaps = mapped.encode(mapped.decode(bytes), { byteOrder })
    if (Buffer.compare(from.body, partsOf(mapped, inMaps).body) === 0) reasons.push(KEY_ORDER)
    else reasons.push(isDeepStrictEqual(codec.decode(again).body, message.body) ? OTHER_BYTES : 'body: other values')
  }
  if (reasons.length === 0) reasons.push('padding or lengths')
  return { identical: false, bodyIdentical, bodyLength, reasons, order }
}

function partsOf(codec: Codec, bytes: Uint8Array): Parts {
  const byteOrder = byteOrderOf(bytes)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const bodyLength = view.getUint32(4, byteOrder === 'little')
  const fieldsEnd = 16 + view.getUint32(12, byteOrder === 'little')
  const header = codec.unmarshal(HEADER, bytes.subarray(0, fieldsEnd), { byteOrder }) as unknown as HeaderValues
  const [, type, flags, version, , serial, fields] = header
  return { fixed: [type, flags, version, serial], fields, body: bytes.subarray(bytes.length - bodyLength) }
}

function* compareHeaders(from: Parts, to: Parts): Generator<string> {
  if (!isDeepStrictEqual(from.fixed, to.fixed)) yield 'type, flags or serial'
  const written = new Map(to.fields)
  const read = new Map(from.fields)
  for (const [code, value] of from.fields) {
    const again = written.get(code)
    if (again === undefined) {
      if (code === FIELD_SIGNATURE && value.value === '') yield 'an empty signature field is left out'
      else yield code < FIELD_NAMES.length ? `the field ${FIELD_NAMES[code]} is left out` : 'an unknown field is left out'
    } else if (!isDeepStrictEqual(again, value)) yield `the field ${FIELD_NAMES[code] ?? code} has another value`
  }
  for (const [code] of to.fields) if (!read.has(code)) yield `the field ${FIELD_NAMES[code] ?? code} is added`
  const common = ({ fields }: Parts, other: ReadonlyMap<number, unknown>) =>
    fields.map(([code]) => code).filter((code) => other.has(code))
  if (!isDeepStrictEqual(common(from, written), common(to, read))) yield "field order: the writer's is not ours"
}
