// The tape: 32-bit words from TAPE on, in the order of the signature (docs/tape.md). Both directions move along it here.
import { fault } from './fault'
import { get32, grow, pages, put32 } from './memory'
import { FAULT_TOO_MANY_VALUES } from './shared/faults'
import { CONTROL_PAGES, CONTROL_TAPE_END, PAGE_SIZE, TAPE } from './shared/layout'

// Address of the next word to write (decoding) or to read (encoding).
let cursor: u32 = TAPE
// No word is written at or past this address.
let limit: u32 = 0

export function startTape(): void {
  cursor = TAPE
  limit = (pages() * PAGE_SIZE - 64) as u32
}

export function endTape(): void {
  put32(CONTROL_TAPE_END, cursor)
}

// @ts-ignore: decorator
@inline export function tapeAt(): u32 {
  return cursor
}

// @ts-ignore: decorator
@inline export function moveTape(to: u32): void {
  cursor = to
}

// Makes room for four words. Every value asks once, before its first word.
// @ts-ignore: decorator
@inline export function room(): bool {
  return cursor + 16 <= limit || more()
}

function more(): bool {
  // Half as much again, so that a long message grows the memory a few times only.
  const size = pages()
  if (!grow((size >>> 1) + 1) && !grow(16)) return fault(FAULT_TOO_MANY_VALUES, 0)
  put32(CONTROL_PAGES, pages())
  limit = pages() * PAGE_SIZE - 64
  return true
}

// @ts-ignore: decorator
@inline export function push(word: u32): void {
  put32(cursor, word)
  cursor += 4
}

// @ts-ignore: decorator
@inline export function push2(first: u32, second: u32): void {
  put32(cursor, first)
  put32(cursor + 4, second)
  cursor += 8
}

// Numbers of 64 bits stand on an even word, low half first.
// @ts-ignore: decorator
@inline export function pushWide(low: u32, high: u32): void {
  const at = (cursor + 7) & ~7
  put32(at, low)
  put32(at + 4, high)
  cursor = at + 8
}

// @ts-ignore: decorator
@inline export function pull(): u32 {
  const word = get32(cursor)
  cursor += 4
  return word
}

// @ts-ignore: decorator
@inline export function pullWide(): u32 {
  const at = (cursor + 7) & ~7
  cursor = at + 8
  return at
}
