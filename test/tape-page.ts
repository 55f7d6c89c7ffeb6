// Writes docs/tape.md: what the tape is, with words, slots and offsets as the product leaves them in linear memory.
import { readFileSync } from 'node:fs'
import { type Engine, type EngineName, idleEngine } from '../js/engine.ts'
import { type Codec, createCodec, MessageType, Variant } from '../js/index.ts'
import {
  ABI_VERSION,
  CONTROL_FIELDS,
  CONTROL_HEADER_SLOT,
  CONTROL_SEED,
  CONTROL_TAPE_END,
  FIELD_ABSENT,
  FIELD_LAST,
  FIELD_RECORD,
  INTERN_INFO,
  INTERN_RECORD,
  INTERN_RECORDS,
  INTERN_TEXTS,
  PLAN_FIRST,
  PLAN_RECORD,
  PLAN_SINGLES,
  PLAN_TABLE,
  TAPE,
  TEXT_GAP,
  TEXT_INTERNED,
  WINDOW,
} from '../js/wire.ts'
import { bodyNotes, type Note } from './tape-notes.ts'
import { BULK, DECODING, ENCODING, HEADER, INTRODUCTION, LIMITS, MEMORY, SECOND, WORDS } from './tape-text.ts'

const layout = readFileSync(new URL('../assembly/shared/layout.ts', import.meta.url), 'utf8')

/** The comment above a constant of layout.ts: diagrams are drawn once, there. */
function drawing(constant: string): string {
  const [, lines] = layout.match(new RegExp(`((?:^//.*\\n)+)export const ${constant} = `, 'm')) as RegExpMatchArray
  const text = lines.replace(/^\/\/ ?/gm, '').split('\n')
  const first = text.findIndex((line) => /^ {2,}\S/.test(line))
  const last = text.findLastIndex((line) => /^ {2,}\S/.test(line) || /^ +└/.test(line))
  return fenced(text.slice(first, last + 1).join('\n'))
}

const fenced = (text: string): string => `\`\`\`text\n${text}\n\`\`\``

const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0')

/** Rows of 16 bytes from an address that stands for `offset`. */
export function dump(bytes: Uint8Array, offset = 0): string {
  const rows: string[] = []
  for (let at = 0; at < bytes.length; at += 16) {
    const part = [...bytes.subarray(at, at + 16)]
    const columns = part.map((byte, i) => (i === 8 ? ' ' : '') + byte.toString(16).padStart(2, '0')).join(' ')
    const text = part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')
    rows.push(`${String(offset + at).padStart(6)}  ${columns.padEnd(49)}  ${text}`)
  }
  return rows.join('\n')
}

const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes)

/** Rows of { address, words, meaning }. */
function rows(notes: readonly Note[]): string {
  return fenced(
    notes.map(({ at, words, text }) => `${hex(at).slice(2)}  ${words.map(hex).join(' ').padEnd(17)}  ${text}`).join('\n'),
  )
}

/** What a fresh instance leaves on its tape. Which slot a text gets is random: here slots are numbered as they come. */
class Example {
  readonly codec: Codec
  readonly engine: Engine
  readonly #slots: number[] = []

  constructor(name: EngineName) {
    this.codec = createCodec({ engine: name })
    this.engine = idleEngine(name)
    // So that no two of its texts ever share a slot.
    this.engine.i32[CONTROL_SEED >> 2] = 0
  }

  words(from: number, to: number): number[] {
    return [...this.engine.i32.subarray(from >> 2, to >> 2)]
  }

  text(address: number, length: number): string {
    return latin1(this.engine.u8.subarray(address, address + length))
  }

  /** The text that a reference of two words says. */
  reference(first: number, second: number, area: number): string {
    if (first & TEXT_INTERNED) {
      const slot = first & ~TEXT_INTERNED
      const length = this.engine.i32[(INTERN_RECORDS + slot * INTERN_RECORD + INTERN_INFO) >> 2] & 0xff
      return `slot ${this.#number(slot)}, generation ${second}: "${this.text(INTERN_TEXTS + slot * 64, length)}"`
    }
    return `${area === WINDOW ? 'offset' : 'text area +'} ${first}, ${second} bytes: "${this.text(area + first, second)}"`
  }

  #number(slot: number): number {
    if (!this.#slots.includes(slot)) this.#slots.push(slot)
    return this.#slots.indexOf(slot) + 1
  }

