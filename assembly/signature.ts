// The signature compiler and its table. Grammar and limits are libdbus's (VALIDATION.md section 4): what a bus lets pass compiles.
import { count } from './fault'
import { get32, get8, mix, put32, zero } from './memory'
import { alignmentOf, containerWord, planWord, singleOf, sizeOf, spanOf } from './plan'
import {
  FAULT_ARRAY_DEPTH, FAULT_ARRAY_ELEMENT, FAULT_DICT_DEPTH, FAULT_DICT_EMPTY, FAULT_DICT_KEY, FAULT_DICT_MANY_FIELDS,
  FAULT_DICT_NOT_ENDED, FAULT_DICT_NOT_STARTED, FAULT_DICT_ONE_FIELD, FAULT_DICT_OUTSIDE_ARRAY, FAULT_SIGNATURE_TOO_LONG,
  FAULT_STRUCT_DEPTH, FAULT_STRUCT_EMPTY, FAULT_STRUCT_NOT_ENDED, FAULT_STRUCT_NOT_STARTED, FAULT_TYPE_CODE,
} from './shared/faults'
import {
  BRACKET_STACK, CONTROL_PLAN_EPOCH, CONTROL_SEED, PLAN_BUCKETS, PLAN_BUCKET_COUNT, PLAN_CAPACITY, PLAN_FIRST, PLAN_LOOSE, PLAN_PROBES, PLAN_RECORD,
  PLAN_SINGLES, PLAN_STACK, PLAN_STACK_FRAME, PLAN_TABLE, PLAN_WORDS, PLAN_WORDS_END,
} from './shared/layout'
import {
  MAX_NESTING, MAX_SIGNATURE_LENGTH, TYPE_ARRAY, TYPE_DICT_ENTRY, TYPE_DICT_ENTRY_END, TYPE_STRUCT, TYPE_STRUCT_END,
  TYPE_VARIANT,
} from './shared/wire'

// Where the last compilation failed: index in the signature.
let failedAt: u32 = 0
// What the last look-up found.
let foundAt: usize = 0
let foundLength: u32 = 0
let plans: u32 = 0
let wordsEnd: usize = PLAN_WORDS
let full: bool = false

export function signatureFaultAt(): u32 {
  return failedAt
}
// @ts-ignore: decorator
@inline export function planStart(): usize {
  return foundAt
}
// @ts-ignore: decorator
@inline export function planEnd(): usize {
  return foundAt + (foundLength << 2)
}

// Between two messages: a table that was too small for the last one starts anew, and all numbers of plans with it.
export function refreshPlans(): bool {
  if (!full) return false
  full = false
  plans = 0
  wordsEnd = PLAN_WORDS
  count(PLAN_BUCKET_COUNT)
  zero(PLAN_BUCKETS, PLAN_BUCKETS + (PLAN_BUCKET_COUNT << 2))
  put32(CONTROL_PLAN_EPOCH, get32(CONTROL_PLAN_EPOCH) + 1)
  return true
}

export function planByNumber(number: u32): void {
  if (number < <u32>PLAN_FIRST) {
    foundAt = PLAN_SINGLES + (number << 2)
    foundLength = 1
  } else {
    const record = PLAN_TABLE + (number - PLAN_FIRST) * PLAN_RECORD
    foundAt = get32(record)
    foundLength = get32(record + 4)
  }
}

export function noPlan(): void {
  foundLength = 0
}

// The plan that `find` left in a frame of the plan stack.
export function loosePlan(frame: u32, length: u32): void {
  foundAt = PLAN_STACK + frame * PLAN_STACK_FRAME
  foundLength = length
}

function failed(code: i32, at: u32): i32 {
  failedAt = at
  return code
}

// Open brackets: { index of the bracket in the signature, members so far }.
// @ts-ignore: decorator
@inline function bracket(level: u32): usize {
  return BRACKET_STACK + (level << 3)
}

