// How long a message says it is. The framer asks it of a stream, the codec of a whole message: one answer for both.
import { DBusCodecError, type Fault } from './errors.ts'
import {
  FAULT_BODY_LENGTH,
  FAULT_BYTE_ORDER,
  FAULT_FIELDS_LENGTH,
  FAULT_MESSAGE_LENGTH,
  HEADER_BODY_LENGTH,
  HEADER_FIELDS,
  HEADER_FIELDS_LENGTH,
  MAX_ARRAY_LENGTH,
  MAX_MESSAGE_LENGTH,
  ORDER_BIG,
  ORDER_LITTLE,
} from './wire.ts'

/**
 * The length of the message that starts at `bytes[at]`, or minus the number of the fault that its first 16 bytes have
 * (which must be there).
 *
 * Peers claim what they like, so nothing is believed before every limit of the specification ("Message Format") was
 * compared, and all arithmetic is on doubles: 64 MiB + 128 MiB + 23 is exact, where int32 would wrap.
 *
 * @internal
 */
export function claimedLength(bytes: Uint8Array, at: number, maxMessageLength: number): number {
  const order = bytes[at]
  if (order !== ORDER_LITTLE && order !== ORDER_BIG) return -FAULT_BYTE_ORDER
  const fields = uint32(bytes, at + HEADER_FIELDS_LENGTH, order === ORDER_LITTLE)
  if (fields > MAX_ARRAY_LENGTH) return -FAULT_FIELDS_LENGTH
  const body = uint32(bytes, at + HEADER_BODY_LENGTH, order === ORDER_LITTLE)
  if (body > MAX_MESSAGE_LENGTH) return -FAULT_BODY_LENGTH
  const length = HEADER_FIELDS + Math.ceil(fields / 8) * 8 + body
  return length > maxMessageLength ? -FAULT_MESSAGE_LENGTH : length
}

/** Where in the message a refused claim stands; the convention is the one of assembly/shared/faults.ts. @internal */
export function claimOffset(fault: number): number {
  if (fault === FAULT_BYTE_ORDER) return 0
  return fault === FAULT_FIELDS_LENGTH ? HEADER_FIELDS_LENGTH : HEADER_BODY_LENGTH
}

/**
 * The length in bytes of the message that `bytes` starts with, header and padding included, from its first 16 bytes (specification,
 * "Message Format"); `undefined` while there are fewer. Nothing else of the message is looked at.
 *
 * @param maxMessageLength - in bytes; by default the specification's limit, 134217728
 * @throws DBusCodecError for what no message may claim: ERR_DBUS_BYTE_ORDER (`offset` 0), ERR_DBUS_FIELDS_LENGTH (12),
 * ERR_DBUS_BODY_LENGTH or ERR_DBUS_MESSAGE_LENGTH (4)
 */
export function messageLength(bytes: Uint8Array, maxMessageLength: number = MAX_MESSAGE_LENGTH): number | undefined {
  checkedMaximum(maxMessageLength)
  if (typeof bytes?.length !== 'number') throw new TypeError('the message must be a Uint8Array')
  if (bytes.length < HEADER_FIELDS) return undefined
  const length = claimedLength(bytes, 0, maxMessageLength)
  if (length < 0) throw new DBusCodecError(-length as Fault, { offset: claimOffset(-length) })
  return length
}

/** The option `maxMessageLength` of codec and framer, checked. @internal */
export function checkedMaximum(maxMessageLength: unknown = MAX_MESSAGE_LENGTH): number {
  if (!Number.isInteger(maxMessageLength) || !within(maxMessageLength as number)) {
    throw new TypeError(`maxMessageLength must be an integer from ${HEADER_FIELDS} to ${MAX_MESSAGE_LENGTH}`)
  }
  return maxMessageLength as number
}

function within(length: number): boolean {
  return length >= HEADER_FIELDS && length <= MAX_MESSAGE_LENGTH
}

function uint32(bytes: Uint8Array, at: number, little: boolean): number {
  const word = little
    ? bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)
    : (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]
  return word >>> 0
}
