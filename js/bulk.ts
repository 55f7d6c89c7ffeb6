// Arrays of fixed-size elements on their way in: bytes are taken as they are, from typed arrays of any realm; other arrays are
// checked element by element. Small ones are copied into the text area, large ones are left for the caller's bytes to fill.
import { bigintOf, countOf, doubleOf, integerOf, listOf, Refusal, wrongType } from './check.ts'
import type { Write, Writer } from './tape.ts'
import { bytesOf, elementsOf, type ShapeChoice, typedArrayKind } from './values.ts'
import {
  BULK_INLINE,
  TYPE_BOOLEAN,
  TYPE_BYTE,
  TYPE_DOUBLE,
  TYPE_INT16,
  TYPE_INT32,
  TYPE_INT64,
  TYPE_UINT16,
  TYPE_UINT32,
  TYPE_UINT64,
  TYPE_UNIX_FD,
} from './wire.ts'

// From this many bytes on, filling the gap in the message costs less than the way through the text area (bench/text).
const LARGE = 1024

// The typed arrays whose bytes are the array's, in native byte order.
const KINDS: Record<number, readonly string[]> = {
  [TYPE_BYTE]: ['Uint8Array', 'Uint8ClampedArray'],
  [TYPE_INT16]: ['Int16Array'],
  [TYPE_UINT16]: ['Uint16Array'],
  [TYPE_INT32]: ['Int32Array'],
  [TYPE_UINT32]: ['Uint32Array'],
  [TYPE_UNIX_FD]: ['Uint32Array'],
  [TYPE_INT64]: ['BigInt64Array'],
  [TYPE_UINT64]: ['BigUint64Array'],
  [TYPE_DOUBLE]: ['Float64Array'],
  [TYPE_BOOLEAN]: [],
}

/** The writer of an array of elements of this type. `at`: the word of the array in the plan. @internal */
export function writeBulk(type: number, size: number, at: number, choice: ShapeChoice): Write {
  const kinds = KINDS[type]
  const shape = choice.shape
  const convert = type === TYPE_BYTE ? shape.toBytes : shape.arrayElements
  const code = String.fromCharCode(type)
  const element = elementWriter(type, at, choice)
  return (w, given) => {
    const value = convert === undefined ? given : convert(given, code)
    const kind = typedArrayKind(value)
    if (kind !== undefined && kinds.includes(kind)) {
      // Bytes need no view of them: `set` asks the array itself, not its class.
      const length = kind === 'Uint8Array' ? elementsOf(value) : 0
      if (length > 0) return putBytes(w, value as Uint8Array, length, size)
      let bytes: Uint8Array
      try {
        bytes = bytesOf(value)
      } catch {
        wrongType(at, 'a typed array whose buffer is attached', value)
      }
      return putBytes(w, bytes, bytes.length, size)
    }
    const list = listOf(value)
    if (list === undefined) wrongType(at, type === TYPE_BYTE ? 'bytes' : 'an array', value)
    putList(w, list, kind === undefined ? countOf(list, size, at) : elementsOf(value), size, element)
  }
}

function putBytes(w: Writer, bytes: Uint8Array, length: number, size: number): void {
  if (w.p >= w.limit) w.more()
  if (length < LARGE) {
    const at = room(w, length)
    w.u8.set(bytes, at)
    inline(w, at, length)
    return
  }
  w.gaps.push({ p: w.p, bytes, text: '', length, elementSize: size })
  w.i32[w.p] = w.gaps.length - 1
  w.i32[w.p + 1] = length
  w.p += 2
}

function room(w: Writer, length: number): number {
  w.textAt = (w.textAt + 7) & ~7
  if (w.textAt + length > w.textEnd) w.moreText(length)
  return w.textAt
}

function inline(w: Writer, at: number, length: number): void {
  w.i32[w.p] = BULK_INLINE | (at - w.textStart)
  w.i32[w.p + 1] = length
  w.p += 2
  w.textAt = (at + length + 3) & ~3
}

type Element = (view: DataView, at: number, value: unknown) => void

// Elements are written little-endian: linear memory's order on every host.
function putList(w: Writer, list: ArrayLike<unknown>, count: number, size: number, element: Element): void {
  const bytes = new Uint8Array(count * size)
  const view = new DataView(bytes.buffer)
  let i = 0
  try {
    for (; i < count; i++) element(view, i * size, list[i])
  } catch (refusal) {
    if (refusal instanceof Refusal) refusal.element = i
    throw refusal
  }
  putBytes(w, bytes, bytes.length, size)
}

function elementWriter(type: number, at: number, choice: ShapeChoice): Element {
  const { toNumber, toInt64, toBoolean, toUnixFd } = choice.shape
  const code = String.fromCharCode(type)
  const number = (value: unknown): unknown => {
    if (type === TYPE_UNIX_FD) return toUnixFd === undefined ? value : toUnixFd(value)
    return toNumber === undefined ? value : toNumber(value, code)
  }
  switch (type) {
    case TYPE_BYTE:
      return (view, i, value) => view.setUint8(i, integerOf(type, at, number(value)))
    case TYPE_INT16:
    case TYPE_UINT16:
      return (view, i, value) => view.setUint16(i, integerOf(type, at, number(value)), true)
    case TYPE_BOOLEAN:
      return (view, i, given) => {
        const value = toBoolean === undefined ? given : toBoolean(given)
        if (typeof value !== 'boolean') wrongType(at, 'booleans', value)
        view.setUint32(i, value ? 1 : 0, true)
      }
    case TYPE_INT64:
    case TYPE_UINT64:
      return (view, i, value) =>
        view.setBigUint64(i, BigInt.asUintN(64, bigintOf(type, at, toInt64 === undefined ? value : toInt64(value, code))), true)
    case TYPE_DOUBLE:
      return (view, i, value) => view.setFloat64(i, doubleOf(at, number(value)), true)
    default:
      return (view, i, value) => view.setUint32(i, integerOf(type, at, number(value)), true)
  }
}
