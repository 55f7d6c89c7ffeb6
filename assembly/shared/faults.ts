// Shared with the compiler: integer literals only, read by asc and by tsc. One number per way in which bytes or values
// can be wrong. js/errors.ts maps each to a stable code and a sentence and is complete by the type checker;
// docs/errors.md is generated from that table. The comment gives the offset reported, counted from byte 0 of the message.

export const FAULT_NONE = 0

// Framing: the first 16 bytes and the message's length.
export const FAULT_BYTE_ORDER = 1 // 0
export const FAULT_FIELDS_LENGTH = 2 // 12, the length field (over 64 MiB)
export const FAULT_BODY_LENGTH = 3 // 4, the length field (over 128 MiB)
export const FAULT_MESSAGE_LENGTH = 4 // 4, the body's length field (the sum is over the maximum)
export const FAULT_INCOMPLETE = 5 // the first missing byte: the number of bytes given
export const FAULT_TRAILING_BYTES = 6 // the first byte after the message; found last

// Values, in the header's fields and in the body.
export const FAULT_NOT_ENOUGH_DATA = 10 // the first missing byte: the end of the section (header or body)
export const FAULT_PADDING = 11 // the first padding byte that is not zero
export const FAULT_BOOLEAN = 12 // the boolean's first byte
export const FAULT_LENGTH_OUT_OF_BOUNDS = 13 // the length field's first byte
export const FAULT_ARRAY_TOO_LONG = 14 // the length field's first byte
export const FAULT_ARRAY_LENGTH = 15 // the length field's first byte (no multiple of the element, or an element runs over)
export const FAULT_UTF8 = 16 // the first byte of the first ill-formed sequence, or the NUL
export const FAULT_STRING_NUL = 17 // the byte that should be the terminator
export const FAULT_OBJECT_PATH = 18 // the first character no path could have there; the end if one is missing
export const FAULT_DEPTH = 19 // the first byte of the value that is one level too deep (before its padding)
export const FAULT_TOO_MUCH_DATA = 20 // the first byte of the body that no type claims
export const FAULT_SIGNATURE_LENGTH = 21 // the length byte
export const FAULT_SIGNATURE_NUL = 22 // the byte that should be the terminator
export const FAULT_VARIANT_SIGNATURE_LENGTH = 23 // the length byte
export const FAULT_VARIANT_SIGNATURE = 24 // the character at which the grammar breaks (as for the codes 30 to 45)
export const FAULT_VARIANT_SIGNATURE_NUL = 25 // the byte that should be the terminator
export const FAULT_VARIANT_EMPTY = 26 // the length byte
export const FAULT_VARIANT_MULTIPLE = 27 // the first character of the second type in the signature; found after the value
export const FAULT_TOO_MANY_VALUES = 28 // the value that is one too many; the limit is maxValues

// Signature grammar. Offset: the character at which the fault shows; the end of the signature for what is missing there.
export const FAULT_SIGNATURE_TOO_LONG = 30 // character 255
export const FAULT_TYPE_CODE = 31
export const FAULT_ARRAY_DEPTH = 32
export const FAULT_STRUCT_DEPTH = 33
export const FAULT_DICT_DEPTH = 34
export const FAULT_STRUCT_EMPTY = 35 // the ")"
export const FAULT_ARRAY_ELEMENT = 36 // the "a" before a ")" or "}"; the end when the signature ends on "a"
export const FAULT_STRUCT_NOT_STARTED = 37
export const FAULT_STRUCT_NOT_ENDED = 38 // the end
export const FAULT_DICT_NOT_STARTED = 39
export const FAULT_DICT_NOT_ENDED = 40 // the end
export const FAULT_DICT_EMPTY = 41 // the "}", as for the next two
export const FAULT_DICT_ONE_FIELD = 42
export const FAULT_DICT_MANY_FIELDS = 43
export const FAULT_DICT_OUTSIDE_ARRAY = 44
export const FAULT_DICT_KEY = 45

// Header semantics. A name's offset is that of the first character it may not have there, its end (the terminator)
// when something is missing, its first byte when it is empty or longer than 255.
export const FAULT_MESSAGE_TYPE = 50 // 1
export const FAULT_PROTOCOL_VERSION = 51 // 3
export const FAULT_SERIAL = 52 // 8
export const FAULT_FIELD_CODE = 53 // the code byte
export const FAULT_FIELD_TYPE = 54 // the first character of the value's signature
export const FAULT_FIELD_TWICE = 55 // the code byte of the second
export const FAULT_LOCAL_INTERFACE = 56 // the value's first character
export const FAULT_LOCAL_PATH = 57 // the value's first character
export const FAULT_INTERFACE = 58
export const FAULT_MEMBER = 59
export const FAULT_ERROR_NAME = 60
export const FAULT_DESTINATION = 61
export const FAULT_SENDER = 62
export const FAULT_REPLY_SERIAL = 63 // the value
export const FAULT_MISSING_INTERFACE = 64 // the end of the field array, as for all missing fields
export const FAULT_MISSING_PATH = 65
export const FAULT_MISSING_MEMBER = 66
export const FAULT_MISSING_ERROR_NAME = 67
export const FAULT_MISSING_REPLY_SERIAL = 68

// Values on their way in: reported with the value's path.
export const FAULT_VALUE_TYPE = 80 // a JavaScript value of the wrong kind
export const FAULT_VALUE_RANGE = 81 // a number that does not fit
export const FAULT_VALUE_COUNT = 82 // more or fewer values than types
export const FAULT_TEXT_NUL = 83
export const FAULT_TEXT_SURROGATE = 84
export const FAULT_UNSAFE_INTEGER = 85 // int64: 'number' and the value is beyond 2^53
export const FAULT_FD_INDEX = 86 // an h with no descriptor behind it
export const FAULT_FD_COUNT = 87 // UNIX_FDS differs from the number handed over
