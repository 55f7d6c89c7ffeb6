// Values to tape. A plan becomes closures, one for each complete type; each checks its value and puts its words. What does not fit is
// refused where it stands, never wrapped round or guessed. Nothing here knows of alignment, padding, byte order or wire lengths.
import type { Engine } from './engine.ts'
import type { Fault } from './errors.ts'
import { spanOf } from './reader.ts'
import { isWellFormed, utf8Length, writeUtf8 } from './strings.ts'
import { bytesOf, elementsOf, isMap, isVariant, type ShapeChoice, typedArrayKind, Variant } from './values.ts'
import { writeBulk } from './bulk.ts'
import {
  FAULT_DEPTH,
  FAULT_TEXT_NUL,
  FAULT_TEXT_SURROGATE,
  FAULT_VALUE_COUNT,
  FAULT_VALUE_RANGE,
  FAULT_VALUE_TYPE,
  FAULT_VARIANT_EMPTY,
  FAULT_VARIANT_MULTIPLE,
  MAX_DEPTH,
  TAPE,
  TEXT_GAP,
  TYPE_ARRAY,
  TYPE_BOOLEAN,
  TYPE_BYTE,
  TYPE_DICT_ENTRY,
  TYPE_DOUBLE,
  TYPE_INT16,
  TYPE_INT32,
  TYPE_INT64,
  TYPE_OBJECT_PATH,
  TYPE_SIGNATURE,
  TYPE_STRING,
  TYPE_STRUCT,
  TYPE_UINT16,
  TYPE_UINT32,
  TYPE_UINT64,
  TYPE_UNIX_FD,
  TYPE_VARIANT,
} from './wire.ts'

/** Writes one value at the cursor. @internal */
export type Write = (w: Writer, value: unknown) => void

/** What a variant that is being written needs to know of its signature. @internal */
export interface VariantWriter {
  /** The word on the tape. */
  readonly number: number
  readonly write: Write
}

/** A value that cannot be written; becomes a DBusCodecError once its path is known. @internal */
export class Refusal {
  readonly fault: Fault
  readonly detail: string | undefined
  /** Word of the plan. */
  readonly at: number
  /** Index of the element of a bulk array. */
  element: number | undefined = undefined
  /** A path that is already known, for header fields. */
  readonly path: string | undefined