  signature(number: number): string {
    const { i32 } = this.engine
    const record = (PLAN_TABLE + (number - PLAN_FIRST) * PLAN_RECORD) >> 2
    const [at, length] = number < PLAN_FIRST ? [PLAN_SINGLES + number * 4, 1] : [i32[record], i32[record + 1]]
    return this.words(at, at + length * 4)
      .map((word) => String.fromCharCode(word & 0xff))
      .join('')
  }

  plan(signature: string): Note[] {
    for (let number = PLAN_FIRST; ; number++) {
      if (this.signature(number) !== signature) continue
      const at = this.engine.i32[(PLAN_TABLE + (number - PLAN_FIRST) * PLAN_RECORD) >> 2]
      return this.words(at, at + signature.length * 4).map((word, i) => ({ at: at + i * 4, words: [word], text: planText(word) }))
    }
  }

  fields(): Note[] {
    const notes: Note[] = []
    for (let code = 1; code <= FIELD_LAST; code++) {
      const at = CONTROL_FIELDS + code * FIELD_RECORD
      const words = this.words(at, at + FIELD_RECORD)
      if (words[1] === FIELD_ABSENT) continue
      notes.push({ at, words, text: `${FIELDS[code]}: offset ${words[0]}, ${words[1]} bytes` })
    }
    return notes
  }

  body(signature: string, area: number, end: number): Note[] {
    const notes = bodyNotes(signature, this.words(TAPE, end), TAPE, {
      reference: (first, second) => this.reference(first, second, area),
      signature: (number) => this.signature(number),
    })
    for (const { words } of notes) {
      if (words.length === 2 && words[0] & TEXT_INTERNED) words[0] = TEXT_INTERNED | this.#number(words[0] & ~TEXT_INTERNED)
    }
    return notes
  }
}

const FIELDS = ['', 'PATH', 'INTERFACE', 'MEMBER', 'ERROR_NAME', 'REPLY_SERIAL', 'DESTINATION', 'SENDER', 'SIGNATURE', 'UNIX_FDS']

function planText(word: number): string {
  const type = String.fromCharCode(word & 0xff)
  const size = (word >> 12) & 15
  return `'${type}'  alignment ${(word >> 8) & 15}, ${size === 0 ? 'no fixed size' : `size ${size}`}, span ${(word >> 16) & 0xff}`
}

const RSSI = {
  type: MessageType.SIGNAL,
  flags: 1,
  serial: 7,
  path: '/org/bluez/hci0/dev_00_11_22_33_44_55',
  interface: 'org.freedesktop.DBus.Properties',
  member: 'PropertiesChanged',
  sender: ':1.4',
  signature: 'sa{sv}as',
  body: ['org.bluez.Device1', { RSSI: new Variant('n', -67) }, []],
} as const

// One value for each row of the table of words.
const SAMPLES: readonly [signature: string, values: readonly unknown[], shown: string][] = [
  ['y', [7], '7'],
  ['b', [true], 'true'],
  ['n', [-2], '-2'],
  ['u', [4294967295], '4294967295'],
  ['x', [-2n], '-2n'],
  ['yt', [7, 2n], '7, 2n'],
  ['d', [1.5], '1.5'],
  ['s', ['tape'], '"tape"'],
  ['s', ['Bänder'], '"Bänder"'],
  ['an', [[1, -1]], '[1, -1]'],
  ['as', [['a', 'bc']], '["a", "bc"]'],
  ['a{yq}', [new Map([[1, 2]])], 'Map { 1 → 2 }'],
  ['(yy)', [[1, 2]], '[1, 2]'],
  ['v', [new Variant('q', 9)], "Variant 'q', 9"],
  ['v', [new Variant('(qq)', [8, 9])], "Variant '(qq)', [8, 9]"],
]

