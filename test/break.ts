// Valid messages broken in one place: one breaker per rule of VALIDATION.md. A breaker changes the parts and has the message
// written anew, or changes bytes at a place that the writer marked, or both. It names the codes it aims at; other faults that
// come first may hide them.
import {
  append,
  atMark,
  type Breaker,
  characters,
  code,
  fixed,
  getU32,
  replaceLastVariant,
  SAMPLES,
  setU32,
  withField,
  withFields,
  withValue,
  word,
} from './breaker.ts'
import { BAD_NAMES, BAD_SIGNATURES, BAD_TEXT, CODES_OF_NAMES } from './broken.ts'
import { type GeneratedMessage, generateNested, once, pick, type Source, shuffle, writeMessage } from './generate.ts'
import type { Neutral } from './reference/index.ts'

export type { Breaker } from './breaker.ts'

export interface BrokenMessage {
  breakers: Breaker[]
  bytes: Uint8Array
}

// Beside the ranges 0-9, A-Z, a-z and _, and the slash, which is wrong in most places.
const NOT_IN_PATHS = [0, 0x20, 0x2d, 0x2e, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x80, 0xff]

const FRAMING: Breaker[] = [
  { rule: '0.1', name: 'fewer than 16 bytes', codes: [code('INCOMPLETE')], bytes: (s, m) => m.bytes.slice(0, s.below(16)) },
  fixed('0.2', 'byte order mark', 0, [0, 0x4c, 0x62, 0x6d, 0xff], [code('BYTE_ORDER')]),
  word('0.3', 'fields over 64 MiB', 12, [67108865, 134217729, 0x7fffffff, 0xffffffff], [code('FIELDS_LENGTH')]),
  word('0.4', 'body over 128 MiB', 4, [134217729, 0x80000000, 0xffffffff, 0xfffffff0], [code('BODY_LENGTH')]),
  word('0.5', 'message over 128 MiB', 4, [134217728, 134217720], [code('MESSAGE_LENGTH')]),
  {
    rule: '0.6',
    name: 'cut anywhere',
    codes: [code('INCOMPLETE')],
    bytes: (source, message) => message.bytes.slice(0, source.below(message.bytes.length)),
  },
  {
    rule: '0.7',
    name: 'bytes after the message',
    codes: [code('TRAILING_BYTES')],
    bytes: (source, message) => append(message.bytes, Array(1 + source.below(20)).fill(source.below(2))),
  },
]

const HEADER: Breaker[] = [
  {
    rule: '1.2',
    name: 'unknown field with a bad text',
    codes: [code('UTF8'), code('OBJECT_PATH'), code('TYPE_CODE')],
    parts: (source, message) => {
      const bad = pick<[string, Neutral]>(source, [
        ['s', ['s', 'a\0b']],
        ['o', ['o', '/a/']],
        ['g', ['g', 'z']],
      ])
      return withFields(message, shuffle(source, [...message.fields, [11 + source.below(245), ...bad]]))
    },
  },
  {
    rule: '1.3',
    name: 'field array longer or shorter',
    codes: [code('ARRAY_LENGTH'), code('NOT_ENOUGH_DATA'), code('VARIANT_EMPTY')],
    bytes: (source, message) => {
      const bytes = message.bytes.slice()
      setU32(bytes, 12, Math.max(0, getU32(bytes, 12, message) + pick(source, [-8, -4, -1, 1, 2, 4, 7, 8])), message)
      return bytes
    },
  },
  fixed('2.1', 'message type', 1, [0], [code('MESSAGE_TYPE')]),
  fixed('2.3', 'protocol version', 3, [0, 2, 255], [code('PROTOCOL_VERSION')]),
  word('2.4', 'serial', 8, [0], [code('SERIAL')]),
  { rule: '2.5', name: 'field code 0', codes: [code('FIELD_CODE')], ...atMark('field', (b, { offset }) => (b[offset] = 0)) },
  {
    rule: '2.8',
    name: 'field of another type',
    codes: [code('FIELD_TYPE')],
    parts: (source, message) => {
      const bad = pick<[string, Neutral]>(source, [
        ['y', ['y', 1]],
        ['u', ['u', 1]],
        ['s', ['s', 'a.b']],
        ['o', ['o', '/a']],
        ['g', ['g', '']],
        ['v', ['v', 's', ['s', 'a.b']]],
        ['as', ['a', 's', []]],
        ['(s)', ['(', [['s', 'a.b']]]],
      ])
      return withField(source, message, [1 + source.below(9), ...bad])
    },
  },
  {
    rule: '2.9',
    name: 'field twice',
    codes: [code('FIELD_TWICE')],
    parts: (source, message) => {
      const base = message.fields.length > 0 ? message : withFields(message, [[7, 's', ['s', ':1.2']]])
      return withFields(base, shuffle(source, [...base.fields, pick(source, base.fields)]))
    },
  },
  {
    rule: '2.10',
    name: 'local interface',
    codes: [code('LOCAL_INTERFACE')],
    parts: (source, message) => withField(source, message, [2, 's', ['s', 'org.freedesktop.DBus.Local']]),
  },
  {
    rule: '2.11',
    name: 'local path',
    codes: [code('LOCAL_PATH')],
    parts: (source, message) => withField(source, message, [1, 'o', ['o', '/org/freedesktop/DBus/Local']]),
  },
  ...Object.entries(CODES_OF_NAMES).map(
    ([field, name]): Breaker => ({
      rule: '2.12',
      name: `bad name in field ${field}`,
      codes: [code(name)],
      parts: (source, message) => {
        const text = pick(source, BAD_NAMES[name])
        return withField(source, message, [Number(field), 's', ['s', text]])
      },
    }),
  ),
  {
    rule: '2.13',
    name: 'reply serial 0',
    codes: [code('REPLY_SERIAL')],
    parts: (source, message) => withField(source, message, [5, 'u', ['u', 0]]),
  },
  {
    rule: '2.15',
    name: 'field missing',
    codes: ['INTERFACE', 'PATH', 'MEMBER', 'ERROR_NAME', 'REPLY_SERIAL'].map((name) => code(`MISSING_${name}`)),
    parts: (source, message) => {
      const known = message.fields.filter(([field]) => field !== 8).map(([field]) => field)
      const without = known.length === 0 ? 1 : pick(source, known)
      const header = { ...message.header, type: 1 + source.below(4) }
      const fields = message.fields.filter(([field]) => field !== without)
      return writeMessage({ ...message, header, fields })
    },
  },
]

