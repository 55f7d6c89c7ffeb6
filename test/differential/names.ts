// Every short name in every field that holds one, names at the length limit, and all texts one edit away from the reserved ones.
import { encodeMarked, FIELD_ORDER, type HeaderInput } from '../reference/index.ts'

const HEADER: HeaderInput = {
  type: 4,
  serial: 1,
  path: '/',
  interface: 'a.b',
  member: 'M',
  error: 'a.b',
  destination: 'a.b',
  sender: ':1.2',
}
const PROPERTY = { 1: 'path', 2: 'interface', 3: 'member', 4: 'error', 6: 'destination', 7: 'sender' } as const
type NameField = keyof typeof PROPERTY
const FIELDS = Object.keys(PROPERTY).map(Number) as NameField[]

// A letter of each case, a digit, what stands in some names only, neighbours of the ranges, 8 bits.
const CHARACTERS = 'aZ_0-.:/@\x80'

/** A message in which field `code` has room for `length` characters at `at`. */
function template(code: NameField, length: number, byteOrder: 'little' | 'big') {
  const header = { ...HEADER, [PROPERTY[code]]: 'a'.repeat(length) }
  const { bytes, marks } = encodeMarked(header, '', [], { byteOrder })
  // Fields that hold text, in message order: there is one mark for each.
  const texts = marks.filter((mark) => mark.kind === 'text' || mark.kind === 'path')
  const order = FIELD_ORDER.filter((field) => field in PROPERTY)
  return { bytes, at: texts[order.indexOf(code)].offset }
}

/** All words of one length over characters that matter in some name. */
export function* words(length: number): Generator<string> {
  if (length === 0) {
    yield ''
    return
  }
  for (const head of words(length - 1)) {
    for (const character of CHARACTERS) yield head + character
  }
}

/** All words up to `length` characters, in every field that holds a name or a path. */
export function* shortNames(length: number): Generator<Uint8Array> {
  for (const code of FIELDS) {
    for (let n = 0; n <= length; n++) {
      const templates = [template(code, n, 'little'), template(code, n, 'big')]
      let turn = 0
      for (const word of words(n)) yield filled(templates[turn++ & 1], word)
    }
  }
}

/** Names of 250 to 260 bytes with a dot, slash or colon at each place that could matter. */
export function* longNames(): Generator<Uint8Array> {
  for (const code of FIELDS) {
    for (let length = 250; length <= 260; length++) {
      const place = template(code, length, length % 2 === 0 ? 'little' : 'big')
      for (const start of ['a', 'a.', ':', ':1', '/', '/a', '.', '-', '9']) {
        for (const end of ['a', '.', '.a', '/', '/a', '-', '\x80', '.9']) {
          const middle = 'a'.repeat(length - start.length - end.length)
          yield filled(place, start + middle + end)
          yield filled(place, `${start}${middle.slice(0, 100)}.${middle.slice(101)}${end}`)
        }
      }
    }
  }
}

/** The reserved names, and each one with a character taken out, changed, or put in. */
export function* reservedNames(): Generator<Uint8Array> {
  for (const [code, reserved] of [
    [2, 'org.freedesktop.DBus.Local'],
    [1, '/org/freedesktop/DBus/Local'],
  ] as const) {
    const texts = new Set([reserved, `${reserved}.x`, `${reserved}/x`, `${reserved}ize`])
    for (let i = 0; i <= reserved.length; i++) {
      texts.add(reserved.slice(0, i))
      texts.add(reserved.slice(0, i) + reserved.slice(i + 1))
      for (const character of CHARACTERS) {
        texts.add(reserved.slice(0, i) + character + reserved.slice(i))
        texts.add(reserved.slice(0, i) + character + reserved.slice(i + 1))
      }
    }
    for (const text of texts) {
      for (const byteOrder of ['little', 'big'] as const) yield filled(template(code, text.length, byteOrder), text)
    }
  }
}

function filled({ bytes, at }: { bytes: Uint8Array; at: number }, text: string): Uint8Array {
  const message = bytes.slice()
  for (let i = 0; i < text.length; i++) message[at + i] = text.charCodeAt(i)
  return message
}
