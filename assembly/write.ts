// Tape to wire: the body's values, from the tape that the façade wrote. Faults are reported with the address on the tape of the
// value that they belong to; the façade finds its path.
//
// Output lies after tape and text. A gap (bulk bytes or a long text of the caller's) takes no room here: the offset of the
// gap and the address at which the output goes on are left on the tape in place of the reference.
import { fault } from './fault'

import { copyWords, get32, get8, grow, isPlain, pages, put16, put32, put8, swapElements } from './memory'
import { pathFault } from './names'
import { alignmentOf, sizeOf, spanOf, typeOf } from './plan'
import {
  FAULT_ARRAY_TOO_LONG, FAULT_DEPTH, FAULT_MESSAGE_LENGTH, FAULT_OBJECT_PATH, FAULT_TEXT_NUL, FAULT_VARIANT_MULTIPLE,
} from './shared/faults'
import {
  BULK_INLINE, CONTROL_PAGES, CONTROL_TEXT, PAGE_SIZE, PLAN_LOOSE, TEXT_GAP, TEXT_WIDE,
} from './shared/layout'
import {
  MAX_ARRAY_LENGTH, MAX_DEPTH, MAX_MESSAGE_LENGTH, TYPE_ARRAY, TYPE_OBJECT_PATH, TYPE_SIGNATURE, TYPE_STRING, TYPE_VARIANT,
} from './shared/wire'
import { checkSignature, find, planByNumber, planEnd, planStart } from './signature'
import { pull, pullWide, tapeAt } from './tape'

let big: bool = false
let out: usize = 0
let limit: usize = 0
// offset in the message = out - origin
let origin: usize = 0
let text: usize = 0

// Output starts at `at`, which stands for offset `from` of the message; both have the same remainder modulo 8.
export function startWrite(at: usize, from: u32, bigEndian: bool): void {
  big = bigEndian
  out = at
  origin = at - from
  limit = pages() * PAGE_SIZE - 64
  text = get32(CONTROL_TEXT)
}

// @ts-ignore: decorator
@inline export function written(): u32 {
  return out - origin
}

// @ts-ignore: decorator
@inline export function native32(word: u32): u32 {
  return big ? bswap<u32>(word) : word
}

function more(bytes: u32): bool {
  if (bytes > <u32>MAX_MESSAGE_LENGTH) return fault(FAULT_MESSAGE_LENGTH, tapeAt())
  const needed: i32 = (((out - limit + bytes) >>> 16) + 2) as i32
  if (!grow(max<i32>(needed, (pages() >>> 1) as i32)) && !grow(needed)) return fault(FAULT_MESSAGE_LENGTH, tapeAt())
  put32(CONTROL_PAGES, pages())
  limit = pages() * PAGE_SIZE - 64
  return true
}

// Makes room for `bytes` at the next multiple of mask + 1, zero padding before it: their address, or 0 after a fault.
// The only place that aligns when writing.
// @ts-ignore: decorator
@inline export function put(mask: u32, bytes: u32): usize {
  if (out + bytes + 8 > limit && !more(bytes + 8)) return 0
  const at = (out + mask) & ~mask
  while (out < at) {
    put8(out, 0)
    out += 1
  }
  out = at + bytes
  return at
}

// The same as a call: for what is not in a hurry, the code is smaller.
export function putCalled(mask: u32, bytes: u32): usize {
  return put(mask, bytes)
}

// Values for the plan words [w, last), from the tape.
export function writeValues(first: usize, last: usize, depth: i32): bool {
  return writeElements(first, last, depth, 1, false)
}

// The same n times (n > 0); each time after the padding of a struct, if they are members of one.
function writeElements(first: usize, last: usize, depth: i32, n: u32, members: bool): bool {
  if (depth > MAX_DEPTH) return fault(FAULT_DEPTH, tapeAt())
  do {
    if (members && put(7, 0) == 0) return false
    let w = first
    while (w < last) {
      const word = get32(w)
      const type = typeOf(word)
      const size = sizeOf(word)
      if (size != 0) {
        const p = put(size - 1, size)
        if (p == 0) return false
        if (size == 4) put32(p, native32(pull()))
        else if (size == 1) put8(p, pull())
        else if (size == 2) put16(p, big ? bswap<u16>(pull() as u16) : pull())
        else {
          const from = pullWide()
          if (big) {
            put32(p, bswap<u32>(get32(from + 4)))
            put32(p + 4, bswap<u32>(get32(from)))
          } else {
            put32(p, get32(from))
            put32(p + 4, get32(from + 4))
          }
        }
        w += 4
      } else if (type == TYPE_STRING || type == TYPE_OBJECT_PATH) {
        if (!writeText(type == TYPE_OBJECT_PATH)) return false
        w += 4
      } else if (type == TYPE_VARIANT) {
        if (!writeVariant(depth)) return false
        w += 4
      } else if (type == TYPE_ARRAY) {
        if (!writeArray(w, depth)) return false
        w += spanOf(word) << 2
      } else if (type == TYPE_SIGNATURE) {
        if (!writeSignature()) return false
        w += 4
      } else {
        if (put(7, 0) == 0) return false
        const next = w + (spanOf(word) << 2)
        if (!writeValues(w + 4, next - 4, depth + 1)) return false
        w = next
      }
    }
  } while (--n > 0)
  return true
}

