// The cursors on the tape, one for each direction: where words, texts and bulk bytes come from and go to.
import { Refusal } from './check.ts'
import type { Engine } from './engine.ts'
import type { Fault } from './errors.ts'
import {
  asciiText,
  bytesAsCharacters,
  copyPart,
  cutBytes,
  isWellFormed,
  ownBytes,
  SHORT_TEXT,
  utf8Length,
  utf8Text,
  writeUtf8,
} from './strings.ts'
import type { Texts } from './texts.ts'
import { viewOf } from './values.ts'
import {
  CONTROL_ORDER,
  FAULT_FD_INDEX,
  FAULT_TEXT_NUL,
  FAULT_TEXT_SURROGATE,
  TAPE,
  TEXT_GAP,
  TEXT_WIDE,
  WINDOW,
  WINDOW_SIZE,
} from './wire.ts'

/** A value that the options do not let through; becomes a DBusCodecError once its path is known. @internal */
export class Unreadable {
  readonly fault: Fault
  readonly detail: string

  constructor(fault: Fault, detail: string) {
    this.fault = fault
    this.detail = detail
  }
}

/** Reads one value at the cursor. @internal */
export type Read = (r: Reader) => unknown

/** What a variant on the tape refers to. @internal */
export interface VariantPlan {
  readonly signature: string
  readonly read: Read
}

/** Writes one value at the cursor. @internal */
export type Write = (w: Writer, value: unknown) => void

/** What a variant that is being written needs to know of its signature. @internal */
export interface VariantWriter {
  /** The word on the tape. */
  readonly number: number
  readonly write: Write
}

/** Part of a message that the caller's bytes, or text, fill. @internal */
export interface Gap {
  /** Index of its reference on the tape. */
  readonly p: number
  readonly bytes: Uint8Array | undefined
  readonly text: string
  readonly length: number
  /** More than 1: reversed by that many bytes in a big-endian message. */
  readonly elementSize: number
}

// A message up to this length is turned into one string at the first text that is not known, and all its texts are cut from that: one
// slice instead of many. Longer texts keep their parent alive, so only for small messages (bench/breakdown).
const SMALL_MESSAGE = 1024

// Up to this many bytes a typed array has its elements in V8's heap, and a loop beats the view that `set` needs.
const FEW_BYTES = 64

/** The cursor on the tape, and where text and bulk bytes come from. One for each codec and engine. @internal */
export class Reader {
  readonly engine: Engine
  readonly texts: Texts
  /** Index of the next word. */
  p = 0
  i32: Int32Array
  f64: Float64Array
  i64: BigInt64Array
  u64: BigUint64Array
  /** Descriptors that came with the message. */
  fds: readonly unknown[] | undefined = undefined
  /** The plan of a variant by its number on the tape. */
  readonly variants: (number: number, r: Reader) => VariantPlan
  plans: (VariantPlan | undefined)[] = []

  private given: Uint8Array = NOTHING
  private bytes: Uint8Array = NOTHING
  private base = 0
  private length = 0
  private whole = false
  private characters: string | undefined = undefined

  constructor(engine: Engine, texts: Texts, variants: (number: number, r: Reader) => VariantPlan) {
    this.engine = engine
    this.texts = texts
    this.variants = variants
    this.i32 = engine.i32
    this.f64 = engine.f64
    this.i64 = engine.i64
    this.u64 = engine.u64
  }

  /** Starts at the tape's first word. `given`: the caller's bytes; `phase`: the offset of the first of them. */
  start(given: Uint8Array, phase: number): void {
    const engine = this.engine
    if (this.i32 !== engine.i32) {
      this.i32 = engine.i32
      this.f64 = engine.f64
      this.i64 = engine.i64
      this.u64 = engine.u64
    }
    this.p = TAPE >> 2
    this.given = given
    this.length = given.length + phase
    this.whole = this.length <= WINDOW_SIZE
    this.bytes = this.whole ? engine.u8 : engine.opened
    this.base = this.whole ? WINDOW : -phase
    this.phase = phase
    this.characters = undefined
  }
  private phase = 0

  /** Lets go of the message. */
  end(): void {
    this.given = NOTHING
    this.bytes = NOTHING
    this.characters = undefined
    this.fds = undefined
  }

  /** Lets go of the engine's memory, for good. */
  letGo(): void {
    this.i32 = this.f64 = this.i64 = this.u64 = undefined as never
  }

