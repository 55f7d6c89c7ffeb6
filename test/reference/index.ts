// The reference codec: slow and obvious, written from the specification and libdbus's order of checks. It is the oracle of
// the product's tests, shares no code with the product and is never shipped. Offsets follow assembly/shared/faults.ts.
import { type ByteOrder, type EncodeOptions, encodeMarked, type HeaderInput } from './encode.ts'
import { ReferenceFault, type Verdict, verdictOf } from './fault.ts'
import { type MessageOptions, readMessage } from './header.ts'
import * as names from './names.ts'
import type { Neutral, NeutralMessage } from './neutral.ts'
import { Reader } from './read.ts'
import { checkSignature, parseTypes } from './signature.ts'
import { swapMessage } from './swap.ts'
import { bytesOfText, charactersOf } from './utf8.ts'
import { Writer } from './write.ts'

export { type ByteOrder, type EncodeOptions, encodeMarked, FIELD_ORDER, fieldsOf, type HeaderInput } from './encode.ts'
export { ReferenceFault, type Verdict } from './fault.ts'
export type { Neutral, NeutralField, NeutralHeader, NeutralMessage } from './neutral.ts'
export { alignmentOf, fixedSizeOf, parseTypes, type Type } from './signature.ts'
export type { Mark, MarkKind } from './write.ts'

/** Whether the bytes are exactly one valid message. */
export function referenceValidate(bytes: Uint8Array, options: MessageOptions = {}): Verdict {
  return verdictOf(() => readMessage(bytes, { keep: false, ...options }))
}

/** Header and body; throws {@link ReferenceFault}. */
export function referenceDecode(bytes: Uint8Array, options: MessageOptions = {}): NeutralMessage {
  return readMessage(bytes, options)
}

/** The message's bytes. Nothing is checked: an invalid message is written as told. */
export function referenceEncode(
  header: HeaderInput,
  signature: string,
  body: Neutral[],
  options: EncodeOptions = {},
): Uint8Array {
  return encodeMarked(header, signature, body, options).bytes
}

export interface MarshalOptions {
  byteOrder?: ByteOrder
  /** Where the bytes begin in their message; offsets of faults count from the bytes' own start. */
  offset?: number
  structure?: boolean
}

/** Body values alone. */
export function referenceMarshal(signature: string, values: Neutral[], options: MarshalOptions = {}): Uint8Array {
  const writer = new Writer((options.byteOrder ?? 'little') === 'little', options.offset ?? 0)
  writer.writeAll(parseTypes(signature), values)
  return Uint8Array.from(writer.bytes)
}

export function referenceUnmarshal(signature: string, bytes: Uint8Array, options: MarshalOptions = {}): Neutral[] {
  checkSignature(signature)
  const reader = new Reader(bytes, {
    little: (options.byteOrder ?? 'little') === 'little',
    base: options.offset ?? 0,
    structure: options.structure ?? false,
  })
  const values = reader.readAll(parseTypes(signature), 0)
  if (reader.position < bytes.length) throw new ReferenceFault('ERR_DBUS_TOO_MUCH_DATA', reader.position)
  return values
}

/** The same message in the other byte order, padding zero; throws {@link ReferenceFault} when it is not valid. */
export function referenceSwap(bytes: Uint8Array): Uint8Array {
  return swapMessage(bytes)
}

export function referenceSignature(signature: string): Verdict {
  return verdictOf(() => checkSignature(signature))
}

const nameCheck = (find: (characters: string) => number) => (text: string) => find(charactersOf(bytesOfText(text))) < 0

export const referenceIsInterfaceName = nameCheck(names.findInterfaceFault)
export const referenceIsErrorName = nameCheck(names.findErrorNameFault)
export const referenceIsMemberName = nameCheck(names.findMemberFault)
export const referenceIsBusName = nameCheck(names.findBusNameFault)
export const referenceIsObjectPath = nameCheck(names.findObjectPathFault)
