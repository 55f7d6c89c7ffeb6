// Shared with the compiler: integer literals only, read by asc and by tsc. The specification's numbers.

// Type codes (ASCII).
export const TYPE_BYTE = 121 // y
export const TYPE_BOOLEAN = 98 // b
export const TYPE_INT16 = 110 // n
export const TYPE_UINT16 = 113 // q
export const TYPE_INT32 = 105 // i
export const TYPE_UINT32 = 117 // u
export const TYPE_INT64 = 120 // x
export const TYPE_UINT64 = 116 // t
export const TYPE_DOUBLE = 100 // d
export const TYPE_STRING = 115 // s
export const TYPE_OBJECT_PATH = 111 // o
export const TYPE_SIGNATURE = 103 // g
export const TYPE_UNIX_FD = 104 // h
export const TYPE_VARIANT = 118 // v
export const TYPE_ARRAY = 97 // a
export const TYPE_STRUCT = 40 // (
export const TYPE_STRUCT_END = 41 // )
export const TYPE_DICT_ENTRY = 123 // {
export const TYPE_DICT_ENTRY_END = 125 // }

// Byte order marks (byte 0).
export const ORDER_LITTLE = 108 // l
export const ORDER_BIG = 66 // B

// The fixed part of a header.
//
//   0     1     2      3        4            8       12
//   ┌─────┬─────┬──────┬────────┬────────────┬───────┬──────────────┬─ ─ ─
//   │order│type │flags │version │body length │serial │fields length │ fields, padding to 8, body
//   └─────┴─────┴──────┴────────┴────────────┴───────┴──────────────┴─ ─ ─
export const HEADER_TYPE = 1
export const HEADER_FLAGS = 2
export const HEADER_VERSION = 3
export const HEADER_BODY_LENGTH = 4
export const HEADER_SERIAL = 8
export const HEADER_FIELDS_LENGTH = 12
export const HEADER_FIELDS = 16
export const PROTOCOL_VERSION = 1

// Header field codes.
export const FIELD_PATH = 1
export const FIELD_INTERFACE = 2
export const FIELD_MEMBER = 3
export const FIELD_ERROR_NAME = 4
export const FIELD_REPLY_SERIAL = 5
export const FIELD_DESTINATION = 6
export const FIELD_SENDER = 7
export const FIELD_SIGNATURE = 8
export const FIELD_UNIX_FDS = 9
export const FIELD_LAST = 9

// Message types.
export const MESSAGE_METHOD_CALL = 1
export const MESSAGE_METHOD_RETURN = 2
export const MESSAGE_ERROR = 3
export const MESSAGE_SIGNAL = 4

// Limits.
export const MAX_MESSAGE_LENGTH = 134217728 // 128 MiB: a claim beyond it is refused from the first 16 bytes
export const MAX_ARRAY_LENGTH = 67108864 // 64 MiB, the field array included
export const MAX_SIGNATURE_LENGTH = 255
export const MAX_NAME_LENGTH = 255
export const MAX_NESTING = 32 // consecutive arrays, open structs, open dict entries: each on its own
export const MAX_DEPTH = 64 // containers round a value: recursion is bounded by it, whatever variants add
