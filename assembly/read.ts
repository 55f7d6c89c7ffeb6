// Wire to tape: validates, puts into native byte order and indexes in one walk. The order of the checks is libdbus's
// (VALIDATION.md section 3), so that the first fault is the one that it finds.
import { count, fault } from './fault'
import { booleanFault, get16, get32, get8, isPlainWithNul, put32, swapElements } from './memory'
import { alignmentOf, singleOf, singlePlan, sizeOf, spanOf, typeOf } from './plan'
import {
  FAULT_ARRAY_LENGTH, FAULT_ARRAY_TOO_LONG, FAULT_BOOLEAN, FAULT_DEPTH, FAULT_LENGTH_OUT_OF_BOUNDS, FAULT_SIGNATURE_LENGTH, FAULT_SIGNATURE_NUL, FAULT_STRING_NUL, FAULT_TOO_MANY_VALUES, FAULT_VARIANT_EMPTY,
  FAULT_VARIANT_MULTIPLE, FAULT_VARIANT_SIGNATURE, FAULT_VARIANT_SIGNATURE_LENGTH, FAULT_VARIANT_SIGNATURE_NUL,
} from './shared/faults'
import { PLAN_LOOSE } from './shared/layout'
import {
  MAX_ARRAY_LENGTH, MAX_DEPTH, TYPE_ARRAY, TYPE_BOOLEAN, TYPE_INT16, TYPE_OBJECT_PATH, TYPE_SIGNATURE, TYPE_STRING, TYPE_VARIANT,
} from './shared/wire'
import { checkSignature, find, planEnd, planStart, signatureFaultAt } from './signature'
import { push, push2, pushWide, room, tapeAt } from './tape'
import { interns, readLongText, readText } from './text'
import {
  address, checked, hold, inReach, left, moveTo, NOWHERE, offset, piece, reach, skip, take, takeCalled,
  takeLength, takeLengthCalled, whole,
} from './window'

// From this many bytes on, a text is looked at in larger steps.
const LONG_TEXT: u32 = 128

let big: bool = false
let values: u32 = 0
let maxValues: u32 = 0

export function startRead(bigEndian: bool, most: u32): void {
  big = bigEndian
  values = 0
  maxValues = most
}
// The header's values do not count: maxValues bounds what a body makes.
export function startCount(most: u32): void {
  values = 0
  maxValues = most
}
export function valuesRead(): u32 {
  return values
}

// @ts-ignore: decorator
@inline export function order32(word: u32): u32 {
  return big ? bswap<u32>(word) : word
}

// A signature of one character: length 1, the character, NUL.
// @ts-ignore: decorator
@inline function isBasic(p: usize): bool {
  return get8(p) == 1 && get8(p + 2) == 0
}

// What every value begins with: room on the tape, and its place in the count.
// @ts-ignore: decorator
@inline function arrive(): bool {
  if (!room()) return false
  if (++values > maxValues) return fault(FAULT_TOO_MANY_VALUES, offset())
  count(1)
  return true
}

// Reads one value after the other for the plan words [w, last). `depth`: containers round these values.
export function readValues(first: usize, last: usize, depth: i32): bool {
  return readElements(first, last, depth, 0, false) != 0
}

// The same again and again, up to offset `end` at least; each time after the padding of a struct, if they are members of one. How often,
// or 0 after a fault.
function readElements(first: usize, last: usize, depth: i32, end: u32, members: bool): u32 {
  if (depth > MAX_DEPTH) {
    fault(FAULT_DEPTH, offset())
    return 0
  }
  let n: u32 = 0
  do {
    if (members && (!arrive() || take(7, 0) == 0)) return 0
    let w = first
    while (w < last) {
      if (!arrive()) return 0
      const word = get32(w)
      const type = typeOf(word)
      const size = sizeOf(word)
      if (size != 0) {
        if (!readFixed(type, size)) return 0
        w += 4
      } else if (type == TYPE_STRING || type == TYPE_OBJECT_PATH) {
        if (!readString(type == TYPE_OBJECT_PATH)) return 0
        w += 4
      } else if (type == TYPE_VARIANT) {
        if (!readVariant(depth)) return 0
        w += 4
      } else if (type == TYPE_ARRAY) {
        if (!readArray(w, depth)) return 0
        w += spanOf(word) << 2
      } else if (type == TYPE_SIGNATURE) {
        if (!readSignature()) return 0
        w += 4
      } else {
        // A struct or dict entry: nothing on the tape but its members.
        if (takeCalled(7, 0) == 0) return 0
        const next = w + (spanOf(word) << 2)
        if (!readValues(w + 4, next - 4, depth + 1)) return 0
        w = next
      }
    }
    n += 1
  } while (offset() < end)
  return n
}