const VALUES: Breaker[] = [
  {
    rule: '3.1',
    name: 'nested too deep',
    codes: [code('DEPTH')],
    parts: (source, message) => {
      const { signature, value } = generateNested(source, 65 + source.below(4))
      return withValue(message, signature, value)
    },
  },
  {
    rule: '3.2',
    name: 'body cut short',
    codes: [code('NOT_ENOUGH_DATA'), code('LENGTH_OUT_OF_BOUNDS'), code('SIGNATURE_LENGTH')],
    parts: (source, message) => {
      return message.body.length > 0 ? message : withValue(message, ...pick(source, Object.values(SAMPLES)))
    },
    bytes: (source, message) => {
      const cut = 1 + source.below(Math.min(24, getU32(message.bytes, 4, message)))
      const bytes = message.bytes.slice(0, message.bytes.length - cut)
      setU32(bytes, 4, getU32(bytes, 4, message) - cut, message)
      return bytes
    },
  },
  {
    rule: '3.3',
    name: 'padding not zero',
    codes: [code('PADDING')],
    ...atMark('padding', (bytes, mark, source) => {
      bytes[mark.offset + source.below(mark.size)] = 1 + source.below(255)
    }),
  },
  {
    rule: '3.4',
    name: 'boolean other than 0 and 1',
    codes: [code('BOOLEAN')],
    ...atMark('boolean', (bytes, mark, source, message) => {
      setU32(bytes, mark.offset, pick(source, [2, 255, 256, 0x01000000, 0x80000000, 0xffffffff]), message)
    }),
  },
  {
    rule: '3.5',
    name: 'length out of bounds or off by some',
    codes: [code('LENGTH_OUT_OF_BOUNDS'), code('STRING_NUL'), code('ARRAY_LENGTH'), code('NOT_ENOUGH_DATA')],
    ...atMark('length', (bytes, mark, source, message) => {
      const length = getU32(bytes, mark.offset, message)
      const huge = [0x03ffffff, 0x04000000, 0x04000001, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff]
      const near = [length - 1, length + 1, length + 4, length + 8, bytes.length - mark.offset - 4]
      setU32(bytes, mark.offset, Math.max(0, pick(source, once(source, 3) ? huge : near)), message)
    }),
  },
  {
    rule: '3.5',
    name: 'terminator not zero',
    codes: [code('STRING_NUL'), code('SIGNATURE_NUL'), code('VARIANT_SIGNATURE_NUL')],
    ...atMark('nul', (bytes, mark, source) => (bytes[mark.offset] = 1 + source.below(255))),
  },
  {
    rule: '3.6',
    name: 'NUL inside a text',
    codes: [code('UTF8')],
    ...atMark('text', (bytes, mark, source) => (bytes[mark.offset + source.below(mark.size)] = 0), 1),
  },
  {
    rule: '3.7',
    name: 'ill-formed UTF-8',
    codes: [code('UTF8')],
    ...atMark('text', (bytes, mark, source) => bytes.set(pick(source, BAD_TEXT), mark.offset + source.below(mark.size - 3)), 4),
    // Texts of every length, since fast validators look at 8 or 16 bytes at a time.
    parts: (source, message) => withValue(message, 's', ['s', 'x'.repeat(4 + source.below(200))]),
  },
  {
    rule: '3.8',
    name: 'character no object path may have',
    codes: [code('OBJECT_PATH')],
    ...atMark(
      'path',
      (bytes, mark, source) => {
        bytes[mark.offset + source.below(mark.size)] = pick(source, NOT_IN_PATHS)
      },
      1,
    ),
  },
  {
    rule: '3.9',
    name: 'signature length',
    codes: [code('SIGNATURE_LENGTH'), code('VARIANT_SIGNATURE_LENGTH'), code('SIGNATURE_NUL'), code('VARIANT_SIGNATURE_NUL')],
    ...atMark('signature-length', (bytes, mark, source) => {
      const length = bytes[mark.offset]
      bytes[mark.offset] = pick(source, [length - 1, length + 1, length + 2, 255, 254, 128])
    }),
  },
  {
    rule: '3.12',
    name: 'array length no multiple of the element',
    codes: [code('ARRAY_LENGTH')],
    ...atMark('array', (bytes, mark, source, message) => {
      setU32(bytes, mark.offset, Math.max(0, getU32(bytes, mark.offset, message) - 1 - source.below(3)), message)
    }),
  },
  {
    rule: '3.15',
    name: 'variant without a type, with two, with a bad signature',
    codes: ['VARIANT_EMPTY', 'VARIANT_MULTIPLE', 'VARIANT_SIGNATURE'].map(code),
    parts: (_, message) => withValue(message, 'v', ['v', 'y', ['y', 0]]),
    bytes: (source, message) => {
      const kind = source.below(3)
      if (kind === 0) return replaceLastVariant(message, [0, 0, ...Array(source.below(9)).fill(0)])
      if (kind === 1) return replaceLastVariant(message, [2, 0x79, 0x79, 0, 1])
      const bad = characters(pick(source, BAD_SIGNATURES).signature)
      return replaceLastVariant(message, [bad.length, ...bad, 0, 0])
    },
  },
  {
    rule: '3.15',
    name: 'character in the signature of a variant',
    codes: [code('VARIANT_SIGNATURE'), code('FIELD_TYPE')],
    ...atMark(
      'variant',
      (bytes, mark, source) => {
        bytes[mark.offset + source.below(mark.size)] = pick(source, characters('ybnqiuxtdsoghva(){}zrem*?&@^\0\x80'))
      },
      1,
    ),
  },
  {
    rule: '3.16',
    name: 'body longer than its signature',
    codes: [code('TOO_MUCH_DATA')],
    bytes: (source, message) => {
      const extra = 1 + source.below(9)
      const bytes = append(message.bytes, Array(extra).fill(source.below(2)))
      setU32(bytes, 4, getU32(bytes, 4, message) + extra, message)
      return bytes
    },
  },
]