  constructor(fault: Fault, at: number, detail?: string, path?: string) {
    this.fault = fault
    this.at = at
    this.detail = detail
    this.path = path
  }
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

// A string of this many characters goes straight from the caller's text into the message (bench/text).
const LONG_TEXT = 4096
// Up to this many characters a loop over char codes beats Buffer's write.
const SHORT_TEXT = 48

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
    if (this.gaps.length > 0) this.gaps = []
    this.adopt()
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
    const length = text.length
    if (length > SHORT_TEXT) return this.longText(text, at, gap)
    if (this.textAt + SHORT_TEXT > this.textEnd) this.moreText(SHORT_TEXT)
    const u8 = this.u8
    const start = this.textAt
    for (let i = 0; i < length; i++) {
      const c = text.charCodeAt(i)
      if (c - 1 >= 127 || c === 0) return this.longText(text, at, gap)
      u8[start + i] = c
    }
    const p = this.p
    this.i32[p] = start - this.textStart
    this.i32[p + 1] = length
    this.p = p + 2
    // Texts start on a word, so that they can be hashed and copied by words.
    this.textAt = (start + length + 3) & ~3
  }

  private longText(text: string, at: number, gap: boolean): void {
    const length = this.checkText(text, at)
    if (gap && length >= LONG_TEXT) {
      this.gaps.push({ p: this.p, bytes: undefined, text, length, elementSize: 1 })
      this.i32[this.p] = TEXT_GAP | (this.gaps.length - 1)
      this.i32[this.p + 1] = length
      this.p += 2
      return
    }
    if (this.textAt + length > this.textEnd) this.moreText(length)
    writeUtf8(this.u8, text, this.textAt, length)
    this.i32[this.p] = this.textAt - this.textStart
    this.i32[this.p + 1] = length
    this.p += 2
    this.textAt = (this.textAt + length + 3) & ~3
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

/** What a value is, for an error's sentence: short, whatever the value. @internal */
export function shown(value: unknown): string {
  if (typeof value === 'string') return value.length > 20 ? `a string of ${value.length}` : JSON.stringify(value)
  if (typeof value === 'bigint') return `${String(value).slice(0, 40)}n`
  if (typeof value === 'symbol' || typeof value === 'function') return `a ${typeof value}`
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? `an array of ${value.length}` : 'an object'
}

/** Refuses a value of the wrong kind. @internal */
export function wrongType(at: number, expected: string, value: unknown): never {
  let got: string
  try {
    got = shown(value)
  } catch {
    got = 'something that cannot be looked at'
  }
  throw new Refusal(FAULT_VALUE_TYPE, at, `expected ${expected}, got ${got}`)
}

/** Refuses a number that does not fit its type. @internal */
export function outOfRange(at: number, expected: string, value: unknown): never {
  throw new Refusal(FAULT_VALUE_RANGE, at, `expected ${expected}, got ${shown(value)}`)
}

function badInteger(at: number, expected: string, value: unknown): never {
  if (typeof value !== 'number') wrongType(at, expected, value)
  outOfRange(at, expected, value)
}

const INTEGERS: Record<number, [least: number, most: number, expected: string]> = {
  [TYPE_BYTE]: [0, 0xff, 'an integer from 0 to 255'],
  [TYPE_INT16]: [-0x8000, 0x7fff, 'an integer from -32768 to 32767'],
  [TYPE_UINT16]: [0, 0xffff, 'an integer from 0 to 65535'],
  [TYPE_INT32]: [-0x80000000, 0x7fffffff, 'an integer from -2147483648 to 2147483647'],
  [TYPE_UINT32]: [0, 0xffffffff, 'an integer from 0 to 4294967295'],
  [TYPE_UNIX_FD]: [0, 0xffffffff, 'a descriptor index from 0 to 4294967295'],
}

/** Checks an integer of up to 32 bits. @internal */
export function integerOf(type: number, at: number, value: unknown): number {
  const [least, most, expected] = INTEGERS[type]
  // `% 1` is NaN for NaN and for the infinities, so that they do not pass either.
  if (typeof value === 'number' && value >= least && value <= most && value % 1 === 0) return value
  badInteger(at, expected, value)
}

const INT64: [bigint, bigint, string] = [-(1n << 63n), (1n << 63n) - 1n, 'an integer from -2^63 to 2^63 - 1']
const UINT64: [bigint, bigint, string] = [0n, (1n << 64n) - 1n, 'an integer from 0 to 2^64 - 1']

/** Checks an integer of 64 bits, given as bigint or as number that is exact. @internal */
export function bigintOf(type: number, at: number, value: unknown): bigint {
  const [least, most, expected] = type === TYPE_INT64 ? INT64 : UINT64
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) outOfRange(at, `${expected}, as bigint beyond 2^53`, value)
    if (value < 0 && type === TYPE_UINT64) outOfRange(at, expected, value)
    return BigInt(value)
  }
  if (typeof value !== 'bigint') wrongType(at, expected, value)
  if (value < least || value > most) outOfRange(at, expected, value)
  return value
}

/** Checks a double: any number, NaN and the infinities included. @internal */
export function doubleOf(at: number, value: unknown): number {
  return typeof value === 'number' ? value : wrongType(at, 'a number', value)
}

