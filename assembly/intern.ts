// Interned text: D-Bus repeats its interfaces, members, paths and property names. A hit costs a hash and a compare and needs
// no check; the façade has the JavaScript string already. One place for each text; the record is drawn in shared/layout.ts.
import { count } from './fault'
import { copyWords, equal, get32, mix, put32 } from './memory'
import {
  CONTROL_SEED, INTERN_CANDIDATE, INTERN_COUNT, INTERN_GENERATION, INTERN_HASH, INTERN_INFO, INTERN_LENGTH, INTERN_RECORD,
  INTERN_RECORDS, INTERN_TEXTS, INTERN_USED,
} from './shared/layout'

// Number of the message: texts used in it stay, since the tape refers to them.
let message: u32 = 0
let generation: u32 = 0

export function nextMessage(): void {
  message += 1
}

// @ts-ignore: decorator
@inline export function slotRecord(slot: i32): usize {
  return INTERN_RECORDS + slot * INTERN_RECORD
}
// @ts-ignore: decorator
@inline export function slotText(slot: i32): usize {
  return INTERN_TEXTS + slot * INTERN_LENGTH
}
// @ts-ignore: decorator
@inline export function slotFlags(slot: i32): u32 {
  return get32(slotRecord(slot) + INTERN_INFO)
}
// @ts-ignore: decorator
@inline export function slotGeneration(slot: i32): u32 {
  return get32(slotRecord(slot) + INTERN_GENERATION)
}
export function addFlags(slot: i32, flags: u32): void {
  const info = slotRecord(slot) + INTERN_INFO
  put32(info, get32(info) | flags)
}

// Slot of the text of 1 to INTERN_LENGTH bytes at p (4-aligned, readable to the next multiple of 4), or -1. A text gets its
// slot when it is seen for the second time with no other miss of that slot between.
export function intern(p: usize, length: u32): i32 {
  count(length)
  let hash: u32 = get32(CONTROL_SEED) + length
  const words = p + (length & ~3)
  let q = p
  for (; q < words; q += 4) hash = mix(hash, get32(q))
  if (length & 3) hash = mix(hash, get32(q) << ((4 - (length & 3)) << 3))
  hash ^= hash >>> 13
  const slot: i32 = hash & (INTERN_COUNT - 1)
  const record = slotRecord(slot)
  if (get32(record + INTERN_HASH) == hash && (get32(record + INTERN_INFO) & 0xff) == length && equal(slotText(slot), p, length)) {
    put32(record + INTERN_USED, message)
    return slot
  }
  if (get32(record + INTERN_CANDIDATE) != hash || get32(record + INTERN_USED) == message || generation == 0xffffffff) {
    // After 2^32 - 1 replacements the table stays as it is: a generation is never used twice.
    put32(record + INTERN_CANDIDATE, hash)
    return -1
  }
  generation += 1
  copyWords(slotText(slot), p, length)
  put32(record + INTERN_HASH, hash)
  put32(record + INTERN_INFO, length)
  put32(record + INTERN_GENERATION, generation)
  put32(record + INTERN_USED, message)
  return slot
}
