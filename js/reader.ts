// Tape to values. A plan becomes closures, one for each complete type; each reads its words and moves the cursor on. Nothing here
// knows of alignment, padding, byte order or wire lengths.
import type { Engine } from './engine.ts'
import type { Fault } from './errors.ts'
import { asciiText, bytesAsCharacters, utf8Text } from './strings.ts'
import { type NumberArray, type ShapeChoice, Variant } from './values.ts'
import {
  CONTROL_ORDER,
  FAULT_FD_INDEX,
  FAULT_UNSAFE_INTEGER,
  INTERN_COUNT,
  INTERN_INFO,
  INTERN_LENGTH,
  INTERN_RECORD,
  INTERN_RECORDS,
  INTERN_TEXTS,
  TAPE,
  TEXT_IS_WIDE,
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

// A message up to this length is turned into one string at the first text that is not known, and all its texts are cut from that: one
// slice instead of many. Longer texts keep their parent alive, so only for small messages (bench/breakdown).
const SMALL_MESSAGE = 1024

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
    if (this.whole) return this.bytes.slice(at, at + length)
    const own = new Uint8Array(length)
    own.set(this.bytes.subarray(at, at + length))
    if (elementSize > 1 && this.i32[CONTROL_ORDER >> 2] !== 0) this.engine.reverse(own, elementSize)
    return own
  }

  /** Bulk bytes as a view of what the caller gave. */
  viewBytes(): Uint8Array {
    const offset = this.i32[this.p] - this.phase
    const length = this.i32[this.p + 1]
    this.p += 2
    const { buffer, byteOffset } = this.given
    // Not a Buffer, even when the message came in one.
    return new Uint8Array(buffer, byteOffset + offset, length)
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

/** The JavaScript strings of interned text, one table for each engine instance. @internal */
export class Texts {
  private readonly strings: string[] = new Array<string>(INTERN_COUNT).fill('')
  private readonly generations = new Int32Array(INTERN_COUNT)

  get(engine: Engine, slot: number, generation: number): string {
    if (this.generations[slot] === generation) return this.strings[slot]
    const info = engine.i32[(INTERN_RECORDS + slot * INTERN_RECORD + INTERN_INFO) >> 2]
    const at = INTERN_TEXTS + slot * INTERN_LENGTH
    const end = at + (info & 0xff)
    const text = info & TEXT_IS_WIDE ? utf8Text(engine.u8, at, end) : asciiText(engine.u8, at, end)
    this.generations[slot] = generation
    this.strings[slot] = text
    return text
  }
}

const readByte: Read = (r) => r.i32[r.p++]
const readUint32: Read = (r) => r.i32[r.p++] >>> 0
const readBoolean: Read = (r) => r.i32[r.p++] !== 0
const readText: Read = (r) => r.text()
const readDouble: Read = (r) => {
  const at = (r.p + 1) >> 1
  r.p = (at << 1) + 2
  return r.f64[at]
}
const readInt64: Read = (r) => {
  const at = (r.p + 1) >> 1
  r.p = (at << 1) + 2
  return r.i64[at]
}
const readUint64: Read = (r) => {
  const at = (r.p + 1) >> 1
  r.p = (at << 1) + 2
  return r.u64[at]
}

function exact(value: bigint): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw new Unreadable(FAULT_UNSAFE_INTEGER, `${value}`)
  return number
}

function halves(make: (low: number, high: number) => unknown): Read {
  return (r) => {
    const at = (r.p + 1) & ~1
    r.p = at + 2
    return make(r.i32[at], r.i32[at + 1])
  }
}