/** The writer of the complete type at word `at` of a plan. @internal */
export function makeWrite(words: Int32Array, at: number, choice: ShapeChoice, signature: string): Write {
  const type = words[at] & 0xff
  const shape = choice.shape
  switch (type) {
    case TYPE_BYTE:
    case TYPE_INT16:
    case TYPE_UINT16:
    case TYPE_INT32:
    case TYPE_UINT32: {
      const convert = shape.toNumber
      const code = signature[at]
      return convert === undefined
        ? (w, value) => w.word(integerOf(type, at, value))
        : (w, value) => w.word(integerOf(type, at, convert(value, code)))
    }
    case TYPE_UNIX_FD: {
      const convert = shape.toUnixFd
      return convert === undefined
        ? (w, value) => w.word(integerOf(type, at, value))
        : (w, value) => w.word(integerOf(type, at, convert(value)))
    }
    case TYPE_BOOLEAN: {
      const convert = shape.toBoolean
      return (w, given) => {
        const value = convert === undefined ? given : convert(given)
        if (typeof value !== 'boolean') wrongType(at, 'a boolean', value)
        w.word(value ? 1 : 0)
      }
    }
    case TYPE_INT64:
    case TYPE_UINT64: {
      const convert = shape.toInt64
      const code = signature[at]
      return (w, value) => {
        const big = bigintOf(type, at, convert === undefined ? value : convert(value, code))
        if (w.p >= w.limit) w.more()
        const i = (w.p + 1) >> 1
        w.u64[i] = big
        w.p = (i << 1) + 2
      }
    }
    case TYPE_DOUBLE: {
      const convert = shape.toNumber
      return (w, value) => {
        const number = doubleOf(at, convert === undefined ? value : convert(value, 'd'))
        if (w.p >= w.limit) w.more()
        const i = (w.p + 1) >> 1
        w.f64[i] = number
        w.p = (i << 1) + 2
      }
    }
    case TYPE_STRING:
    case TYPE_OBJECT_PATH:
    case TYPE_SIGNATURE: {
      const convert = shape.toText
      const code = signature[at]
      const gap = type === TYPE_STRING
      return (w, given) => {
        const value = convert === undefined ? given : convert(given, code)
        if (typeof value !== 'string') wrongType(at, 'a string', value)
        w.text(value, at, gap)
      }
    }
    case TYPE_VARIANT:
      return makeWriteVariant(at, choice)
    case TYPE_STRUCT:
      return makeWriteStruct(words, at, choice, signature)
    case TYPE_ARRAY:
      return makeWriteArray(words, at, choice, signature)
    default:
      throw new Error('not a plan')
  }
}

function makeWriteVariant(at: number, choice: ShapeChoice): Write {
  const { variantSignature, variantValue } = choice.shape
  return (w, given) => {
    let signature: unknown
    let value: unknown
    if (variantSignature !== undefined) {
      signature = variantSignature(given)
      value = variantValue === undefined ? given : variantValue(given)
    } else {
      if (!(given instanceof Variant) && !isVariant(given)) wrongType(at, 'a Variant', given)
      signature = given.signature
      value = given.value
    }
    if (typeof signature !== 'string') wrongType(at, 'a Variant whose signature is a string', signature)
    // Data that contains itself would recurse without end.
    if (++w.depth > MAX_DEPTH) throw new Refusal(FAULT_DEPTH, at)
    const plan = w.variants(signature, w, at)
    w.word(plan.number)
    plan.write(w, value)
    w.depth--
  }
}

/** Refuses a variant's signature that is not one complete type. @internal */
export function checkSingle(words: Int32Array, at: number, signature: string): void {
  if (words.length === 0) throw new Refusal(FAULT_VARIANT_EMPTY, at)
  if (spanOf(words[0]) !== words.length) throw new Refusal(FAULT_VARIANT_MULTIPLE, at, JSON.stringify(signature))
}

/** Writes the members of a struct or body, which must be as many as there are types. @internal */
export function writeMembers(w: Writer, writes: readonly Write[], members: unknown, at: number): void {
  if (!Array.isArray(members)) {
    if (typedArrayKind(members) === undefined) wrongType(at, `an array of ${writes.length}`, members)
  }
  const values = members as unknown[]
  const count = writes.length
  if (values.length !== count) throw new Refusal(FAULT_VALUE_COUNT, at, `expected ${count}, got ${values.length}`)
  for (let i = 0; i < count; i++) writes[i](w, values[i])
}

function makeWriteStruct(words: Int32Array, at: number, choice: ShapeChoice, signature: string): Write {
  const end = at + spanOf(words[at]) - 1
  const writes: Write[] = []
  for (let i = at + 1; i < end; i += spanOf(words[i])) writes.push(makeWrite(words, i, choice, signature))
  const convert = choice.shape.structMembers
  return convert === undefined
    ? (w, value) => writeMembers(w, writes, value, at)
    : (w, value) => writeMembers(w, writes, convert(value), at)
}

