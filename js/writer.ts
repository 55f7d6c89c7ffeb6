// Values to tape. A plan becomes closures, one for each complete type; each checks its value and puts its words. What does not fit is
// refused where it stands, never wrapped round or guessed. Nothing here knows of alignment, padding, byte order or wire lengths.
import { writeBulk } from './bulk.ts'
import { bigintOf, countOf, doubleOf, integerOf, listOf, Refusal, wrongType } from './check.ts'
import { spanOf } from './reader.ts'
import type { Write, Writer } from './tape.ts'
import { isMap, isVariant, type ShapeChoice, typedArrayKind, Variant } from './values.ts'
import {
  FAULT_DEPTH,
  FAULT_VALUE_COUNT,
  FAULT_VARIANT_EMPTY,
  FAULT_VARIANT_MULTIPLE,
  MAX_DEPTH,
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
      if (convert !== undefined) return (w, value) => w.word(integerOf(type, at, convert(value, code)))
      return makeWriteInteger(type, at)
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
      return makeWriteVariant(words, at, choice)
    case TYPE_STRUCT:
      return makeWriteStruct(words, at, choice, signature)
    case TYPE_ARRAY:
      return makeWriteArray(words, at, choice, signature)
    default:
      throw new Error('not a plan')
  }
}

// What an integer's own bits do not keep is out of range or no integer; the slow check says which.
function makeWriteInteger(type: number, at: number): Write {
  switch (type) {
    case TYPE_BYTE:
      return (w, value) => w.word(typeof value === 'number' && (value & 0xff) === value ? value : integerOf(type, at, value))
    case TYPE_INT16:
      return (w, value) => w.word(typeof value === 'number' && (value << 16) >> 16 === value ? value : integerOf(type, at, value))
    case TYPE_UINT16:
      return (w, value) => w.word(typeof value === 'number' && (value & 0xffff) === value ? value : integerOf(type, at, value))
    case TYPE_INT32:
      return (w, value) => w.word(typeof value === 'number' && (value | 0) === value ? value : integerOf(type, at, value))
    default:
      return (w, value) => w.word(typeof value === 'number' && value >>> 0 === value ? value : integerOf(type, at, value))
  }
}

function makeWriteVariant(words: Int32Array, at: number, choice: ShapeChoice): Write {
  const { variantSignature, variantValue } = choice.shape
  // The containers round the variant's value in this plan.
  let levels = 1
  for (let i = 0; i < at; i++) if (spanOf(words[i]) > at - i) levels++
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
    // Data that contains itself would recurse without end, and a stack is filled by what stands between two variants as well.
    w.depth += levels
    if (w.depth > MAX_DEPTH) throw new Refusal(FAULT_DEPTH, at)
    const basic = signature.length === 1 ? w.basics[signature.charCodeAt(0)] : undefined
    const plan = basic ?? w.variants(signature, w, at)
    w.word(plan.number)
    plan.write(w, value)
    w.depth -= levels
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
    const count = countOf(list, 1, at)
    w.word(count)
    for (let i = 0; i < count; i++) element(w, list[i])
  }
}

// In place of a count until the entries have been written: whoever looks for the path of one goes on until it is found.
const UNCOUNTED = 0x7fffffff
const hasOwn = Object.prototype.hasOwnProperty

// Names that a long message repeats are written once: as keys, that is; other texts seldom come again.
function makeWriteKey(words: Int32Array, at: number, choice: ShapeChoice, signature: string): Write {
  const type = words[at] & 0xff
  if (choice.shape.toText !== undefined || (type !== TYPE_STRING && type !== TYPE_OBJECT_PATH)) {
    return makeWrite(words, at, choice, signature)
  }
  return (w, value) => {
    if (typeof value !== 'string') wrongType(at, 'a string', value)
    w.key(value, at)
  }
}

function makeWriteDict(words: Int32Array, at: number, choice: ShapeChoice, signature: string): Write {
  const keyAt = at + 2
  const keyType = words[keyAt] & 0xff
  const key = makeWriteKey(words, keyAt, choice, signature)
  const value = makeWrite(words, at + 3, choice, signature)
  const convert = choice.shape.dictEntries
  const keyCode = signature[keyAt]
  const fromText = keyFromText(keyType)
  const writeRecord = (w: Writer, dict: Record<string, unknown>, inherits: boolean): void => {
    const countAt = w.p
    w.word(UNCOUNTED)
    let n = 0
    // Unlike Object.keys, this makes no array of the keys; what the prototype has is left out all the same.
    for (const name in dict) {
      if (inherits && !hasOwn.call(dict, name)) continue
      key(w, fromText === undefined ? name : fromText(name, keyAt))
      value(w, dict[name])
      n++
    }
    w.i32[countAt] = n
  }
  return (w, given) => {
    const dict = convert === undefined ? given : convert(given, keyCode)
    const countAt = w.p
    if (isPlain(dict)) return writeRecord(w, dict, hasNames(Object.prototype))
    if (isMap(dict)) {
      const size = dict.size
      w.word(UNCOUNTED)
      let n = 0
      for (const entry of dict) {
        // A getter that adds entries would keep us here for ever.
        if (!(n < size)) break
        if (!Array.isArray(entry)) wrongType(keyAt, 'a pair of key and value', entry)
        key(w, entry[0])
        value(w, entry[1])
        n++
      }
      w.i32[countAt] = n
    } else if (Array.isArray(dict)) {
      const count = countOf(dict, 1, at)
      w.word(count)
      for (let i = 0; i < count; i++) {
        const pair: unknown = dict[i]
        if (!Array.isArray(pair) || pair.length !== 2) wrongType(keyAt, 'a pair of key and value', pair)
        key(w, pair[0])
        value(w, pair[1])
      }
    } else if (isRecord(dict)) {
      writeRecord(w, dict, true)
    } else {
      wrongType(at, 'an object, a Map or an array of pairs', dict)
    }
  }
}

// Whether a loop over names finds any: none in Object.prototype, unless somebody has put one there.
function hasNames(object: object): boolean {
  for (const name in object) return name !== undefined
  return false
}

// Nearly every dict is one of these: told first, and quickly.
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

// Dates, buffers, functions and other things with a life of their own are no dicts, though they are objects.
function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
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