/** The reader of the complete type at word `at` of a plan. @internal */
export function makeRead(words: Int32Array, at: number, choice: ShapeChoice, signature: string): Read {
  const shape = choice.shape
  switch (words[at] & 0xff) {
    case TYPE_BYTE:
    case TYPE_INT16:
    case TYPE_UINT16:
    case TYPE_INT32:
      return readByte
    case TYPE_UINT32:
      return readUint32
    case TYPE_UNIX_FD: {
      const make = shape.makeUnixFd
      return make === undefined
        ? (r) => r.fd(r.i32[r.p++] >>> 0)
        : (r) => make(r.fd(r.i32[r.p++] >>> 0))
    }
    case TYPE_BOOLEAN:
      return readBoolean
    case TYPE_INT64:
      if (shape.makeInt64 !== undefined) return halves(shape.makeInt64)
      return choice.int64 === 'bigint' ? readInt64 : (r) => exact(readInt64(r) as bigint)
    case TYPE_UINT64:
      if (shape.makeUint64 !== undefined) return halves(shape.makeUint64)
      return choice.int64 === 'bigint' ? readUint64 : (r) => exact(readUint64(r) as bigint)
    case TYPE_DOUBLE:
      return readDouble
    case TYPE_STRING:
      return readText
    case TYPE_OBJECT_PATH: {
      const make = shape.makeObjectPath
      return make === undefined ? readText : (r) => make(r.text())
    }
    case TYPE_SIGNATURE: {
      const make = shape.makeSignature
      return make === undefined ? readText : (r) => make(r.text())
    }
    case TYPE_VARIANT:
      return makeReadVariant(choice)
    case TYPE_STRUCT:
      return makeReadStruct(words, at, choice, signature)
    case TYPE_ARRAY:
      return makeReadArray(words, at + 1, choice, signature)
    default:
      throw new Error('not a plan')
  }
}

/** @internal */
export const spanOf = (word: number): number => (word >> 16) & 0xff
const sizeOf = (word: number): number => (word >> 12) & 15

function makeReadVariant(choice: ShapeChoice): Read {
  const make = choice.shape.makeVariant
  if (make !== undefined) {
    return (r) => {
      const plan = variantPlan(r)
      return make(plan.signature, plan.read(r))
    }
  }
  if (choice.variant === 'unwrap') return (r) => variantPlan(r).read(r)
  return (r) => {
    const plan = variantPlan(r)
    return new Variant(plan.signature, plan.read(r))
  }
}

function variantPlan(r: Reader): VariantPlan {
  const number = r.i32[r.p++]
  return r.plans[number] ?? r.variants(number, r)
}

function makeReadStruct(words: Int32Array, at: number, choice: ShapeChoice, signature: string): Read {
  const end = at + spanOf(words[at]) - 1
  const members: Read[] = []
  for (let i = at + 1; i < end; i += spanOf(words[i])) members.push(makeRead(words, i, choice, signature))
  const make = choice.shape.makeStruct
  const count = members.length
  const read = (r: Reader): unknown[] => {
    const values = new Array<unknown>(count)
    for (let i = 0; i < count; i++) values[i] = members[i](r)
    return values
  }
  return make === undefined ? read : (r) => make(read(r))
}

function makeReadArray(words: Int32Array, at: number, choice: ShapeChoice, signature: string): Read {
  const word = words[at]
  if (sizeOf(word) !== 0) return makeReadBulk(word & 0xff, choice)
  if ((word & 0xff) === TYPE_DICT_ENTRY) return makeReadDict(words, at, choice, signature)
  const element = makeRead(words, at, choice, signature)
  const read = (r: Reader): unknown[] => {
    const count = r.i32[r.p++]
    const values: unknown[] = []
    for (let i = 0; i < count; i++) values.push(element(r))
    return values
  }
  const make = choice.shape.makeArray
  if (make === undefined) return read
  const type = signature.slice(at, at + spanOf(word))
  return (r) => make(read(r), type)
}