function makeWriteArray(words: Int32Array, at: number, choice: ShapeChoice, signature: string): Write {
  const word = words[at + 1]
  const type = word & 0xff
  if ((word >> 12) & 15) return writeBulk(type, (word >> 12) & 15, at, choice)
  if (type === TYPE_DICT_ENTRY) return makeWriteDict(words, at, choice, signature)
  const element = makeWrite(words, at + 1, choice, signature)
  const convert = choice.shape.arrayElements
  const elementSignature = signature.slice(at + 1, at + 1 + spanOf(word))
  return (w, given) => {
    const value = convert === undefined ? given : convert(given, elementSignature)
    const list = listOf(value)
    if (list === undefined) wrongType(at, 'an array', value)
    const count = list.length
    w.word(count)
    for (let i = 0; i < count; i++) element(w, list[i])
  }
}

/** An array, or what can be made one: a typed array of any realm, or something iterable that is no string. @internal */
export function listOf(value: unknown): ArrayLike<unknown> | undefined {
  if (Array.isArray(value)) return value
  if (typeof value !== 'object' || value === null) return undefined
  if (typedArrayKind(value) !== undefined) {
    if (elementsOf(value) === 0) bytesOf(value)
    return value as ArrayLike<unknown>
  }
  if (isMap(value)) return undefined
  return typeof (value as Iterable<unknown>)[Symbol.iterator] === 'function' ? Array.from(value as Iterable<unknown>) : undefined
}

function makeWriteDict(words: Int32Array, at: number, choice: ShapeChoice, signature: string): Write {
  const keyAt = at + 2
  const keyType = words[keyAt] & 0xff
  const key = makeWrite(words, keyAt, choice, signature)
  const value = makeWrite(words, at + 3, choice, signature)
  const convert = choice.shape.dictEntries
  const keyCode = signature[keyAt]
  const fromText = keyFromText(keyType)
  return (w, given) => {
    const dict = convert === undefined ? given : convert(given, keyCode)
    const countAt = w.p
    if (isMap(dict)) {
      const size = dict.size
      w.word(size)
      let n = 0
      for (const [k, v] of dict) {
        // A getter that adds entries would keep us here for ever.
        if (n === size) break
        key(w, k)
        value(w, v)
        n++
      }
      w.i32[countAt] = n
    } else if (Array.isArray(dict)) {
      const count = dict.length
      w.word(count)
      for (let i = 0; i < count; i++) {
        const pair: unknown = dict[i]
        if (!Array.isArray(pair) || pair.length !== 2) wrongType(keyAt, 'a pair of key and value', pair)
        key(w, pair[0])
        value(w, pair[1])
      }
    } else if (isRecord(dict)) {
      const keys = Object.keys(dict)
      w.word(keys.length)
      for (let i = 0; i < keys.length; i++) {
        key(w, fromText === undefined ? keys[i] : fromText(keys[i], keyAt))
        value(w, dict[keys[i]])
      }
    } else {
      wrongType(at, 'an object, a Map or an array of pairs', dict)
    }
  }
}

// Dates, buffers, functions and other things with a life of their own are no dicts, though they are objects.
function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value) as unknown
  if (prototype === Object.prototype || prototype === null) return true
  return Object.prototype.toString.call(value) === '[object Object]' && !isVariant(value)
}

// An object's keys are strings; those of a dict of numbers must say exactly one number.
function keyFromText(type: number): ((key: string, at: number) => unknown) | undefined {
  if (type === TYPE_STRING || type === TYPE_OBJECT_PATH || type === TYPE_SIGNATURE) return undefined
  if (type === TYPE_BOOLEAN) {
    return (key, at) => (key === 'true' ? true : key === 'false' ? false : wrongType(at, '"true" or "false" as key', key))
  }
  if (type === TYPE_INT64 || type === TYPE_UINT64) {
    return (key, at) => (/^(0|-?[1-9][0-9]{0,19})$/.test(key) ? BigInt(key) : wrongType(at, 'an integer as key', key))
  }
  return (key, at) => {
    const number = Number(key)
    return String(number) === key ? number : wrongType(at, 'a number as key', key)
  }
}
