// The message's bytes, or the part of them being looked at, and the read position. `take` is the only place that aligns,
// checks bounds and checks padding.
//
//   message   0 ─────────── start ───────────── loaded ─────── end ─── (end of the section: header or body)
//                           │ WINDOW            │
//                           └───────────────────┘ address = offset + delta
import { count, fault } from './fault'
import { get64Any, get8 } from './memory'
import { FAULT_NOT_ENOUGH_DATA, FAULT_PADDING } from './shared/faults'
import { WINDOW, WINDOW_SIZE } from './shared/layout'

// Host: puts bytes [offset, offset + length) of the message at WINDOW.
// @ts-ignore: decorator
@external('env', 'refill')
declare function refill(offset: u32, length: u32): void

// Host: takes the window's first `length` bytes as bytes [offset, offset + length) of the result.
// @ts-ignore: decorator
@external('env', 'flush')
declare function flush(offset: u32, length: u32): void

let position: u32 = 0
let end: u32 = 0
let total: u32 = 0
let start: u32 = 0
let loaded: u32 = 0
// min(end, loaded): one comparison on the way in.
let limit: u32 = 0
let delta: u32 = WINDOW
// validation: 'full'. 'structure' does not look at padding, booleans and texts.
let strict: bool = true
// Whether what is changed in the window goes back to the host.
let writable: bool = false

// The window holds the first `first` bytes of a message of `length` bytes, counted from offset 0. A `seek` follows.
export function openWindow(length: u32, first: u32, full: bool): void {
  start = 0
  total = length
  loaded = min<u32>(length, first)
  delta = WINDOW
  strict = full
  writable = false
  setEnd(length)
}

// Sets the end of the section that is read now. Never beyond the message.
export function setEnd(to: u32): void {
  end = to
  limit = min<u32>(end, loaded)
}

// @ts-ignore: decorator
@inline export function offset(): u32 {
  return position
}
// @ts-ignore: decorator
@inline export function sectionEnd(): u32 {
  return end
}
// @ts-ignore: decorator
@inline export function left(): u32 {
  return end - position
}
// Bytes of the section that are in the window from offset `at` on, which must be in it or at its end.
// @ts-ignore: decorator
@inline export function inReach(at: u32): u32 {
  return at <= limit ? limit - at : 0
}
// @ts-ignore: decorator
@inline export function checked(): bool {
  return strict
}
// Whether the whole message is in the window.
// @ts-ignore: decorator
@inline export function whole(): bool {
  return loaded - start == total
}
// Address of a byte that is in the window.
// @ts-ignore: decorator
@inline export function address(at: u32): usize {
  return at + delta
}
// @ts-ignore: decorator
@inline export function skip(bytes: u32): void {
  position += bytes
}
export function seek(to: u32): void {
  position = to
  if (to < start) load(to)
}

// Moves the window so that it starts at or a little before `from`; offsets keep their alignment.
function load(from: u32): void {
  if (writable) flush(start, loaded - start)
  start = from & ~7
  const length = min<u32>(total - start, WINDOW_SIZE)
  count(length)
  refill(start, length)
  loaded = start + length
  limit = min<u32>(end, loaded)
  delta = WINDOW - start
}

// Whether bytes [from, from + bytes) of the message could be brought into the window; they must lie inside the message.
// @ts-ignore: decorator
@inline export function hold(from: u32, bytes: u32): bool {
  return (from >= start && from + bytes <= loaded) || reload(from, bytes)
}
function reload(from: u32, bytes: u32): bool {
  if (bytes > <u32>WINDOW_SIZE - 8 || from + bytes > total) return false
  load(from)
  return true
}

// Bytes of the message from `from` on that are in the window, after moving it there.
export function piece(from: u32): u32 {
  load(from)
  return loaded - from
}

// Whether the padding [from, to), 1 to 7 bytes, is zero.
// @ts-ignore: decorator
@inline function zeroes(from: u32, to: u32): bool {
  // wasm2js would have to put 64 bits together. There is memory in front of the window.
  if (ASC_FEATURE_SIMD) return get64Any(address(to) - 8) >> (64 - ((to - from) << 3)) == 0
  return zeroesOneByOne(from, to)
}
function zeroesOneByOne(from: u32, to: u32): bool {
  for (let i = from; i < to; i++) {
    if (get8(i + delta) != 0) return false
  }
  return true
}

// What `reach` gives when a value is not simply there.
export const NOWHERE: u32 = 0xffffffff

// The next multiple of mask + 1 from offset `at` on, if `size` bytes there are in the window and the padding before them is zero.
// This and takeSlowly are the only places that align, check bounds and check padding when reading.
// @ts-ignore: decorator
@inline export function reach(at: u32, mask: u32, size: u32): u32 {
  const to = (at + mask) & ~mask
  return to + size <= limit && (to == at || !strict || zeroes(at, to)) ? to : NOWHERE
}

// @ts-ignore: decorator
@inline export function moveTo(to: u32): void {
  position = to
}

// Takes `size` bytes at the next multiple of mask + 1: their address, or 0 after a fault.
// @ts-ignore: decorator
@inline export function take(mask: u32, size: u32): usize {
  const at = reach(position, mask, size)
  if (at == NOWHERE) return takeSlowly(mask, size, 0)
  position = at + size
  return at + delta
}

// The same for the length of a string or array, which libdbus wants whole before it looks at the padding.
// @ts-ignore: decorator
@inline export function takeLength(): usize {
  const at = reach(position, 3, 4)
  if (at == NOWHERE) return takeSlowly(3, 4, 4)
  position = at + 4
  return at + delta
}

// The same as calls: for what is not in a hurry, the code is smaller.
export function takeCalled(mask: u32, size: u32): usize {
  return take(mask, size)
}
export function takeLengthCalled(): usize {
  return takeLength()
}

// `first`: bytes that must be there before the padding is looked at. A size of 0 aligns only: the end itself is fine then.
function takeSlowly(mask: u32, size: u32, first: u32): usize {
  const at = (position + mask) & ~mask
  if (at + first > end || (size != 0 && at >= end)) {
    fault(FAULT_NOT_ENOUGH_DATA, end)
    return 0
  }
  // The padding before the value comes along.
  if (min<u32>(at + size, end) > loaded) load(position)
  if (strict) {
    for (let i = position; i < at; i++) {
      if (get8(i + delta) != 0) {
        fault(FAULT_PADDING, i)
        return 0
      }
    }
  }
  if (at + size > end) {
    fault(FAULT_NOT_ENOUGH_DATA, end)
    return 0
  }
  position = at + size
  return at + delta
}

// From now on the window is changed in place; closeWindow hands over the last part.
export function writeWindow(): void {
  writable = true
  strict = false
}
export function closeWindow(): void {
  flush(start, loaded - start)
  writable = false
}
