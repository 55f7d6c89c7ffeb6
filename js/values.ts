// Shapes: how D-Bus values look in JavaScript. One table of functions, given to the plan compiler; the options of createCodec pick
// from built-in ones, an adapter for another library brings its own.
import type { InputOf } from './types.ts'

const VARIANT = Symbol.for('dbus-codec.variant')

// Keeps an argument from deciding what a type parameter is (TypeScript 5.4 has NoInfer for it).
type Given<V> = [V][V extends unknown ? 0 : never]

/**
 * A value together with its signature: D-Bus type `v`. Encoding takes any object that has both, and checks the value then.
 *
 *     new Variant('a{sv}', { RSSI: new Variant('n', -67) })
 */
export class Variant<S extends string = string, V = InputOf<S>> {
  /** One complete type, such as `as` or `(ii)`. */
  readonly signature: S
  /** The value that the signature describes. */
  readonly value: V

  constructor(signature: S, value: Given<V>) {
    this.signature = signature
    this.value = value
  }
}
Object.defineProperty(Variant.prototype, VARIANT, { value: true })

/**
 * How values look in JavaScript. Every function is optional; what is left out is as the options of createCodec say. The functions
 * of the first group make what decoding gives, those of the second turn what a user hands over into what encoding takes.
 *
 * A type code is one character of a signature, such as `'u'`.
 */
export interface Shape {
  /** `v`, from its signature and value. */
  makeVariant?(signature: string, value: unknown): unknown
  /** `(…)`, from its members. */
  makeStruct?(members: unknown[]): unknown
  /** Arrays of anything but fixed-size elements and dict entries. */
  makeArray?(elements: unknown[], elementSignature: string): unknown
  /** `a{…}`, from its entries in the order of the wire, duplicates included. */
  makeDict?(entries: [unknown, unknown][], keyType: string, valueSignature: string): unknown
  /** `x`, from the two halves of its two's complement, each from -2^31 to 2^31 - 1. */
  makeInt64?(low: number, high: number): unknown
  /** `t`, from its two halves. */
  makeUint64?(low: number, high: number): unknown
  /** `ay`, from a view that is the receiver's own (bytes: 'copy') or part of the message (bytes: 'view'). */
  makeBytes?(bytes: Uint8Array): unknown
  /** Arrays of other fixed-size numbers (`an` … `ad`, `ah`), from a typed array of its own. */
  makeNumbers?(numbers: NumberArray, elementType: string): unknown
  /** `h`, from the index on the wire; fds given to decode are looked up before. */
  makeUnixFd?(indexOrFd: unknown): unknown
  /** `o`. */
  makeObjectPath?(path: string): unknown
  /** `g`. */
  makeSignature?(signature: string): unknown

  /** The signature of a value given for `v`. Throw to refuse it. */
  variantSignature?(value: unknown): string
  /** The value inside a value given for `v`. */
  variantValue?(value: unknown): unknown
  /** The members of a value given for a struct, as an array. */
  structMembers?(value: unknown): unknown
  /** The elements of a value given for an array, as an array or typed array. */
  arrayElements?(value: unknown, elementSignature: string): unknown
  /** The entries of a value given for a dict: an object, Map or array of pairs. */
  dictEntries?(value: unknown, keyType: string): unknown
  /** A value given for `x` or `t`, as bigint or number. */
  toInt64?(value: unknown, type: string): unknown
  /** A value given for `ay`, as Uint8Array or array of numbers. */
  toBytes?(value: unknown): unknown
  /** A value given for `s`, `o` or `g`, as string. */
  toText?(value: unknown, type: string): unknown
  /** A value given for `b`, as boolean. */
  toBoolean?(value: unknown): unknown
  /** A value given for another number, as number. */
  toNumber?(value: unknown, type: string): unknown
  /** A value given for `h`, as index. */
  toUnixFd?(value: unknown): unknown
}

/** What an array of fixed-size numbers other than `ay` is decoded to. */
export type NumberArray = Int16Array | Uint16Array | Int32Array | Uint32Array | Float64Array | BigInt64Array | BigUint64Array

/** The options of createCodec that say how values look, all given. @internal */
export interface ShapeChoice {
  int64: 'bigint' | 'number'
  dict: 'object' | 'map' | 'pairs'
  variant: 'wrap' | 'unwrap'
  arrays: 'typed' | 'plain'
  bytes: 'copy' | 'view'
  shape: Shape
}

/** Whether a value is one of our Variants, of this or another copy of the package, or looks like one. @internal */
export function isVariant(value: unknown): value is { signature: string; value: unknown } {
  if (typeof value !== 'object' || value === null) return false
  if (value instanceof Variant || (value as { [VARIANT]?: unknown })[VARIANT] === true) return true
  return typeof (value as { signature?: unknown }).signature === 'string' && 'value' in value
}

// Intrinsic getters tell the kind of a value whatever its class claims and whichever realm it comes from.
const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object
const keysOf = Uint8Array.prototype.keys as (this: unknown) => unknown
const tagOf = getterOf(typedArray, Symbol.toStringTag)
const lengthOf = getterOf(typedArray, 'length')
const ownBuffer = getterOf(typedArray, 'buffer')
const ownByteOffset = getterOf(typedArray, 'byteOffset')
const byteLengthOf = getterOf(typedArray, 'byteLength')
const sizeOfMap = getterOf(Map.prototype, 'size')

function getterOf(prototype: object, name: PropertyKey): (this: unknown) => unknown {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name)
  if (descriptor?.get === undefined) throw new Error('not an ECMAScript 2020 runtime')
  return descriptor.get
}

/** 'Uint8Array' and so on for a typed array of any realm, else undefined. @internal */
export function typedArrayKind(value: unknown): string | undefined {
  return tagOf.call(value) as string | undefined
}

/** The bytes of a typed array of any realm. Throws a TypeError for a detached one. @internal */
export function bytesOf(value: unknown): Uint8Array {
  const length = byteLengthOf.call(value) as number
  // An array that is detached, or beyond a buffer that has shrunk, looks like an empty one to getters, not to methods.
  if (length === 0) keysOf.call(value)
  return viewOf(value, 0, length)
}

/** Bytes [at, at + length) of a typed array of any class and realm, in its own memory: only the array itself is asked. @internal */
export function viewOf(value: unknown, at: number, length: number): Uint8Array {
  return new Uint8Array(bufferOf(value), (ownByteOffset.call(value) as number) + at, length)
}

/** The buffer of a typed array of any realm. @internal */
export function bufferOf(value: unknown): ArrayBufferLike {
  return ownBuffer.call(value) as ArrayBufferLike
}

/** The number of elements of a typed array of any realm. @internal */
export function elementsOf(value: unknown): number {
  return lengthOf.call(value) as number
}

/** Whether a value is a Map of any realm. @internal */
export function isMap(value: unknown): value is Map<unknown, unknown> {
  if (value instanceof Map) return true
  if (typeof value !== 'object' || value === null) return false
  try {
    sizeOfMap.call(value)
    return true
  } catch {
    return false
  }
}