// A value of a fixed size.
// @ts-ignore: decorator
@inline function readFixed(type: u32, size: u32): bool {
  const p = take(size - 1, size)
  if (p == 0) return false
  if (size == 4) {
    const value = order32(get32(p))
    if (value > 1 && type == TYPE_BOOLEAN && checked()) return fault(FAULT_BOOLEAN, offset() - 4)
    push(value)
  } else if (size == 1) {
    push(get8(p))
  } else if (size == 2) {
    const value = get16(p)
    const native: u32 = big ? (value >>> 8) | ((value & 0xff) << 8) : value
    push(type == TYPE_INT16 ? ((native << 16) as i32) >> 16 : native)
  } else if (big) {
    pushWide(bswap<u32>(get32(p + 4)), bswap<u32>(get32(p)))
  } else {
    pushWide(get32(p), get32(p + 4))
  }
  return true
}

function readBasic(type: u32, size: u32): bool {
  if (!arrive()) return false
  return size != 0 ? readFixed(type, size) : readString(type == TYPE_OBJECT_PATH)
}

function readString(path: bool): bool {
  // Nearly all texts lie in the window as a whole: one step of the read position, not four.
  const lengthAt = reach(offset(), 3, 4)
  if (lengthAt != NOWHERE) {
    const bytes = order32(get32(address(lengthAt)))
    const from = lengthAt + 4
    if (bytes < inReach(from)) {
      const text = address(from)
      if (ASC_FEATURE_SIMD && !path && !interns() && bytes < LONG_TEXT && isPlainWithNul(text, bytes)) {
        push2(from, bytes)
        moveTo(from + bytes + 1)
        return true
      }
      if (!readText(text, from, bytes, path)) return false
      if (get8(text + bytes) != 0) return fault(FAULT_STRING_NUL, from + bytes)
      moveTo(from + bytes + 1)
      return true
    }
  }
  return readStringSlowly(path)
}

function readStringSlowly(path: bool): bool {
  const p = takeLengthCalled()
  if (p == 0) return false
  const length = order32(get32(p))
  const at = offset()
  // No sum of peer-given lengths: compared with what is left.
  if (length > left()) return fault(FAULT_LENGTH_OUT_OF_BOUNDS, at - 4)
  if (hold(at, length)) {
    if (!readText(address(at), at, length, path)) return false
  } else if (!readLongText(at, length, path)) return false
  skip(length)
  const nul = takeCalled(0, 1)
  if (nul == 0) return false
  return get8(nul) == 0 || fault(FAULT_STRING_NUL, offset() - 1)
}

// The length byte, the characters and room for the NUL; the address of the characters, or 0.
function signatureBytes(code: i32): usize {
  const p = takeCalled(0, 1)
  if (p == 0) return 0
  const at = offset()
  const length = get8(p)
  if (length + 1 > left()) {
    fault(code, at - 1)
    return 0
  }
  // The length byte stays in the window: it is read again.
  hold(at - 1, length + 2)
  return address(at)
}

function readSignature(): bool {
  const p = signatureBytes(FAULT_SIGNATURE_LENGTH)
  if (p == 0) return false
  const length = get8(p - 1)
  const at = offset()
  const code = checkSignature(p, length)
  if (code) return fault(code, at + signatureFaultAt())
  if (get8(p + length) != 0) return fault(FAULT_SIGNATURE_NUL, at + length)
  push2(at, length)
  skip(length + 1)
  return true
}

