// Values on their way in, checked: what does not fit is refused, never wrapped round or guessed.
import type { Fault } from './errors.ts'
import { bytesOf, elementsOf, isMap, typedArrayKind } from './values.ts'
import {
  FAULT_ARRAY_TOO_LONG,
  FAULT_VALUE_RANGE,
  FAULT_VALUE_TYPE,
  MAX_ARRAY_LENGTH,
  TYPE_BYTE,
  TYPE_INT16,
  TYPE_INT32,
  TYPE_INT64,
  TYPE_UINT16,
  TYPE_UINT32,
  TYPE_UINT64,
  TYPE_UNIX_FD,
} from './wire.ts'

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

/** How many elements, of `least` bytes at least each, a list says it has: a proxy can say anything. @internal */
export function countOf(list: ArrayLike<unknown>, least: number, at: number): number {
  const count: unknown = list.length
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0) wrongType(at, 'an array', list)
  // Before anything is allocated for it.
  if (count * least > MAX_ARRAY_LENGTH) throw new Refusal(FAULT_ARRAY_TOO_LONG, at)
  return count
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
