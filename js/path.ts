// Where on the tape a value is, said as a path: `[1]["RSSI"]`. Only walked once something has been refused, so that reading and
// writing need not keep track.
import { spanOf } from './reader.ts'
import {
  TYPE_ARRAY,
  TYPE_DICT_ENTRY,
  TYPE_DOUBLE,
  TYPE_INT64,
  TYPE_OBJECT_PATH,
  TYPE_SIGNATURE,
  TYPE_STRING,
  TYPE_STRUCT,
  TYPE_UINT64,
  TYPE_VARIANT,
} from './wire.ts'

/** A tape in either direction, as far as it is written. @internal */
export interface TapeView {
  readonly i32: Int32Array
  readonly f64: Float64Array
  readonly i64: BigInt64Array
  readonly u64: BigUint64Array
  /** The words of a variant's plan, by its number on the tape; undefined when it is gone. */
  planOf(number: number): Int32Array | undefined
  /** The text whose reference is at word p. */
  textAt(p: number): string
}

/** Where a value is, and its type. @internal */
export class Place {
  readonly path: string
  readonly signature: string

  constructor(path: string, words: Int32Array, i: number) {
    this.path = path
    let signature = ''
    for (let end = i + (i < words.length ? spanOf(words[i]) : 0); i < end; i++) signature += String.fromCharCode(words[i] & 0xff)
    this.signature = signature
  }
}

/**
 * The place of the value at word `target` of the tape; `at`: the word of its plan, when the value starts where its first member
 * does, or -1 for the innermost.
 * @internal
 */
export function locate(tape: TapeView, words: Int32Array, first: number, target: number, at: number): Place {
  const walk = new Walk(tape, first, target, at)
  try {
    walk.members(words, 0, words.length, '')
  } catch (found) {
    if (found instanceof Place) return found
    throw found
  }
  return new Place('', words, 0)
}

class Walk {
  private readonly tape: TapeView
  private p: number
  private readonly target: number
  private readonly at: number

  constructor(tape: TapeView, first: number, target: number, at: number) {
    this.tape = tape
    this.p = first
    this.target = target
    this.at = at
  }

  members(words: Int32Array, from: number, to: number, path: string): void {
    let n = 0
    for (let i = from; i < to; i += spanOf(words[i])) this.value(words, i, `${path}[${n++}]`)
  }

  private value(words: Int32Array, i: number, path: string): void {
    const type = words[i] & 0xff
    const arrives = this.p === this.target
    if (this.p > this.target || (arrives && this.at === i)) throw new Place(path, words, i)
    if (type === TYPE_STRUCT) return this.members(words, i + 1, i + spanOf(words[i]) - 1, path)
    if (type === TYPE_VARIANT) {
      const plan = this.tape.planOf(this.tape.i32[this.p++])
      if (plan === undefined) throw new Place(path, words, i)
      return this.value(plan, 0, path)
    }
    if (type === TYPE_ARRAY) return this.array(words, i + 1, path)
    this.pass(next(this.p, type), path, words, i)
  }

  // Leaves a value of one or more words behind, unless the target is among them.
  private pass(after: number, path: string, words: Int32Array, i: number): void {
    if (this.target < after) throw new Place(path, words, i)
    this.p = after
  }

  private array(words: Int32Array, i: number, path: string): void {
    if ((words[i] >> 12) & 15) {
      this.pass(this.p + 2, path, words, i - 1)
      return
    }
    const count = this.tape.i32[this.p++]
    for (let n = 0; n < count; n++) {
      if ((words[i] & 0xff) !== TYPE_DICT_ENTRY) {
        this.value(words, i, `${path}[${n}]`)
        continue
      }
      if (this.p >= this.target) throw new Place(`${path} (key ${n})`, words, i + 1)
      const key = this.key(words[i + 1] & 0xff)
      this.value(words, i + 2, `${path}[${key}]`)
    }
  }

  private key(type: number): string {
    const { tape, p } = this
    this.p = next(p, type)
    if (type === TYPE_STRING || type === TYPE_OBJECT_PATH || type === TYPE_SIGNATURE) return short(JSON.stringify(tape.textAt(p)))
    if (type === TYPE_DOUBLE) return String(tape.f64[(p + 1) >> 1])
    if (type === TYPE_INT64) return String(tape.i64[(p + 1) >> 1])
    if (type === TYPE_UINT64) return String(tape.u64[(p + 1) >> 1])
    return String(tape.i32[p])
  }
}

function next(p: number, type: number): number {
  if (type === TYPE_STRING || type === TYPE_OBJECT_PATH || type === TYPE_SIGNATURE) return p + 2
  if (type === TYPE_DOUBLE || type === TYPE_INT64 || type === TYPE_UINT64) return ((p + 1) & ~1) + 2
  return p + 1
}

// Peers choose keys; an error stays readable, and small.
function short(text: string): string {
  return text.length > 80 ? `${text.slice(0, 76)}…"` : text
}
