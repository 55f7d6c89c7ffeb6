// Interned text: D-Bus repeats its interfaces, members, paths and property names. A hit costs a hash and a compare and needs
// no check; the façade has the JavaScript string already. One place for each text; the record is drawn in shared/layout.ts.
import { count } from './fault'
import { copyWords, equal, get32, mix, put32 } from './memory'
import {
  CONTROL_SEED, INTERN_CANDIDATE, INTERN_GENERATION, INTERN_HASH, INTERN_INFO, INTERN_KEYS, INTERN_LENGTH, INTERN_MISSES, INTERN_RECORD,
  INTERN_RECORDS, INTERN_SHIFT, INTERN_TEXTS, INTERN_USED,
} from './shared/layout'

// A text that has been missed so often since the one in its place was last asked for takes the place: a reply of hundreds of objects
// says its property names hundreds of times, and a path that shares a place with one of them once.
const MANY_MISSES: u32 = 4

// Number of the message: texts used in it stay, since the tape refers to them.
let message: u32 = 0
let generation: u32 = 0

// The factors of the hash, odd, from the instance's seed.
export function seedTexts(): void {
  let word = get32(CONTROL_SEED)
  for (let i: u32 = 0; i <= <u32>(INTERN_LENGTH / 4); i++) {
    word = mix(word, i + 1)
    put32(INTERN_KEYS + (i << 2), word | 1)
  }
}

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
// @ts-ignore: decorator
@inline export function look(p: usize, length: u32): i32 {
  count(length)
  // A sum of products with random factors: the multiplications need not wait for each other, and no one outside can tell which
  // texts share a slot.
  let hash: u32 = length * get32(INTERN_KEYS)
  let key: usize = INTERN_KEYS + 4
  const words = p + (length & ~3)
  let q = p
  for (; q < words; q += 4) {
    hash += get32(q) * get32(key)
    key += 4
  }
  if (length & 3) hash += (get32(q) << ((4 - (length & 3)) << 3)) * get32(key)
  // The upper bits depend on all of the text, the lower ones do not.
  const slot: i32 = hash >>> INTERN_SHIFT
  const record = slotRecord(slot)
  if (
    get32(record + INTERN_HASH) == hash &&
    (get32(record + INTERN_INFO) & 0xff) == length &&
    get32(record + INTERN_MISSES) < MANY_MISSES &&
    equal(slotText(slot), p, length)
  ) {
    put32(record + INTERN_USED, message)
    put32(record + INTERN_MISSES, 0)
    return slot
  }
  if (get32(record + INTERN_CANDIDATE) != hash) {
    put32(record + INTERN_CANDIDATE, hash)
    put32(record + INTERN_MISSES, 0)
    return -1
  }
  put32(record + INTERN_MISSES, get32(record + INTERN_MISSES) + 1)
  // After 2^32 - 1 replacements the table stays as it is: a generation is never used twice.
  if (get32(record + INTERN_USED) == message || generation == 0xffffffff) return -1
  generation += 1
  put32(record + INTERN_MISSES, 0)
  copyWords(slotText(slot), p, length)
  put32(record + INTERN_HASH, hash)
  put32(record + INTERN_INFO, length)
  put32(record + INTERN_GENERATION, generation)
  put32(record + INTERN_USED, message)
  return slot
}

// The same as a call, for the few texts of a header.
export function intern(p: usize, length: u32): i32 {
  return look(p, length)
}
