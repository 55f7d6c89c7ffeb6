// One class, one table. A fault is a number in assembly/shared/faults.ts; here it gets its stable code and its sentence.
import * as F from '../assembly/shared/faults.ts'

/** The numbers a fault can have: every FAULT_ constant but FAULT_NONE. */
export type Fault = Exclude<{ [K in keyof typeof F]: K extends `FAULT_${string}` ? (typeof F)[K] : never }[keyof typeof F], 0>

type Row = readonly [code: `ERR_DBUS_${string}`, sentence: string]

/** Number to code to sentence. A number without a row does not type-check. */
export const FAULTS: { readonly [K in Fault]: Row } = {
  [F.FAULT_BYTE_ORDER]: ['ERR_DBUS_BYTE_ORDER', 'the first byte is neither "l" nor "B"'],
  [F.FAULT_FIELDS_LENGTH]: ['ERR_DBUS_FIELDS_LENGTH', 'the header field array claims more than 64 MiB'],
  [F.FAULT_BODY_LENGTH]: ['ERR_DBUS_BODY_LENGTH', 'the body claims more than 128 MiB'],
  [F.FAULT_MESSAGE_LENGTH]: ['ERR_DBUS_MESSAGE_LENGTH', 'the message is longer than the maximum'],
  [F.FAULT_INCOMPLETE]: ['ERR_DBUS_INCOMPLETE', 'the message is not complete'],
  [F.FAULT_TRAILING_BYTES]: ['ERR_DBUS_TRAILING_BYTES', 'bytes follow the message'],
  [F.FAULT_NOT_ENOUGH_DATA]: ['ERR_DBUS_NOT_ENOUGH_DATA', 'the data ends inside a value'],
  [F.FAULT_PADDING]: ['ERR_DBUS_PADDING', 'alignment padding is not zero'],
  [F.FAULT_BOOLEAN]: ['ERR_DBUS_BOOLEAN', 'a boolean is neither 0 nor 1'],
  [F.FAULT_LENGTH_OUT_OF_BOUNDS]: ['ERR_DBUS_LENGTH_OUT_OF_BOUNDS', 'a length runs past the end of the data'],
  [F.FAULT_ARRAY_TOO_LONG]: ['ERR_DBUS_ARRAY_TOO_LONG', 'an array is longer than 64 MiB'],
  [F.FAULT_ARRAY_LENGTH]: ['ERR_DBUS_ARRAY_LENGTH', 'an array does not end at the end of an element'],
  [F.FAULT_UTF8]: ['ERR_DBUS_UTF8', 'a string is not valid UTF-8 or has a NUL inside'],
  [F.FAULT_STRING_NUL]: ['ERR_DBUS_STRING_NUL', 'a string is not terminated by a NUL'],
  [F.FAULT_OBJECT_PATH]: ['ERR_DBUS_OBJECT_PATH', 'not a valid object path'],
  [F.FAULT_DEPTH]: ['ERR_DBUS_DEPTH', 'values are nested more than 64 levels deep'],
  [F.FAULT_TOO_MUCH_DATA]: ['ERR_DBUS_TOO_MUCH_DATA', 'the body is longer than its signature says'],
  [F.FAULT_SIGNATURE_LENGTH]: ['ERR_DBUS_SIGNATURE_LENGTH', 'a signature runs past the end of the data'],
  [F.FAULT_SIGNATURE_NUL]: ['ERR_DBUS_SIGNATURE_NUL', 'a signature is not terminated by a NUL'],
  [F.FAULT_VARIANT_SIGNATURE_LENGTH]: [
    'ERR_DBUS_VARIANT_SIGNATURE_LENGTH',
    "a variant's signature runs past the end of the data",
  ],
  [F.FAULT_VARIANT_SIGNATURE]: ['ERR_DBUS_VARIANT_SIGNATURE', "a variant's signature is not valid"],
  [F.FAULT_VARIANT_SIGNATURE_NUL]: ['ERR_DBUS_VARIANT_SIGNATURE_NUL', "a variant's signature is not terminated by a NUL"],
  [F.FAULT_VARIANT_EMPTY]: ['ERR_DBUS_VARIANT_EMPTY', "a variant's signature is empty"],
  [F.FAULT_VARIANT_MULTIPLE]: ['ERR_DBUS_VARIANT_MULTIPLE', "a variant's signature is more than one complete type"],
  [F.FAULT_TOO_MANY_VALUES]: ['ERR_DBUS_TOO_MANY_VALUES', 'the message holds more values than maxValues allows'],
  [F.FAULT_SIGNATURE_TOO_LONG]: ['ERR_DBUS_SIGNATURE_TOO_LONG', 'a signature is longer than 255 characters'],
  [F.FAULT_TYPE_CODE]: ['ERR_DBUS_TYPE_CODE', 'unknown type code in a signature'],
  [F.FAULT_ARRAY_DEPTH]: ['ERR_DBUS_ARRAY_DEPTH', 'more than 32 nested arrays in a signature'],
  [F.FAULT_STRUCT_DEPTH]: ['ERR_DBUS_STRUCT_DEPTH', 'more than 32 nested structs in a signature'],
  [F.FAULT_DICT_DEPTH]: ['ERR_DBUS_DICT_DEPTH', 'more than 32 nested dict entries in a signature'],
  [F.FAULT_STRUCT_EMPTY]: ['ERR_DBUS_STRUCT_EMPTY', 'a struct without members in a signature'],
  [F.FAULT_ARRAY_ELEMENT]: ['ERR_DBUS_ARRAY_ELEMENT', 'an array without an element type in a signature'],
  [F.FAULT_STRUCT_NOT_STARTED]: ['ERR_DBUS_STRUCT_NOT_STARTED', 'a ")" closes no struct in a signature'],
  [F.FAULT_STRUCT_NOT_ENDED]: ['ERR_DBUS_STRUCT_NOT_ENDED', 'a "(" is not closed in a signature'],
  [F.FAULT_DICT_NOT_STARTED]: ['ERR_DBUS_DICT_NOT_STARTED', 'a "}" closes no dict entry in a signature'],
  [F.FAULT_DICT_NOT_ENDED]: ['ERR_DBUS_DICT_NOT_ENDED', 'a "{" is not closed in a signature'],
  [F.FAULT_DICT_EMPTY]: ['ERR_DBUS_DICT_EMPTY', 'a dict entry without key and value in a signature'],
  [F.FAULT_DICT_ONE_FIELD]: ['ERR_DBUS_DICT_ONE_FIELD', 'a dict entry without a value in a signature'],
  [F.FAULT_DICT_MANY_FIELDS]: ['ERR_DBUS_DICT_MANY_FIELDS', 'a dict entry with more than key and value in a signature'],
  [F.FAULT_DICT_OUTSIDE_ARRAY]: ['ERR_DBUS_DICT_OUTSIDE_ARRAY', 'a dict entry outside an array in a signature'],
  [F.FAULT_DICT_KEY]: ['ERR_DBUS_DICT_KEY', 'the key of a dict entry is not a basic type in a signature'],
  [F.FAULT_MESSAGE_TYPE]: ['ERR_DBUS_MESSAGE_TYPE', 'the message type is 0'],
  [F.FAULT_PROTOCOL_VERSION]: ['ERR_DBUS_PROTOCOL_VERSION', 'the protocol version is not 1'],
  [F.FAULT_SERIAL]: ['ERR_DBUS_SERIAL', 'the serial is 0'],
  [F.FAULT_FIELD_CODE]: ['ERR_DBUS_FIELD_CODE', 'a header field has code 0'],
  [F.FAULT_FIELD_TYPE]: ['ERR_DBUS_FIELD_TYPE', 'a header field has the wrong type'],
  [F.FAULT_FIELD_TWICE]: ['ERR_DBUS_FIELD_TWICE', 'a header field appears twice'],
  [F.FAULT_LOCAL_INTERFACE]: ['ERR_DBUS_LOCAL_INTERFACE', 'the interface org.freedesktop.DBus.Local is reserved'],
  [F.FAULT_LOCAL_PATH]: ['ERR_DBUS_LOCAL_PATH', 'the path /org/freedesktop/DBus/Local is reserved'],
  [F.FAULT_INTERFACE]: ['ERR_DBUS_INTERFACE', 'not a valid interface name'],
  [F.FAULT_MEMBER]: ['ERR_DBUS_MEMBER', 'not a valid member name'],
  [F.FAULT_ERROR_NAME]: ['ERR_DBUS_ERROR_NAME', 'not a valid error name'],
  [F.FAULT_DESTINATION]: ['ERR_DBUS_DESTINATION', 'the destination is not a valid bus name'],
  [F.FAULT_SENDER]: ['ERR_DBUS_SENDER', 'the sender is not a valid bus name'],
  [F.FAULT_REPLY_SERIAL]: ['ERR_DBUS_REPLY_SERIAL', 'the reply serial is 0'],
  [F.FAULT_MISSING_INTERFACE]: ['ERR_DBUS_MISSING_INTERFACE', 'the header field INTERFACE is missing'],
  [F.FAULT_MISSING_PATH]: ['ERR_DBUS_MISSING_PATH', 'the header field PATH is missing'],
  [F.FAULT_MISSING_MEMBER]: ['ERR_DBUS_MISSING_MEMBER', 'the header field MEMBER is missing'],
  [F.FAULT_MISSING_ERROR_NAME]: ['ERR_DBUS_MISSING_ERROR_NAME', 'the header field ERROR_NAME is missing'],
  [F.FAULT_MISSING_REPLY_SERIAL]: ['ERR_DBUS_MISSING_REPLY_SERIAL', 'the header field REPLY_SERIAL is missing'],
  [F.FAULT_VALUE_TYPE]: ['ERR_DBUS_VALUE_TYPE', 'a value of the wrong kind'],
  [F.FAULT_VALUE_RANGE]: ['ERR_DBUS_VALUE_RANGE', 'a number is out of range'],
  [F.FAULT_VALUE_COUNT]: ['ERR_DBUS_VALUE_COUNT', 'the number of values differs from the number of types'],
  [F.FAULT_TEXT_NUL]: ['ERR_DBUS_TEXT_NUL', 'a text has a NUL inside'],
  [F.FAULT_TEXT_SURROGATE]: ['ERR_DBUS_TEXT_SURROGATE', 'a text has a lone surrogate'],
  [F.FAULT_UNSAFE_INTEGER]: ['ERR_DBUS_UNSAFE_INTEGER', 'a 64-bit integer is not exact as a number'],
  [F.FAULT_FD_INDEX]: ['ERR_DBUS_FD_INDEX', 'no descriptor was handed over for an index'],
  [F.FAULT_FD_COUNT]: ['ERR_DBUS_FD_COUNT', 'the number of descriptors differs from UNIX_FDS'],
}