const SIGNATURES: Breaker[] = BAD_SIGNATURES.map(({ rule, signature, fault }) => ({
  rule,
  name: `signature ${signature.length > 12 ? `${signature.slice(0, 12)}… (${signature.length})` : JSON.stringify(signature)}`,
  codes: [code(fault)],
  parts: (source, message) => {
    if (once(source, 2)) return withField(source, message, [8, 'g', ['g', signature]])
    return withValue(message, 'g', ['g', signature])
  },
}))

/** Every breaker, in the order of VALIDATION.md. */
export const BREAKERS: readonly Breaker[] = [...FRAMING, ...HEADER, ...VALUES, ...SIGNATURES]

/** One rule broken: by the breaker given, or by any. */
export function breakMessage(source: Source, message: GeneratedMessage, breaker = pick(source, BREAKERS)): BrokenMessage {
  const written = breaker.parts?.(source, message) ?? message
  return { breakers: [breaker], bytes: breaker.bytes?.(source, written) ?? written.bytes }
}

/**
 * Two to four rules broken in one message: which fault is found first is what the order of checks is about. Parts first,
 * since writing anew would undo a change of bytes.
 */
export function breakSeveral(source: Source, message: GeneratedMessage): BrokenMessage {
  const breakers = Array.from({ length: 2 + source.below(3) }, () => pick(source, BREAKERS))
  let broken = message
  for (const { parts } of breakers) if (parts !== undefined) broken = parts(source, broken)
  for (const { bytes } of breakers) {
    if (bytes !== undefined) broken = { ...broken, bytes: bytes(source, broken) }
  }
  return { breakers, bytes: broken.bytes }
}
