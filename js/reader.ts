// Tape to values. A plan becomes closures, one for each complete type; each reads its words and moves the cursor on. Nothing here
// knows of alignment, padding, byte order or wire lengths.
import { Buckets } from './keys.ts'
import { type Read, type Reader, Unreadable, type VariantPlan } from './tape.ts'
import { type NumberArray, type ShapeChoice, Variant } from './values.ts'
import {
  FAULT_TOO_MANY_VALUES,
  FAULT_UNSAFE_INTEGER,
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
      return make === undefined ? (r) => r.fd(r.i32[r.p++] >>> 0) : (r) => make(r.fd(r.i32[r.p++] >>> 0))
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
    if (count === 0) return []
    const values = new Array<unknown>(count)
    for (let i = 0; i < count; i++) values[i] = element(r)
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
      if (count === 0) return []
      const pairs = new Array<[unknown, unknown]>(count)
      for (let i = 0; i < count; i++) pairs[i] = [key(r), value(r)]
      return pairs
    }
    return make === undefined ? entries : (r) => make(entries(r), type, valueType)
  }
  const textKey = keyType === TYPE_STRING || keyType === TYPE_OBJECT_PATH || keyType === TYPE_SIGNATURE
  if (choice.dict === 'map' || !textKey) {
    return (r) => {
      const map = new Map<unknown, unknown>()
      const count = r.i32[r.p++]
      const buckets = Buckets.of(count)
      for (let i = 0; i < count; i++) {
        const k = key(r)
        if (buckets !== undefined && !buckets.take(k)) {
          throw new Unreadable(FAULT_TOO_MANY_VALUES, "keys that collide in a Map; dict: 'pairs' takes them")
        }
        map.set(k, value(r))
      }
      return map
    }
  }
  return (r) => {
    const count = r.i32[r.p++]
    // A first key that is no interned text is new: as a property it would cost the hidden class a transition, and the heap one more
    // class, for each such key. A dictionary has neither (bench/objects); nor is it worse for many keys.
    if (count > MANY_KEYS || (count > 0 && r.i32[r.p] >= 0)) return readDictionary(r, count, value)
    const object: Record<string, unknown> = {}
    for (let i = 0; i < count; i++) {
      const k = r.text()
      // An assignment to what the prototype has would set that (__proto__), or fail where the prototype is frozen (toString).
      if (k in PROTOTYPE) define(object, k, value(r))
      else object[k] = value(r)
    }
    return object
  }
}

const PROTOTYPE = Object.prototype

// From about this many properties on, an object is a dictionary anyway (DESIGN §8).
const MANY_KEYS = 24

// An object without a prototype starts as a dictionary, and has nothing that an assignment could run into.
function readDictionary(r: Reader, count: number, value: Read): object {
  const object = Object.create(null) as Record<string, unknown>
  for (let i = 0; i < count; i++) {
    const k = r.text()
    object[k] = value(r)
  }
  return Object.setPrototypeOf(object, PROTOTYPE) as object
}

function define(object: object, key: string, value: unknown): void {
  // Without a prototype: one that an app put a "get" on would make an accessor of this.
  const descriptor = { __proto__: null, value, writable: true, enumerable: true, configurable: true }
  Object.defineProperty(object, key, descriptor)
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
      return (r) =>
        Array.from(read(r) as BigInt64Array, (v) => half(Number(BigInt.asIntN(32, v)), Number(BigInt.asIntN(32, v >> 32n))))
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