/** The page. The same from every engine: they are one source. */
export function tapePage(name: EngineName): string {
  const example = new Example(name)
  const { codec, engine } = example

  const bytes = codec.encode(RSSI)
  const writtenEnd = endOf(bodyNotes(RSSI.signature, example.words(TAPE, TAPE + 256), TAPE))
  const written = example.body(RSSI.signature, engine.text, writtenEnd)
  const area = engine.u8.slice(engine.text, engine.text + 128)
  const areaEnd = area.findLastIndex((byte) => byte !== 0)

  codec.decode(bytes)
  const fields = example.fields()
  const first = example.body(RSSI.signature, WINDOW, engine.i32[CONTROL_TAPE_END >> 2])
  codec.decode(bytes)
  const second = example.body(RSSI.signature, WINDOW, engine.i32[CONTROL_TAPE_END >> 2])
  codec.decode(bytes)
  const memo = engine.i32[CONTROL_HEADER_SLOT >> 2]

  const table = SAMPLES.map(([signature, values, shown]) => {
    codec.unmarshal(signature, codec.marshal(signature, values as unknown[]))
    const end = engine.i32[CONTROL_TAPE_END >> 2]
    // Words that alignment skips keep what was there before: no one reads them.
    const notes = bodyNotes(signature, example.words(TAPE, end), TAPE)
    return `| \`${signature}\` | ${shown} | ${notes.map(({ words, skipped }) => (skipped ? '·' : `\`${words.map(hex).join(' ')}\``)).join(' ')} |`
  })

  const gaps = gapExample(example)
  return [
    INTRODUCTION(ABI_VERSION),
    WORDS,
    ['| signature | value | words |', '| --- | --- | --- |', ...table].join('\n'),
    DECODING,
    drawing('TEXT_INTERNED'),
    fenced(dump(bytes)),
    HEADER,
    drawing('CONTROL_FIELDS'),
    rows(fields),
    "The body's plan, one word for each character of `sa{sv}as`:",
    rows(example.plan(RSSI.signature)),
    `The body starts at offset ${bodyOffset(bytes)}. The tape after the first decode, address by address:`,
    rows(first),
    SECOND,
    rows(second),
    `From its third decode on, the header is not read at all: ${memo < 0 ? 'no slot' : 'a slot'} of the header memo has the same field array.`,
    drawing('MEMO_COUNT'),
    ENCODING,
    rows(written),
    'The text area, to which these offsets are relative. Header texts come first; each starts on a multiple of 4:',
    fenced(dump(area.subarray(0, areaEnd + 1))),
    BULK,
    'Before the call:',
    rows(gaps.before),
    'After it:',
    rows(gaps.after),
    gaps.text,
    MEMORY,
    drawing('ABI_VERSION'),
    drawing('INTERN_COUNT'),
    LIMITS,
  ].join('\n\n')
}

const endOf = (notes: readonly Note[]): number => {
  const last = notes.at(-1) as Note
  return last.at + last.words.length * 4
}

function bodyOffset(bytes: Uint8Array): number {
  return bytes.length - new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true)
}

/** A long array is left out of linear memory, a short one is not. */
function gapExample(example: Example): { before: Note[]; after: Note[]; text: string } {
  const { codec, engine } = example
  const { exports } = engine
  let before: Note[] = []
  const notes = (): Note[] => {
    const words = example.words(TAPE, TAPE + 16)
    const bulk = (i: number): string => {
      const [first, second] = [words[i], words[i + 1]]
      return first & TEXT_GAP
        ? `BULK_INLINE, text area + ${first & ~TEXT_GAP}, ${second} bytes`
        : `array number ${first} of the caller's, ${second} bytes`
    }
    return [0, 2].map((i) => ({ at: TAPE + i * 4, words: words.slice(i, i + 2), text: bulk(i) }))
  }
  // Looks at the tape on its way to the core.
  const watched = {
    ...exports,
    marshal: (plan: number, from: number, flags: number): number => {
      before = notes()
      return exports.marshal(plan, from, flags)
    },
  }
  Object.defineProperty(engine, 'exports', { value: watched, configurable: true, writable: true })
  const bytes = codec.marshal('ayan', [new Uint8Array(2000).fill(0xaa), [1, -1]])
  Object.defineProperty(engine, 'exports', { value: exports, configurable: true, writable: true })

  const [gapAt, resumed] = example.words(TAPE, TAPE + 8)
  const after = notes()
  after[0].text = `the gap is at offset ${gapAt}; the output goes on at address ${hex(resumed).slice(2)}`
  const length = resumed - engine.output + bytes.length - gapAt - 2000
  const text = [
    `The result has ${bytes.length} bytes, of which linear memory holds ${length} from address ${hex(engine.output).slice(2)} on (${engine.output & 7} modulo`,
    '8, as offset 0 is): first the length of the gap, then, where address and offset agree modulo 8 again, what follows it:',
    '',
    fenced(dump(engine.u8.slice(engine.output, engine.output + length), 0)),
  ].join('\n')
  return { before, after, text }
}