function makeReadDict(words: Int32Array, at: number, choice: ShapeChoice, signature: string): Read {
  const keyType = words[at + 1] & 0xff
  const key = makeRead(words, at + 1, choice, signature)
  const value = makeRead(words, at + 2, choice, signature)
  const make = choice.shape.makeDict
  if (make !== undefined || choice.dict === 'pairs') {
    const type = signature[at + 1]
    const valueType = signature.slice(at + 2, at + spanOf(words[at]) - 1)
    const entries = (r: Reader): [unknown, unknown][] => {
      const count = r.i32[r.p++]
      const pairs: [unknown, unknown][] = []
      for (let i = 0; i < count; i++) pairs.push([key(r), value(r)])
      return pairs
    }
    return make === undefined ? entries : (r) => make(entries(r), type, valueType)
  }
  const textKey = keyType === TYPE_STRING || keyType === TYPE_OBJECT_PATH || keyType === TYPE_SIGNATURE
  if (choice.dict === 'map' || !textKey) {
    return (r) => {
      const map = new Map<unknown, unknown>()
      const count = r.i32[r.p++]
      for (let i = 0; i < count; i++) {
        const k = key(r)
        map.set(k, value(r))
      }
      return map
    }
  }
  return (r) => {
    const object: Record<string, unknown> = {}
    const count = r.i32[r.p++]
    for (let i = 0; i < count; i++) {
      const k = r.text()
      // An assignment would set the prototype.
      if (k === '__proto__') define(object, k, value(r))
      else object[k] = value(r)
    }
    return object
  }
}

function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

function makeReadBulk(type: number, choice: ShapeChoice): Read {
  const shape = choice.shape
  if (type === TYPE_BYTE) {
    const make = shape.makeBytes
    const read = (r: Reader): Uint8Array => (choice.bytes === 'view' ? r.viewBytes() : r.ownBytes(1))
    return make === undefined ? read : (r) => make(read(r))
  }
  if (type === TYPE_BOOLEAN) return (r) => Array.from(words32(r), (word) => word !== 0)
  if (type === TYPE_UNIX_FD) {
    const make = shape.makeUnixFd
    return (r) => {
      const indexes = words32(r)
      if (r.fds === undefined && make === undefined) return choice.arrays === 'plain' ? Array.from(indexes) : indexes
      return Array.from(indexes, (index) => (make === undefined ? r.fd(index) : make(r.fd(index))))
    }
  }
  const read = makeReadNumbers(type)
  const make = shape.makeNumbers
  if (make !== undefined) {
    const code = String.fromCharCode(type)
    return (r) => make(read(r), code)
  }
  if (type === TYPE_INT64 || type === TYPE_UINT64) {
    const half = type === TYPE_INT64 ? shape.makeInt64 : shape.makeUint64
    if (half !== undefined) {
      return (r) => Array.from(read(r) as BigInt64Array, (v) => half(Number(BigInt.asIntN(32, v)), Number(BigInt.asIntN(32, v >> 32n))))
    }
    if (choice.int64 === 'number') return (r) => Array.from(read(r) as BigInt64Array, exact)
  }
  return choice.arrays === 'plain' ? (r) => Array.from(read(r) as Int32Array) : read
}

function words32(r: Reader): Uint32Array {
  return new Uint32Array(r.ownBytes(4).buffer)
}

function makeReadNumbers(type: number): (r: Reader) => NumberArray {
  switch (type) {
    case TYPE_INT16:
      return (r) => new Int16Array(r.ownBytes(2).buffer)
    case TYPE_UINT16:
      return (r) => new Uint16Array(r.ownBytes(2).buffer)
    case TYPE_INT32:
      return (r) => new Int32Array(r.ownBytes(4).buffer)
    case TYPE_UINT32:
      return words32
    case TYPE_INT64:
      return (r) => new BigInt64Array(r.ownBytes(8).buffer)
    case TYPE_UINT64:
      return (r) => new BigUint64Array(r.ownBytes(8).buffer)
    default:
      return (r) => new Float64Array(r.ownBytes(8).buffer)
  }
}
