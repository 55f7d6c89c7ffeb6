// A message from its parts: specification, "Message Format".
import type { Neutral, NeutralField, NeutralHeader } from './neutral.ts'
import { parseTypes } from './signature.ts'
import { type Mark, Writer } from './write.ts'

export type ByteOrder = 'little' | 'big'

/** What a message needs to be written. Whatever is left out is absent; `version` is 1. */
export type HeaderInput = Partial<Omit<NeutralHeader, 'endian' | 'signature' | 'fields'>>

export interface EncodeOptions {
  byteOrder?: ByteOrder
  /** Known fields in this order (those that are present). */
  fieldOrder?: readonly number[]
  /** All fields as they are to stand in the message: overrides the header's properties, `signature` and `fieldOrder`. */
  fields?: NeutralField[]
  /** Write a SIGNATURE field for an empty signature as well. */
  emptySignature?: boolean
}

/** dbus-daemon's and libdbus's usual order, the sender last. */
export const FIELD_ORDER: readonly number[] = [1, 6, 2, 3, 4, 5, 8, 9, 7]

/** The fields of a header in the order asked for. */
export function fieldsOf(header: HeaderInput, signature: string, options: EncodeOptions = {}): NeutralField[] {
  const fields: NeutralField[] = []
  for (const code of options.fieldOrder ?? FIELD_ORDER) {
    const field = fieldOf(code, header, signature, options.emptySignature ?? false)
    if (field !== undefined) fields.push(field)
  }
  return fields
}

function fieldOf(code: number, header: HeaderInput, signature: string, empty: boolean): NeutralField | undefined {
  const text = (type: 's' | 'o', value: string | null | undefined): NeutralField | undefined =>
    value === null || value === undefined ? undefined : [code, type, [type, value]]
  const number = (value: number | null | undefined): NeutralField | undefined =>
    value === null || value === undefined ? undefined : [code, 'u', ['u', value]]
  switch (code) {
    case 1:
      return text('o', header.path)
    case 2:
      return text('s', header.interface)
    case 3:
      return text('s', header.member)
    case 4:
      return text('s', header.error)
    case 5:
      return number(header.reply_serial)
    case 6:
      return text('s', header.destination)
    case 7:
      return text('s', header.sender)
    case 8:
      return signature === '' && !empty ? undefined : [8, 'g', ['g', signature]]
    case 9:
      return number(header.unix_fds)
    default:
      throw new Error(`not a known field: ${code}`)
  }
}

/** The bytes of a message, and what stands where. */
export function encodeMarked(
  header: HeaderInput,
  signature: string,
  body: Neutral[],
  options: EncodeOptions = {},
): { bytes: Uint8Array; marks: Mark[] } {
  const little = (options.byteOrder ?? 'little') === 'little'
  const writer = new Writer(little)
  writer.bytes.push(little ? 0x6c : 0x42, header.type ?? 0, header.flags ?? 0, header.version ?? 1)
  writer.writeInteger(0n, 4)
  writer.writeInteger(BigInt(header.serial ?? 0), 4)
  writer.writeFields(options.fields ?? fieldsOf(header, signature, options))
  writer.align(8)
  const bodyStart = writer.bytes.length
  writer.writeAll(parseTypes(signature), body)
  writer.patchLength(4, writer.bytes.length - bodyStart)
  return { bytes: Uint8Array.from(writer.bytes), marks: writer.marks }
}