/** Every `code` that a {@link DBusCodecError} can have; docs/errors.md has an example of each. */
export type FaultCode = (typeof FAULTS)[Fault][0]

const BRAND = Symbol.for('dbus-codec.error')

/** Where and what: the parts of a {@link DBusCodecError} beside its fault. */
export interface FaultPlace {
  /** Decoding: bytes from byte 0 of the message to the fault. */
  offset?: number | undefined
  /** Encoding: the value's path, such as `body[1]["RSSI"]`. */
  path?: string | undefined
  /** The signature being compiled, read or written, where there is one. */
  signature?: string | undefined
  /** More about this very case: "expected a number from 0 to 255, got 256". */
  detail?: string | undefined
  /** The descriptors handed over with a message that was refused: theirs to close who handed them over. */
  fds?: readonly unknown[] | undefined
  /** What was thrown by user code (a getter, a proxy, a shape). */
  cause?: unknown
}

/**
 * The one error of this package for bad input: bytes that are no valid message, values that a signature does not allow. Tell it
 * by {@link isDBusCodecError} or by `code`: two copies of the package have two classes. Wrong use of the API (an unknown option, an
 * argument of the wrong kind) is a TypeError, no room in a target a RangeError.
 */
export class DBusCodecError extends Error {
  /** One of {@link FaultCode}. Stable: compare this, not the message. docs/errors.md has an example of each. */
  readonly code: FaultCode | 'ERR_DBUS_INTERNAL'
  /**
   * Decoding: bytes from byte 0 of the message to the first byte that is wrong; for a signature given by the caller, the character.
   * `undefined` when a value was refused.
   */
  readonly offset: number | undefined
  /** Encoding: the path of the value or header field, such as `body[1]["RSSI"]` or `destination`. `undefined` for bad bytes. */
  readonly path: string | undefined
  /** The signature of the refused value, or the one being compiled, where there is one. */
  readonly signature: string | undefined
  /** The descriptors handed over with a message that was refused: still open, and the caller's to close. */
  readonly fds: readonly unknown[] | undefined