export function readVariant(depth: i32): bool {
  // Most variants hold a value of a fixed size or a text, and are in the window as a whole: one step of the read position.
  const from = offset()
  if (inReach(from) > 3 && isBasic(address(from)) && depth < MAX_DEPTH) {
    const word = singleOf(get8(address(from) + 1))
    const type = typeOf(word)
    if (sizeOf(word) != 0 || type == TYPE_STRING || type == TYPE_OBJECT_PATH) {
      const at = reach(from + 3, alignmentOf(word) - 1, sizeOf(word))
      if (at != NOWHERE) {
        push(type)
        moveTo(at)
        return readBasic(type, sizeOf(word))
      }
    }
  }
  return readVariantSlowly(depth)
}

function readVariantSlowly(depth: i32): bool {
  const p = signatureBytes(FAULT_VARIANT_SIGNATURE_LENGTH)
  if (p == 0) return false
  const at = offset()
  const length = get8(p - 1)
  let plan: usize
  let end: usize
  let word = length == 1 ? singleOf(get8(p)) : 0
  if (word != 0) {
    // Most variants hold a basic type: no look-up.
    push(typeOf(word))
    plan = singlePlan(typeOf(word))
    end = plan + 4
  } else {
    const number = find(p, length, depth + 1)
    if (number == -1) return fault(FAULT_VARIANT_SIGNATURE, at + signatureFaultAt())
    push(number == PLAN_LOOSE ? PLAN_LOOSE | (at - 1) : number)
    plan = planStart()
    end = planEnd()
  }
  if (get8(p + length) != 0) return fault(FAULT_VARIANT_SIGNATURE_NUL, at + length)
  if (length == 0) return fault(FAULT_VARIANT_EMPTY, at - 1)
  skip(length + 1)
  word = get32(plan)
  if (takeCalled(alignmentOf(word) - 1, 0) == 0) return false
  const next = plan + (spanOf(word) << 2)
  if (!readValues(plan, next, depth + 1)) return false
  return next == end || fault(FAULT_VARIANT_MULTIPLE, at + spanOf(word))
}

function readArray(w: usize, depth: i32): bool {
  const p = takeLength()
  if (p == 0) return false
  const length = order32(get32(p))
  const lengthAt = offset() - 4
  const word = get32(w + 4)
  // The padding to the first element is there, zero and not counted even when there is no element.
  if (take(alignmentOf(word) - 1, 0) == 0) return false
  if (length > left()) return fault(FAULT_LENGTH_OUT_OF_BOUNDS, lengthAt)
  const size = sizeOf(word)
  if (size != 0) return readBulk(typeOf(word), size, length, lengthAt)
  const countAt = tapeAt()
  push(0)
  if (length == 0) return true
  if (length > <u32>MAX_ARRAY_LENGTH) return fault(FAULT_ARRAY_TOO_LONG, lengthAt)
  const end = offset() + length
  const next = w + 4 + (spanOf(word) << 2)
  // Structs and dict entries: straight to their members.
  const n =
    alignmentOf(word) == 8 && depth + 2 <= MAX_DEPTH
      ? readElements(w + 8, next - 4, depth + 2, end, true)
      : readElements(w + 4, next, depth + 1, end, false)
  if (n == 0) return false
  if (offset() != end) return fault(FAULT_ARRAY_LENGTH, lengthAt)
  put32(countAt, n)
  return true
}

// An array of fixed-size elements: where it is, and nothing is copied unless it must be looked at or swapped.
function readBulk(type: u32, size: u32, length: u32, lengthAt: u32): bool {
  const at = offset()
  if (length > <u32>MAX_ARRAY_LENGTH) return fault(FAULT_ARRAY_TOO_LONG, lengthAt)
  if (length & (size - 1)) return fault(FAULT_ARRAY_LENGTH, lengthAt)
  if (type == TYPE_BOOLEAN && checked() && !readBooleans(at, length)) return false
  // A message that is in the window as a whole is swapped there; of a longer one the façade swaps its own copy.
  if (big && size > 1 && whole()) {
    count(length / size)
    swapElements(address(at), length, size)
  }
  push2(at, length)
  skip(length)
  return true
}

function readBooleans(at: u32, length: u32): bool {
  let done: u32 = 0
  while (done < length) {
    let bytes = length - done
    if (!hold(at + done, bytes)) bytes = min<u32>(bytes, piece(at + done) & ~3)
    const bad = booleanFault(address(at + done), bytes, big)
    if (bad >= 0) return fault(FAULT_BOOLEAN, at + done + bad)
    count(bytes >>> 2)
    done += bytes
  }
  return true
}