  text(): string {
    const i32 = this.i32
    const p = this.p
    const first = i32[p]
    const second = i32[p + 1]
    this.p = p + 2
    if (first < 0) return this.texts.get(this.engine, first & 0x7fffffff, second)
    return second === 0 ? '' : this.messageText(first, second)
  }

  /** Text of the message at an offset; the top bit of `length` says that it is not all ASCII. */
  messageText(offset: number, length: number): string {
    if (length < 0) {
      const at = this.base + offset
      return utf8Text(this.bytes, at, at + (length & 0x7fffffff))
    }
    if (this.length <= SMALL_MESSAGE) {
      let characters = this.characters
      if (characters === undefined) {
        characters = bytesAsCharacters(this.bytes, this.base, this.base + this.length)
        this.characters = characters
      }
      if (characters !== undefined) return characters.substring(offset, offset + length)
    }
    const at = this.base + offset
    return asciiText(this.bytes, at, at + length)
  }

  /** The signature whose length byte is at an offset of the message. */
  signatureAt(offset: number): string {
    const at = this.base + offset
    return asciiText(this.bytes, at + 1, at + 1 + this.bytes[at])
  }

  /** Bulk bytes of the reader's own, in native byte order. */
  ownBytes(elementSize: number): Uint8Array {
    const offset = this.i32[this.p]
    const length = this.i32[this.p + 1]
    this.p += 2
    const at = this.base + offset
    const bytes = this.bytes
    if (length <= FEW_BYTES && elementSize === 1) {
      const few = new Uint8Array(length)
      for (let i = 0; i < length; i++) few[i] = bytes[at + i]
      return few
    }
    const own = elementSize === 1 ? cutBytes(length) : ownBytes(length)
    // A shape's function may have detached the caller's bytes: `set` finds out, `copy` believes.
    if (this.whole) copyPart(bytes, at, at + length, own, 0)
    else own.set(bytes.subarray(at, at + length))
    if (elementSize > 1 && !this.whole && this.i32[CONTROL_ORDER >> 2] !== 0) this.engine.reverse(own, elementSize)
    return own
  }

  /** Bulk bytes as a view of what the caller gave. */
  viewBytes(): Uint8Array {
    const offset = this.i32[this.p] - this.phase
    const length = this.i32[this.p + 1]
    this.p += 2
    // Not a Buffer, even when the message came in one.
    return viewOf(this.given, offset, length)
  }

  fd(index: number): unknown {
    const fds = this.fds
    if (fds === undefined) return index
    if (index >= fds.length) {
      throw new Unreadable(FAULT_FD_INDEX, `index ${index} of ${fds.length}`)
    }
    return fds[index]
  }
}

const NOTHING = new Uint8Array(0)

// A string of this many characters goes straight from the caller's text into the message (bench/text).
const LONG_TEXT = 4096
// So many keys of a message are written without asking whether they have been before (bench/peers, GetManagedObjects).
const FEW_KEYS = 256

/** The cursor on the tape and on the text behind it. One for each codec and engine. @internal */
export class Writer {
  readonly engine: Engine
  /** Index of the next word. */
  p = 0
  /** Words up to here may be written. */
  limit = 0
  i32: Int32Array
  f64: Float64Array
  i64: BigInt64Array
  u64: BigUint64Array
  u8: Uint8Array
  /** Address of the text area, of the next text and of its end. */
  textStart = 0
  textAt = 0
  textEnd = 0
  /** Variants round the value that is being written. */
  depth = 0
  gaps: Gap[] = []
  /** The plans of variants of one character, by its code, as far as they have been met. */
  basics: (VariantWriter | undefined)[] = []
  readonly variants: (signature: string, w: Writer, at: number) => VariantWriter

  constructor(engine: Engine, variants: (signature: string, w: Writer, at: number) => VariantWriter) {
    this.engine = engine
    this.variants = variants
    this.i32 = engine.i32
    this.f64 = engine.f64
    this.i64 = engine.i64
    this.u64 = engine.u64
    this.u8 = engine.u8
  }

  start(): void {
    this.p = TAPE >> 2
    this.textAt = this.engine.text
    this.depth = 0
    this.keys = 0
    this.end()
    this.adopt()
  }

  /** Lets go of the message. */
  end(): void {
    if (this.gaps.length > 0) this.gaps = []
    if (this.known.size > 0) this.known = new Map()
  }

  /** Lets go of the engine's memory, for good. */
  letGo(): void {
    this.i32 = this.f64 = this.i64 = this.u64 = this.u8 = undefined as never
  }