  /** @internal */
  constructor(fault: Fault, place: FaultPlace = {}) {
    const [code, sentence] = FAULTS[fault] ?? ['ERR_DBUS_INTERNAL', `unknown fault ${fault}`]
    super(sentenceOf(sentence, place), place.cause === undefined ? undefined : { cause: place.cause })
    this.code = code
    this.offset = place.offset
    this.path = place.path
    this.signature = place.signature
    this.fds = place.fds
  }
}

// On the prototype, so that own enumerable properties are only the documented ones.
Object.defineProperty(DBusCodecError.prototype, 'name', { value: 'DBusCodecError', configurable: true, writable: true })
Object.defineProperty(DBusCodecError.prototype, BRAND, { value: true })

function sentenceOf(sentence: string, place: FaultPlace): string {
  let text = sentence
  if (place.detail !== undefined) text += `: ${place.detail}`
  if (place.path !== undefined) text += `, at ${place.path}`
  if (place.offset !== undefined) text += `, at byte ${place.offset}`
  if (place.signature !== undefined) text += `, in signature "${place.signature}"`
  return text
}

/** The same fault, said of a place that the caller knows; its detail is kept unless another is given. @internal */
export function relocated(error: DBusCodecError, place: FaultPlace): DBusCodecError {
  const fault = Number(Object.entries(FAULTS).find(([, [code]]) => code === error.code)?.[0]) as Fault
  const sentence = FAULTS[fault]?.[1] ?? ''
  // The message is the sentence, the detail, and the place.
  const bare = sentenceOf(sentence, error).length
  const end = error.message.length - (bare - sentence.length)
  const detail = error.message.length > bare ? error.message.slice(sentence.length + 2, end) : undefined
  return new DBusCodecError(fault, { cause: error, detail, ...place })
}

/** Whether a thrown value is a {@link DBusCodecError}, of this or another copy of the package. */
export function isDBusCodecError(error: unknown): error is DBusCodecError {
  return typeof error === 'object' && error !== null && (error as { [BRAND]?: unknown })[BRAND] === true
}