// Length, the characters from `from` (4-aligned), NUL.
export function writeString(from: usize, length: u32): bool {
  const p = put(3, length + 5)
  if (p == 0) return false
  put32(p, native32(length))
  copyWords(p + 4, from, length)
  put8(p + 4 + length, 0)
  return true
}

function writeText(path: bool): bool {
  const at = tapeAt()
  const first = pull()
  const second = pull()
  const length = second & ~TEXT_WIDE
  if (first & TEXT_GAP) {
    const p = put(3, 4)
    if (p == 0) return false
    put32(p, native32(length))
    if (!leaveGap(at, length)) return false
    const nul = put(0, 1)
    if (nul == 0) return false
    put8(nul, 0)
    return true
  }
  const from = text + first
  // The façade has looked for NUL in what is not all ASCII.
  if (!(second & TEXT_WIDE) && !isPlain(from, length)) return fault(FAULT_TEXT_NUL, at)
  if (path) {
    const bad = pathFault(from, length)
    if (bad >= 0) return fault(FAULT_OBJECT_PATH, at)
  }
  return writeString(from, length)
}

function writeSignature(): bool {
  const at = tapeAt()
  const from = text + pull()
  const length = pull() & ~TEXT_WIDE
  const code = checkSignature(from, length)
  if (code) return fault(code, at)
  return writeSignatureBytes(from, length)
}

export function writeSignatureBytes(from: usize, length: u32): bool {
  const p = put(0, length + 2)
  if (p == 0) return false
  put8(p, length)
  for (let i: u32 = 0; i < length; i++) put8(p + 1 + i, get8(from + i))
  put8(p + 1 + length, 0)
  return true
}

function writeVariant(depth: i32): bool {
  const at = tapeAt()
  const number = pull()
  if (number & PLAN_LOOSE) {
    // { length, characters } in the text area: the plan table was full.
    const from = text + (number & ~PLAN_LOOSE)
    find(from + 4, get32(from), depth + 1)
  } else {
    planByNumber(number)
  }
  const plan = planStart()
  const end = planEnd()
  const length: u32 = (end - plan) >>> 2
  const p = put(0, length + 2)
  if (p == 0) return false
  put8(p, length)
  for (let i: u32 = 0; i < length; i++) put8(p + 1 + i, typeOf(get32(plan + (i << 2))))
  put8(p + 1 + length, 0)
  if (plan + (spanOf(get32(plan)) << 2) != end) return fault(FAULT_VARIANT_MULTIPLE, at)
  return writeValues(plan, end, depth + 1)
}

function writeArray(w: usize, depth: i32): bool {
  const at = tapeAt()
  const lengthAt = put(3, 4)
  if (lengthAt == 0) return false
  const word = get32(w + 4)
  const size = sizeOf(word)
  if (put(alignmentOf(word) - 1, 0) == 0) return false
  const start = written()
  if (size != 0) {
    const first = pull()
    const length = pull()
    if (length > <u32>MAX_ARRAY_LENGTH) return fault(FAULT_ARRAY_TOO_LONG, at)
    put32(lengthAt, native32(length))
    if (!(first & BULK_INLINE)) return leaveGap(at, length)
    const p = put(0, length)
    if (p == 0) return false
    copyWords(p, text + (first & ~BULK_INLINE), length)
    if (big && size > 1) swapElements(p, length, size)
    return true
  }
  const next = w + 4 + (spanOf(word) << 2)
  const n = pull()
  // Structs and dict entries: straight to their members.
  const direct = alignmentOf(word) == 8 && depth + 2 <= MAX_DEPTH
  if (n > 0 && !writeElements(direct ? w + 8 : w + 4, direct ? next - 4 : next, direct ? depth + 2 : depth + 1, n, direct)) {
    return false
  }
  const length = written() - start
  if (length > <u32>MAX_ARRAY_LENGTH) return fault(FAULT_ARRAY_TOO_LONG, at)
  put32(lengthAt, native32(length))
  return true
}

// `length` bytes that the façade fills in from the caller's. The output goes on where address and offset agree modulo 8, so
// that aligned stores stay aligned.
function leaveGap(at: usize, length: u32): bool {
  if (length > <u32>MAX_MESSAGE_LENGTH || written() + length > <u32>MAX_MESSAGE_LENGTH) return fault(FAULT_MESSAGE_LENGTH, at)
  const offset = written()
  put32(at, offset)
  const resumed = out + ((offset + length - out) & 7)
  put32(at + 4, resumed)
  out = resumed
  origin = out - (offset + length)
  return true
}
