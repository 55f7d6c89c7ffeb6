// One text of the message: checked, interned where it can be, and left on the tape as a reference of two words.
import { count, fault } from './fault'
import { addFlags, look, slotFlags, slotGeneration, slotText } from './intern'
import { pathEnd, pathFault, pathPiece, startPath } from './names'
import { FAULT_OBJECT_PATH, FAULT_UTF8 } from './shared/faults'
import { INTERN_LENGTH, TEXT_INTERNED, TEXT_IS_PATH, TEXT_IS_UTF8, TEXT_IS_WIDE, TEXT_WIDE } from './shared/layout'
import { push2 } from './tape'
import { UTF8_WIDE, utf8Fault, utf8Tail } from './utf8'
import { address, checked, piece } from './window'

// Whether somebody will ask for the strings. A verdict alone is quicker with each text looked at afresh.
let interning: bool = true
export function setInterning(on: bool): void {
  interning = on
}
// @ts-ignore: decorator
@inline export function interns(): bool {
  return interning
}

// Reads the text of `length` bytes at offset `at`, which lie in the window; p is its address, 4-aligned.
export function readText(p: usize, at: u32, length: u32, path: bool): bool {
  if (length == 0) {
    if (path && checked()) return fault(FAULT_OBJECT_PATH, at)
    push2(at, 0)
    return true
  }
  if (length <= <u32>INTERN_LENGTH && interning) {
    const slot = look(p, length)
    if (slot >= 0) {
      const need: u32 = path ? TEXT_IS_PATH : TEXT_IS_UTF8
      if ((slotFlags(slot) & need) == 0 && !admit(slot, at, length, path)) return false
      push2(TEXT_INTERNED | slot, slotGeneration(slot))
      return true
    }
  }
  if (!checked()) {
    push2(at, length | TEXT_WIDE)
    return true
  }
  if (path) {
    count(length)
    const bad = pathFault(p, length)
    if (bad >= 0) return fault(FAULT_OBJECT_PATH, at + bad)
    push2(at, length)
    return true
  }
  const state = utf8Fault(p, length)
  if (state >= 0) return fault(FAULT_UTF8, at + state)
  push2(at, state == UTF8_WIDE ? length | TEXT_WIDE : length)
  return true
}

// The first check of a text in this slot; what it passed is remembered. Unchecked text (validation: 'structure') passes as
// "wide" and unmarked: a later full validation looks at it.
function admit(slot: i32, at: u32, length: u32, path: bool): bool {
  if (!checked()) {
    if ((slotFlags(slot) & (TEXT_IS_UTF8 | TEXT_IS_PATH)) == 0) addFlags(slot, TEXT_IS_WIDE)
    return true
  }
  const p = slotText(slot)
  if (path) {
    count(length)
    const bad = pathFault(p, length)
    if (bad >= 0) return fault(FAULT_OBJECT_PATH, at + bad)
    addFlags(slot, TEXT_IS_PATH | TEXT_IS_UTF8)
    return true
  }
  const state = utf8Fault(p, length)
  if (state >= 0) return fault(FAULT_UTF8, at + state)
  addFlags(slot, state == UTF8_WIDE ? TEXT_IS_UTF8 | TEXT_IS_WIDE : TEXT_IS_UTF8)
  return true
}

// The same for a text longer than the window, piece by piece.
export function readLongText(at: u32, length: u32, path: bool): bool {
  if (!checked()) {
    push2(at, length | TEXT_WIDE)
    return true
  }
  startPath()
  let wide = false
  let done: u32 = 0
  while (done < length) {
    let bytes = piece(at + done)
    const last = bytes >= length - done
    if (last) bytes = length - done
    const p = address(at + done)
    if (path) {
      count(bytes)
      const bad = pathPiece(p, bytes)
      if (bad >= 0) return fault(FAULT_OBJECT_PATH, at + done + bad)
    } else {
      // A sequence cut by the window's end is looked at with the next piece. Pieces end on a multiple of 4: `p` stays aligned.
      if (!last) {
        bytes &= ~3
        bytes -= utf8Tail(p, bytes)
      }
      const state = utf8Fault(p, bytes)
      if (state >= 0) return fault(FAULT_UTF8, at + done + state)
      if (state == UTF8_WIDE) wide = true
    }
    done += bytes
  }
  if (path && pathEnd(length) >= 0) return fault(FAULT_OBJECT_PATH, at + length)
  push2(at, wide ? length | TEXT_WIDE : length)
  return true
}