  private adopt(): void {
    const engine = this.engine
    this.i32 = engine.i32
    this.f64 = engine.f64
    this.i64 = engine.i64
    this.u64 = engine.u64
    this.u8 = engine.u8
    this.textStart = engine.text
    // Slack: words are copied whole.
    this.textEnd = engine.output - 16
    this.limit = (engine.text >> 2) - 4
  }

  /** More room for the tape. Every value asks for it when `p` has reached `limit`; a value takes four words at most. */
  more(): void {
    const used = this.textAt - this.textStart
    this.engine.widen('tape', used, 0)
    this.adopt()
    this.textAt = this.textStart + used
  }

  /** More room for text: `bytes` from `textAt` on. */
  moreText(bytes: number): void {
    this.engine.widen('text', this.textAt - this.textStart, bytes)
    this.adopt()
  }

  word(word: number): void {
    if (this.p >= this.limit) this.more()
    this.i32[this.p++] = word
  }

  /** A text into the text area; its reference on the tape. `gap`: a long one may be left to be filled in at the end. */
  text(text: string, at: number, gap: boolean): void {
    if (this.p >= this.limit) this.more()
    const p = this.p
    if (gap && text.length >= LONG_TEXT) {
      const length = this.checkText(text, at)
      this.i32[p] = TEXT_GAP | this.gaps.length
      this.i32[p + 1] = length | TEXT_WIDE
      this.gaps.push({ p, bytes: undefined, text, length, elementSize: 1 })
    } else {
      this.store(text, at)
      this.i32[p] = this.textOffset
      this.i32[p + 1] = this.textLength
    }
    this.p = p + 2
  }

  /** The key of a dict. */
  key(text: string, at: number): void {
    if (++this.keys > FEW_KEYS && text.length > 0) {
      // A long message says the same names again and again: the second time, its first reference will do.
      const known = this.known.get(text)
      if (known !== undefined) {
        if (this.p >= this.limit) this.more()
        this.i32[this.p] = this.i32[known]
        this.i32[this.p + 1] = this.i32[known + 1]
        this.p += 2
        return
      }
      this.known.set(text, this.p)
    }
    this.text(text, at, false)
  }
  private keys = 0
  private known = new Map<string, number>()

  /** Offset and length of the text stored last; the length's top bit says that it is not all ASCII. */
  textOffset = 0
  textLength = 0

  /** A text into the text area. NUL in a text of ASCII is left for assembly/ to find, which looks at every character anyway. */
  store(text: string, at: number): void {
    const length = text.length
    let start = this.textAt
    let wide = false
    if (length <= SHORT_TEXT) {
      if (start + SHORT_TEXT > this.textEnd) {
        this.moreText(SHORT_TEXT)
        start = this.textAt
      }
      const u8 = this.u8
      for (let i = 0; i < length; i++) {
        const c = text.charCodeAt(i)
        if (c > 127) {
          wide = true
          break
        }
        u8[start + i] = c
      }
    }
    let bytes = length
    if (wide || length > SHORT_TEXT) {
      // No character has more than three bytes for each of its units.
      if (start + length * 3 > this.textEnd) {
        this.moreText(length * 3)
        start = this.textAt
      }
      bytes = writeUtf8(this.u8, text, start, length * 3)
      if (bytes !== length) {
        this.checkText(text, at)
        wide = true
      }
    }
    this.textOffset = start - this.textStart
    this.textLength = wide ? bytes | TEXT_WIDE : bytes
    // Texts start on a word, so that they can be hashed and copied by words.
    this.textAt = (start + bytes + 3) & ~3
  }

  /** Puts { length, characters } of a signature into the text area: its offset there. */
  looseSignature(signature: string): number {
    const length = signature.length
    if (this.textAt + length + 8 > this.textEnd) this.moreText(length + 8)
    const start = this.textAt
    this.i32[start >> 2] = length
    for (let i = 0; i < length; i++) this.u8[start + 4 + i] = signature.charCodeAt(i)
    this.textAt = (start + 4 + length + 3) & ~3
    return start - this.textStart
  }

  /** The length of a text's UTF-8 form; refuses what has none, and NUL. */
  checkText(text: string, at: number): number {
    const nul = text.indexOf('\0')
    if (nul >= 0) throw new Refusal(FAULT_TEXT_NUL, at, `at character ${nul}`)
    const length = utf8Length(text)
    if (length !== text.length && !isWellFormed(text)) throw new Refusal(FAULT_TEXT_SURROGATE, at)
    return length
  }
}
