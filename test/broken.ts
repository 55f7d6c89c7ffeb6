// What the breakers break with: one entry per way to be wrong in VALIDATION.md sections 3.7, 4 and 5.

/** Ill-formed UTF-8 (Unicode 15, table 3-7): one sequence per row that can be left. */
export const BAD_TEXT: readonly number[][] = [
  [0x80], // continuation alone
  [0xbf, 0xbf],
  [0xc0, 0x80], // overlong NUL
  [0xc1, 0xbf], // overlong
  [0xc3, 0x41], // cut after one
  [0xe0, 0x9f, 0xbf], // overlong
  [0xe2, 0x82, 0x41], // cut after two
  [0xed, 0xa0, 0x80], // first surrogate
  [0xed, 0xbf, 0xbf], // last surrogate
  [0xf0, 0x8f, 0xbf, 0xbf], // overlong
  [0xf0, 0x9f, 0x98, 0x41], // cut after three
  [0xf4, 0x90, 0x80, 0x80], // U+110000
  [0xf5, 0x80, 0x80, 0x80],
  [0xf8, 0x88, 0x80, 0x80],
  [0xfe],
  [0xff],
]

/** The fault of the names of each header field. */
export const CODES_OF_NAMES: Record<number, string> = {
  2: 'INTERFACE',
  3: 'MEMBER',
  4: 'ERROR_NAME',
  6: 'DESTINATION',
  7: 'SENDER',
}

const DOTTED = ['', '.', 'a', '.a', 'a.', '.a.b', 'a.b.', 'a..b', 'a.1', '1.a', 'a b.c', 'a.b/c', 'é.a', 'a.é', 'a.b\x7f']
const TOO_LONG = `a.${'b'.repeat(254)}`
const INTERFACES = [...DOTTED, TOO_LONG, 'a-b.c', 'a.b-c', '-a.b', 'a.-b', ':1.2', 'a:b.c', 'a@.b', 'a.[', 'a.`', 'a.{']
const UNIQUE = [':', ':1', ':.1', ':1.', ':1..2', '::1.2', ':1.2:', ':1.2 ', `:1.${'2'.repeat(253)}`]
const BUS_NAMES = [...DOTTED, TOO_LONG, ...UNIQUE]

export const BAD_NAMES: Record<string, readonly string[]> = {
  INTERFACE: INTERFACES,
  ERROR_NAME: INTERFACES,
  MEMBER: ['', '1', '1a', 'a.b', 'a-b', 'a b', 'é', 'aé', 'M'.repeat(256), '.', 'a@', 'a[', 'a`', 'a{', 'a/', 'a:', 'a\x7f'],
  DESTINATION: BUS_NAMES,
  SENDER: BUS_NAMES,
}

export interface BadSignature {
  rule: string
  signature: string
  fault: string
}

const nest = (open: string, inner: string, close: string, times: number) => open.repeat(times) + inner + close.repeat(times)

export const BAD_SIGNATURES: readonly BadSignature[] = [
  ...[...'remz*?&@^A1 \x80\xff'].map((code) => ({ rule: '4.2', signature: code, fault: 'TYPE_CODE' })),
  { rule: '4.2', signature: 'a{sz}', fault: 'TYPE_CODE' },
  { rule: '4.3', signature: `${'a'.repeat(33)}y`, fault: 'ARRAY_DEPTH' },
  { rule: '4.3', signature: `(${'a'.repeat(33)}(y))`, fault: 'ARRAY_DEPTH' },
  { rule: '4.3', signature: 'a'.repeat(255), fault: 'ARRAY_DEPTH' },
  { rule: '4.4', signature: nest('(', 'y', ')', 33), fault: 'STRUCT_DEPTH' },
  { rule: '4.4', signature: nest('a(', 'y', ')', 33), fault: 'STRUCT_DEPTH' },
  { rule: '4.4', signature: '('.repeat(255), fault: 'STRUCT_DEPTH' },
  { rule: '4.5', signature: nest('a{s', 'y', '}', 33), fault: 'DICT_DEPTH' },
  { rule: '4.6', signature: '()', fault: 'STRUCT_EMPTY' },
  { rule: '4.6', signature: 'a()', fault: 'STRUCT_EMPTY' },
  { rule: '4.6', signature: '(s())', fault: 'STRUCT_EMPTY' },
  { rule: '4.7', signature: 'a', fault: 'ARRAY_ELEMENT' },
  { rule: '4.7', signature: 'saa', fault: 'ARRAY_ELEMENT' },
  { rule: '4.7', signature: '(a)', fault: 'ARRAY_ELEMENT' },
  { rule: '4.7', signature: 'a{sa}', fault: 'ARRAY_ELEMENT' },
  { rule: '4.7', signature: 'a{a}', fault: 'ARRAY_ELEMENT' },
  { rule: '4.8', signature: '{sv}', fault: 'DICT_OUTSIDE_ARRAY' },
  { rule: '4.8', signature: '({sv})', fault: 'DICT_OUTSIDE_ARRAY' },
  { rule: '4.8', signature: 'a{s{sv}}', fault: 'DICT_OUTSIDE_ARRAY' },
  { rule: '4.8', signature: 'a{{sv}v}', fault: 'DICT_OUTSIDE_ARRAY' },
  { rule: '4.8', signature: 'a{}', fault: 'DICT_EMPTY' },
  { rule: '4.8', signature: 'a{s}', fault: 'DICT_ONE_FIELD' },
  { rule: '4.8', signature: 'a{sss}', fault: 'DICT_MANY_FIELDS' },
  { rule: '4.8', signature: 'a{sa{sv}s}', fault: 'DICT_MANY_FIELDS' },
  { rule: '4.8', signature: 'a{vs}', fault: 'DICT_KEY' },
  { rule: '4.8', signature: 'a{ass}', fault: 'DICT_KEY' },
  { rule: '4.8', signature: 'a{(s)s}', fault: 'DICT_KEY' },
  { rule: '4.9', signature: '(a{sv)}', fault: 'STRUCT_NOT_STARTED' },
  { rule: '4.9', signature: 'a{s(s})', fault: 'DICT_NOT_STARTED' },
  { rule: '4.9', signature: ')', fault: 'STRUCT_NOT_STARTED' },
  { rule: '4.9', signature: 's)', fault: 'STRUCT_NOT_STARTED' },
  { rule: '4.9', signature: 'a{)}', fault: 'STRUCT_NOT_STARTED' },
  { rule: '4.9', signature: '}', fault: 'DICT_NOT_STARTED' },
  { rule: '4.9', signature: '(}', fault: 'DICT_NOT_STARTED' },
  { rule: '4.9', signature: '(s', fault: 'STRUCT_NOT_ENDED' },
  { rule: '4.9', signature: '(', fault: 'STRUCT_NOT_ENDED' },
  { rule: '4.9', signature: 'a{sv', fault: 'DICT_NOT_ENDED' },
  { rule: '4.9', signature: 'a{', fault: 'DICT_NOT_ENDED' },
  { rule: '4.9', signature: '(a{s(s', fault: 'STRUCT_NOT_ENDED' },
  { rule: '4.11', signature: 's\0s', fault: 'TYPE_CODE' },
]
