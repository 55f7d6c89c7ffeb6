// THE list of deliberate differences between this codec and libdbus: all other verdicts, and the reasons for them, are the
// same. The differential tests read it; each entry has its test in test/differential/deviations.differential.ts.
// Rule numbers are those of docs/validation.md.
import type { Answer } from './oracle/oracle.ts'
import { type Neutral, referenceMarshal } from './reference/index.ts'
import { Reader } from './reference/read.ts'
import { parseTypes } from './reference/signature.ts'

/** What someone says of a message; `code` is '' when it is valid. */
export interface Judgement {
  readonly code: string
  readonly offset: number
}

export interface Deviation {
  readonly name: string
  readonly rule: string
  readonly why: string
  /** The message on which libdbus should say what the codec says on the original; undefined: this one does not touch it. */
  readonly rewrite?: (bytes: Uint8Array) => Uint8Array | undefined
  /** Whether this explains that libdbus gives `theirs` where the codec gives `ours`. */
  readonly excuses?: (bytes: Uint8Array, theirs: Pick<Answer, 'verdict' | 'reason'>, ours: Judgement) => boolean
}

interface Field {
  readonly code: number
  readonly at: number
  readonly signature: string
  /** A text's first character. */
  readonly textAt: number
  readonly text: string
}

const LOCAL_INTERFACE = 'org.freedesktop.DBus.Local'
const LOCAL_PATH = '/org/freedesktop/DBus/Local'
const MAX_ARRAY_LENGTH = 64 * 1024 * 1024
const MAX_MESSAGE_LENGTH = 128 * 1024 * 1024

/** libdbus compares the reserved names as prefixes; with a small "l" it looks on, at the grammar as the codec does. */
function lowerLocal(code: number, reserved: string) {
  return rewriteFields((field, copy) => {
    if (field.code !== code || !field.text.startsWith(reserved) || field.text === reserved) return false
    copy[field.textAt + reserved.length - 'Local'.length] = 0x6c
    return true
  })
}

export const DEVIATIONS: readonly Deviation[] = [
  {
    name: 'local interface',
    rule: '2.10',
    why: 'only org.freedesktop.DBus.Local itself is reserved: libdbus refuses every interface that starts like it',
    rewrite: lowerLocal(2, LOCAL_INTERFACE),
  },
  {
    name: 'local path',
    rule: '2.11',
    why: 'only /org/freedesktop/DBus/Local itself is reserved: libdbus refuses every path that starts like it',
    rewrite: lowerLocal(1, LOCAL_PATH),
  },
  {
    name: 'container instance',
    rule: '2.7',
    why: 'field 10 is not in the specification, so unknown like any other: libdbus wants one object path',
    rewrite: rewriteFields((field, copy) => {
      if (field.code !== 10) return false
      copy[field.at] = 11
      return true
    }),
  },
  {
    name: 'unique name of one element',
    rule: '5.5',
    why: 'the specification asks for two elements: libdbus takes ":", ":1" and ":.1"',
    rewrite: rewriteFields((field, copy) => {
      if ((field.code !== 6 && field.code !== 7) || !isLaxUniqueName(field.text)) return false
      copy[field.textAt] = 0x21 // "!": no bus name for libdbus either
      return true
    }),
  },
  {
    name: 'descriptors',
    rule: '2.17',
    why: 'UNIX_FDS is compared only when descriptors are handed over: the oracle sets the field to 0 for libdbus',
  },
  {
    name: 'field array over 64 MiB',
    rule: '0.3',
    why: 'refused from the first 16 bytes: libdbus waits for the whole message, then refuses it',
    excuses: (bytes, { verdict }, ours) => {
      if (ours.code !== 'ERR_DBUS_FIELDS_LENGTH' || ours.offset !== 12 || bytes.length < 16) return false
      const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, bytes[0] === 0x6c)
      return verdict !== 'ok' && length > MAX_ARRAY_LENGTH && length <= MAX_MESSAGE_LENGTH
    },
  },
  {
    name: 'byte after a signature',
    rule: '4.12',
    why: 'libdbus looks past the end of a signature like "a{a" and finds other words for what is wrong when a bracket is there',
    excuses: (bytes, { reason }, { code, offset }) =>
      reason === 'Missing array element type' &&
      code === 'ERR_DBUS_DICT_KEY' &&
      bytes[offset] === 0x61 &&
      (bytes[offset + 1] === 0x29 || bytes[offset + 1] === 0x7d),
  },
]

/**
 * GDBus 2.74 counts the length of an array of structs or dict entries from before the padding, four bytes when there is some:
 * it then misses a last element of four bytes or fewer. Its values prove nothing on messages with one. (libdbus reads it.)
 */
export function isMisreadByGDBus(body: readonly Neutral[]): boolean {
  return body.some((value) => {
    if (value[0] === '(') return isMisreadByGDBus(value[1])
    if (value[0] === 'v') return isMisreadByGDBus([value[2]])
    if (value[0] === '{') return isMisreadByGDBus([value[1], value[2]])
    if (value[0] !== 'a') return false
    const last = value[2].at(-1)
    const isSmall = last !== undefined && '({'.includes(value[1][0]) && referenceMarshal(value[1], [last]).length <= 4
    return isSmall || isMisreadByGDBus(value[2])
  })
}

/** Unique names that libdbus takes and the specification does not have (5.5). */
export function isLaxUniqueName(name: string): boolean {
  return /^:[A-Za-z0-9_-]*$/.test(name) || /^:(\.[A-Za-z0-9_-]+)+$/.test(name)
}

/** The message for libdbus after all deviations, and which of them changed it. */
export function rewriteForLibdbus(bytes: Uint8Array): { bytes: Uint8Array; names: string[] } {
  const names: string[] = []
  let current = bytes
  for (const deviation of DEVIATIONS) {
    const rewritten = deviation.rewrite?.(current)
    if (rewritten === undefined) continue
    current = rewritten
    names.push(deviation.name)
  }
  return { bytes: current, names }
}

function rewriteFields(change: (field: Field, copy: Uint8Array) => boolean) {
  return (bytes: Uint8Array): Uint8Array | undefined => {
    const copy = bytes.slice()
    let changed = false
    for (const field of fieldsOf(bytes)) changed = change(field, copy) || changed
    return changed ? copy : undefined
  }
}

/** The header's fields as far as they can be read: what follows a fault is of no interest, the fault is reported first. */
function fieldsOf(bytes: Uint8Array): Field[] {
  const fields: Field[] = []
  if (bytes.length < 16) return fields
  const little = bytes[0] === 0x6c
  const end = Math.min(16 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, little), bytes.length)
  const reader = new Reader(bytes, { little, position: 16, end: bytes.length })
  const [byte, variant] = parseTypes('yv')
  try {
    while (reader.position < end) {
      reader.align(8, 0)
      const at = reader.position
      const [code, value] = reader.readAll([byte, variant], 0)
      const [, signature, [, text]] = value as ['v', string, [string, unknown]]
      const isText = typeof text === 'string'
      const textAt = isText ? reader.position - 1 - new TextEncoder().encode(text).length : 0
      fields.push({ code: code[1] as number, at, signature, textAt, text: isText ? text : '' })
    }
  } catch {
    // As far as it goes.
  }
  return fields
}