// Compiles the signature at p into one word per character at `to`: 0 or a fault, with signatureFaultAt().
export function compile(p: usize, length: u32, to: usize): i32 {
  if (length > <u32>MAX_SIGNATURE_LENGTH) return failed(FAULT_SIGNATURE_TOO_LONG, MAX_SIGNATURE_LENGTH)
  count(length)
  let arrays: u32 = 0
  let structs: u32 = 0
  let entries: u32 = 0
  let last: u32 = 0
  put32(bracket(0) + 4, 0)
  for (let i: u32 = 0; i < length; i++) {
    const c = get8(p + i)
    let word = singleOf(c)
    let opens = false
    if (word == 0) {
      const level = structs + entries
      if (c == TYPE_ARRAY) {
        opens = true
        if (++arrays > <u32>MAX_NESTING) return failed(FAULT_ARRAY_DEPTH, i)
      } else if (c == TYPE_STRUCT) {
        opens = true
        if (++structs > <u32>MAX_NESTING) return failed(FAULT_STRUCT_DEPTH, i)
      } else if (c == TYPE_DICT_ENTRY) {
        opens = true
        if (last != TYPE_ARRAY) return failed(FAULT_DICT_OUTSIDE_ARRAY, i)
        if (++entries > <u32>MAX_NESTING) return failed(FAULT_DICT_DEPTH, i)
      } else if (c == TYPE_STRUCT_END) {
        if (structs == 0) return failed(FAULT_STRUCT_NOT_STARTED, i)
        if (last == TYPE_STRUCT) return failed(FAULT_STRUCT_EMPTY, i)
        if (get8(p + get32(bracket(level))) != TYPE_STRUCT) return failed(FAULT_STRUCT_NOT_STARTED, i)
        structs -= 1
      } else if (c == TYPE_DICT_ENTRY_END) {
        if (entries == 0 || get8(p + get32(bracket(level))) != TYPE_DICT_ENTRY) return failed(FAULT_DICT_NOT_STARTED, i)
        const members = get32(bracket(level) + 4)
        if (members == 0) return failed(FAULT_DICT_EMPTY, i)
        if (members == 1) return failed(FAULT_DICT_ONE_FIELD, i)
        if (members > 2) return failed(FAULT_DICT_MANY_FIELDS, i)
        entries -= 1
      } else {
        return failed(FAULT_TYPE_CODE, i)
      }
      if (opens) {
        word = containerWord(c)
        if (c != TYPE_ARRAY) {
          put32(bracket(level + 1), i)
          put32(bracket(level + 1) + 4, 0)
        }
      } else {
        const start = get32(bracket(level))
        const opening = to + (start << 2)
        put32(opening, get32(opening) | ((i - start + 1) << 16))
        word = planWord(c, 1, 0, 1)
      }
    }
    if (!opens) {
      const members = bracket(structs + entries) + 4
      put32(members, get32(members) + 1)
    }
    if (c == TYPE_ARRAY) {
      const next: u32 = i + 1 < length ? get8(p + i + 1) : 0
      if (next == TYPE_STRUCT_END || next == TYPE_DICT_ENTRY_END) return failed(FAULT_ARRAY_ELEMENT, i)
    } else {
      // Only consecutive arrays count: libdbus starts again at the next code that is none (VALIDATION.md 4.3).
      arrays = 0
    }
    if (last == TYPE_DICT_ENTRY && (singleOf(c) == 0 || c == TYPE_VARIANT)) return failed(FAULT_DICT_KEY, i)
    put32(to + (i << 2), word)
    last = c
  }
  if (arrays > 0) return failed(FAULT_ARRAY_ELEMENT, length)
  if (structs > 0) return failed(FAULT_STRUCT_NOT_ENDED, length)
  if (entries > 0) return failed(FAULT_DICT_NOT_ENDED, length)
  for (let i = length; i > 0; i--) {
    const at = to + ((i - 1) << 2)
    const word = get32(at)
    if ((word & 0xff) == TYPE_ARRAY) put32(at, planWord(TYPE_ARRAY, 4, 0, spanOf(get32(at + 4)) + 1))
  }
  return 0
}

// Compiles without keeping: 0 or a fault. The words are in the last frame of the plan stack.
export function checkSignature(p: usize, length: u32): i32 {
  return compile(p, length, PLAN_STACK + 67 * PLAN_STACK_FRAME)
}

function same(words: usize, p: usize, length: u32): bool {
  count(length)
  for (let i: u32 = 0; i < length; i++) {
    if ((get32(words + (i << 2)) & 0xff) != get8(p + i)) return false
  }
  return true
}

// Finds or makes the plan of the signature at p: its number, or -1 after a fault (in lastFault). When the table is full, the
// plan is made in frame `depth` of the plan stack and the number is PLAN_LOOSE.
let lastFault: i32 = 0
export function signatureFault(): i32 {
  return lastFault
}
export function find(p: usize, length: u32, depth: i32): i32 {
  if (length == 1) {
    const c = get8(p)
    if (singleOf(c) != 0) {
      foundAt = PLAN_SINGLES + (c << 2)
      foundLength = 1
      return c
    }
  }
  count(length)
  let hash: u32 = get32(CONTROL_SEED) + length
  for (let i: u32 = 0; i < length; i++) hash = mix(hash, get8(p + i))
  let bucket = hash & (PLAN_BUCKET_COUNT - 1)
  let probes = 0
  for (; probes < PLAN_PROBES; probes++) {
    const number = get32(PLAN_BUCKETS + (bucket << 2))
    if (number == 0) break
    const record = PLAN_TABLE + (number - 1) * PLAN_RECORD
    if (get32(record + 4) == length && same(get32(record), p, length)) {
      foundAt = get32(record)
      foundLength = length
      return number - 1 + PLAN_FIRST
    }
    bucket = (bucket + 1) & (PLAN_BUCKET_COUNT - 1)
  }
  const fits = probes < PLAN_PROBES && plans < <u32>PLAN_CAPACITY && wordsEnd + (length << 2) <= <u32>PLAN_WORDS_END
  const to = fits ? wordsEnd : PLAN_STACK + depth * PLAN_STACK_FRAME
  lastFault = compile(p, length, to)
  if (lastFault) return -1
  foundAt = to
  foundLength = length
  if (!fits) {
    full = true
    return PLAN_LOOSE
  }
  put32(PLAN_TABLE + plans * PLAN_RECORD, to)
  put32(PLAN_TABLE + plans * PLAN_RECORD + 4, length)
  plans += 1
  wordsEnd += length << 2
  put32(PLAN_BUCKETS + (bucket << 2), plans)
  return plans - 1 + PLAN_FIRST
}
