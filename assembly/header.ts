// The header: read and checked (VALIDATION.md sections 0 to 2). Structure comes first, then meaning, as in libdbus: a fault of
// meaning waits in `pending` until all fields are known to be well-formed.
import { clearFault, count, fault } from './fault'
import { fieldType, isReserved, missingField, nameFault, nameFaultCode, nameFlag, reservedFault } from './fields'
import { addFlags, intern, nextMessage, slotFlags, slotGeneration, slotText } from './intern'
import { pathFault } from './names'
import { copyWords, equal, get32, get8, hashBlock, put32 } from './memory'
import {
  FAULT_ARRAY_LENGTH, FAULT_BODY_LENGTH, FAULT_BYTE_ORDER, FAULT_FIELDS_LENGTH, FAULT_FIELD_CODE, FAULT_FIELD_TWICE,
  FAULT_FIELD_TYPE, FAULT_INCOMPLETE, FAULT_MESSAGE_LENGTH, FAULT_MESSAGE_TYPE, FAULT_NONE, FAULT_PROTOCOL_VERSION,
  FAULT_REPLY_SERIAL, FAULT_SERIAL,
} from './shared/faults'
import {
  CONTROL_BODY, CONTROL_FIELDS, CONTROL_FIELDS_END, CONTROL_FLAGS, CONTROL_HEADER_GENERATION, CONTROL_HEADER_SLOT, CONTROL_LENGTH,
  CONTROL_ORDER, CONTROL_PLAN, CONTROL_SEED, CONTROL_SERIAL, CONTROL_TYPE, FIELD_ABSENT, FIELD_RECORD, HEADER_VALUES, MEMO_BYTES,
  MEMO_CANDIDATE, MEMO_COUNT, MEMO_FIELDS, MEMO_GENERATION, MEMO_HASH, MEMO_INFO, MEMO_LENGTH, MEMO_PLAN, MEMO_SLOT,
  MEMO_SLOTS, INTERN_LENGTH, PLAN_LOOSE, TAPE, TEXT_INTERNED, TEXT_IS_PATH, TEXT_IS_UTF8, TEXT_IS_WIDE, TEXT_WIDE, WINDOW,
} from './shared/layout'
import {
  FIELD_INTERFACE, FIELD_LAST, FIELD_PATH, FIELD_REPLY_SERIAL, FIELD_SIGNATURE, HEADER_BODY_LENGTH, HEADER_FIELDS,
  HEADER_FIELDS_LENGTH, HEADER_FLAGS, HEADER_SERIAL, HEADER_TYPE, HEADER_VERSION, MAX_ARRAY_LENGTH, MAX_MESSAGE_LENGTH,
  MAX_NAME_LENGTH, ORDER_BIG, ORDER_LITTLE, PROTOCOL_VERSION, TYPE_SIGNATURE,
  TYPE_UINT32,
} from './shared/wire'
import { order32, readVariant, startRead } from './read'
import { find, refreshPlans } from './signature'
import { moveTape, startTape } from './tape'
import { interns } from './text'
import { address, checked, hold, inReach, moveTo, NOWHERE, offset, openWindow, reach, seek, takeCalled } from './window'

let pending: i32 = FAULT_NONE
let pendingAt: u32 = 0
let generation: u32 = 0

// The first 16 bytes of `given` bytes, of which `first` are in the window: claims are refused before anything of them is believed.
// False after a fault.
export function readFixed(given: u32, first: u32, most: u32, full: bool, maxValues: u32): bool {
  clearFault()
  if (refreshPlans()) forgetHeaders()
  nextMessage()
  if (given < <u32>HEADER_FIELDS) return fault(FAULT_INCOMPLETE, given)
  const order = get8(WINDOW)
  if (order != ORDER_LITTLE && order != ORDER_BIG) return fault(FAULT_BYTE_ORDER, 0)
  startRead(order == ORDER_BIG, max<u32>(maxValues, HEADER_VALUES))
  const fields = order32(get32(WINDOW + HEADER_FIELDS_LENGTH))
  if (fields > <u32>MAX_ARRAY_LENGTH) return fault(FAULT_FIELDS_LENGTH, HEADER_FIELDS_LENGTH)
  const body = order32(get32(WINDOW + HEADER_BODY_LENGTH))
  if (body > <u32>MAX_MESSAGE_LENGTH) return fault(FAULT_BODY_LENGTH, HEADER_BODY_LENGTH)
  // Both are capped above, so this sum stays far below 2^32.
  const start: u32 = (<u32>HEADER_FIELDS + fields + 7) & ~7
  if (start + body > most) return fault(FAULT_MESSAGE_LENGTH, HEADER_BODY_LENGTH)
  if (given < start + body) return fault(FAULT_INCOMPLETE, given)
  put32(CONTROL_TYPE, get8(WINDOW + HEADER_TYPE))
  put32(CONTROL_FLAGS, get8(WINDOW + HEADER_FLAGS))
  put32(CONTROL_SERIAL, order32(get32(WINDOW + HEADER_SERIAL)))
  put32(CONTROL_ORDER, order == ORDER_BIG ? 1 : 0)
  put32(CONTROL_FIELDS_END, <u32>HEADER_FIELDS + fields)
  put32(CONTROL_BODY, start)
  put32(CONTROL_LENGTH, start + body)
  openWindow(start + body, first, full)
  startTape()
  return true
}

// All of the header after readFixed. A field array that was seen before needs no second look.
export function readHeader(): bool {
  const type = get8(WINDOW + HEADER_TYPE)
  const version = get8(WINDOW + HEADER_VERSION)
  const start = get32(CONTROL_BODY)
  const fields = order32(get32(WINDOW + HEADER_FIELDS_LENGTH))
  let hash: u32 = 0
  let memo: usize = 0
  if (fields <= <u32>MEMO_LENGTH) {
    const info = memoInfo(fields)
    // Signals come in runs with the same header: the last one is tried without a hash.
    if (isKept(lastMemo, info, start)) return reuse(lastMemo, version, start)
    if (misses < MANY_MISSES || (misses & 7) == 0) {
      hash = hashBlock(WINDOW + HEADER_FIELDS, start - HEADER_FIELDS, get32(CONTROL_SEED) ^ info)
      memo = MEMO_SLOTS + (hash & (MEMO_COUNT - 1)) * MEMO_SLOT
      if (get32(memo + MEMO_HASH) == hash && isKept(memo, info, start)) return reuse(memo, version, start)
    }
    misses += 1
  }
  if (!readFields(fields)) return false
  // The padding to the body.
  if (takeCalled(7, 0) == 0) return false
  if (type == 0) return fault(FAULT_MESSAGE_TYPE, HEADER_TYPE)
  if (version != PROTOCOL_VERSION) return fault(FAULT_PROTOCOL_VERSION, HEADER_VERSION)
  if (get32(CONTROL_SERIAL) == 0) return fault(FAULT_SERIAL, HEADER_SERIAL)
  if (pending != FAULT_NONE) return fault(pending, pendingAt)
  const missing = missingField(type)
  if (missing != FAULT_NONE) return fault(missing, HEADER_FIELDS + fields)
  put32(CONTROL_HEADER_SLOT, -1)
  if (memo != 0 && checked() && get32(CONTROL_PLAN) != PLAN_LOOSE) keep(memo, hash, fields, start)
  return true
}

// What a kept header is known by beside its bytes. The top bit tells a slot that is in use.
// @ts-ignore: decorator
@inline function memoInfo(fields: u32): u32 {
  return fields | (get32(CONTROL_TYPE) << 16) | (get32(CONTROL_ORDER) << 24) | 0x80000000
}

let lastMemo: usize = MEMO_SLOTS

// Headers in a row that were not kept. After many, only every eighth is hashed: a peer that never repeats itself gains nothing by it.
const MANY_MISSES: u32 = 64
let misses: u32 = 0

// Whether the slot holds this very field array; its final padding, which is zero there, included.
// @ts-ignore: decorator
@inline function isKept(memo: usize, info: u32, start: u32): bool {
  return get32(memo + MEMO_INFO) == info && equal(memo + MEMO_BYTES, WINDOW + HEADER_FIELDS, start - HEADER_FIELDS)
}

function reuse(memo: usize, version: u32, start: u32): bool {
  if (version != PROTOCOL_VERSION) return fault(FAULT_PROTOCOL_VERSION, HEADER_VERSION)
  if (get32(CONTROL_SERIAL) == 0) return fault(FAULT_SERIAL, HEADER_SERIAL)
  lastMemo = memo
  misses = 0
  put32(CONTROL_HEADER_SLOT, (memo - MEMO_SLOTS) / MEMO_SLOT)
  put32(CONTROL_HEADER_GENERATION, get32(memo + MEMO_GENERATION))
  put32(CONTROL_PLAN, get32(memo + MEMO_PLAN))
  seek(start)
  return true
}

// Keeps a field array that is seen for the second time: a peer that never repeats itself replaces nothing.
function keep(memo: usize, hash: u32, fields: u32, start: u32): void {
  if (get32(memo + MEMO_CANDIDATE) != hash || generation == 0xffffffff) {
    put32(memo + MEMO_CANDIDATE, hash)
    return
  }
  generation += 1
  put32(memo + MEMO_HASH, hash)
  put32(memo + MEMO_INFO, memoInfo(fields))
  put32(memo + MEMO_GENERATION, generation)
  put32(memo + MEMO_PLAN, get32(CONTROL_PLAN))
  copyWords(memo + MEMO_FIELDS, CONTROL_FIELDS, (FIELD_LAST + 1) * FIELD_RECORD)
  // The slots of interned text may hold another text by the time that this is read.
  for (let code: u32 = 1; code <= <u32>FIELD_LAST; code++) put32(memo + MEMO_FIELDS + code * FIELD_RECORD + 8, 0)
  copyWords(memo + MEMO_BYTES, WINDOW + HEADER_FIELDS, start - HEADER_FIELDS)
}

export function forgetHeaders(): void {
  count(MEMO_COUNT)
  for (let slot: u32 = 0; slot < <u32>MEMO_COUNT; slot++) {
    put32(MEMO_SLOTS + slot * MEMO_SLOT + MEMO_INFO, 0)
    put32(MEMO_SLOTS + slot * MEMO_SLOT + MEMO_HASH, 0)
  }
}

function readFields(length: u32): bool {
  for (let code: u32 = 1; code <= <u32>FIELD_LAST; code++) put32(CONTROL_FIELDS + code * FIELD_RECORD + 4, FIELD_ABSENT)
  put32(CONTROL_PLAN, 0)
  pending = FAULT_NONE
  seek(HEADER_FIELDS)
  const end: u32 = <u32>HEADER_FIELDS + length
  while (offset() < end) {
    if (pending == FAULT_NONE && readPlainField()) continue
    if (takeCalled(7, 0) == 0) return false
    const at = offset()
    const p = takeCalled(0, 1)
    if (p == 0) return false
    const code = get8(p)
    moveTape(TAPE)
    // Array, struct, variant: the field's value is three levels deep.
    if (!readVariant(2)) return false
    if (pending == FAULT_NONE) noteField(code, at)
  }
  moveTape(TAPE)
  return offset() == end || fault(FAULT_ARRAY_LENGTH, HEADER_FIELDS_LENGTH)
}

// A field as nearly all of them are: known, of its type, not seen before, right, and in the window as a whole. What is not is left
// as it is: false, and the long way finds out what is wrong, in the order that it should.
function readPlainField(): bool {
  const at = reach(offset(), 7, 8)
  if (at == NOWHERE) return false
  const p = address(at)
  const word = get32(p)
  const code = word & 0xff
  // Code, then the signature: 1, type, NUL.
  if (code - 1 >= <u32>FIELD_LAST || word != (code | 0x100 | (fieldType(code) << 16))) return false
  const record = CONTROL_FIELDS + code * FIELD_RECORD
  if (get32(record + 4) != FIELD_ABSENT) return false
  const type = fieldType(code)
  let length: u32
  let from: u32
  if (type == TYPE_UINT32) {
    const value = order32(get32(p + 4))
    if (value == 0 && code == FIELD_REPLY_SERIAL) return false
    put32(record, value)
    put32(record + 4, 4)
    moveTo(at + 8)
    return true
  }
  if (type == TYPE_SIGNATURE) {
    length = get8(p + 4)
    from = at + 5
    if (length >= inReach(from) || get8(address(from + length)) != 0) return false
    const number = length == 0 ? 0 : find(address(from), length, 0)
    if (number == -1) return false
    put32(CONTROL_PLAN, number)
    put32(record + 8, 0)
  } else {
    length = order32(get32(p + 4))
    from = at + 8
    if (length >= inReach(from) || get8(address(from + length)) != 0 || length == 0 || !checked()) return false
    const q = address(from)
    const flag: u32 = code == FIELD_PATH ? TEXT_IS_PATH : nameFlag(code)
    const slot = length <= <u32>INTERN_LENGTH && interns() ? intern(q, length) : -1
    if (slot < 0 || (slotFlags(slot) & flag) == 0) {
      // What these let pass is ASCII.
      const bad = code == FIELD_PATH ? pathFault(q, length) : nameFault(flag, q, length)
      if (bad >= 0) return false
      if (slot >= 0) addFlags(slot, flag | TEXT_IS_UTF8)
    }
    if (isReserved(code, q, length)) return false
    put32(record + 8, slot < 0 ? 0 : TEXT_INTERNED | slot)
    if (slot >= 0) put32(record + 12, slotGeneration(slot))
  }
  put32(record, from)
  put32(record + 4, length)
  moveTo(from + length + 1)
  return true
}

function wait(code: i32, at: u32): void {
  pending = code
  pendingAt = at
}

// The field with this code, at offset `at`, whose value is on the tape.
function noteField(code: u32, at: u32): void {
  if (code == 0) return wait(FAULT_FIELD_CODE, at)
  if (code > <u32>FIELD_LAST) return
  if (get32(TAPE) != fieldType(code)) return wait(FAULT_FIELD_TYPE, at + 2)
  const record = CONTROL_FIELDS + code * FIELD_RECORD
  if (get32(record + 4) != FIELD_ABSENT) return wait(FAULT_FIELD_TWICE, at)
  const first = get32(TAPE + 4)
  if (get32(TAPE) == TYPE_UINT32) {
    put32(record, first)
    put32(record + 4, 4)
    if (code == FIELD_REPLY_SERIAL && first == 0) wait(FAULT_REPLY_SERIAL, at + 4)
    return
  }
  // code, 1, type, 0, then the length (4 bytes, or 1 in a signature) and the text.
  const valueAt: u32 = at + (code == FIELD_SIGNATURE ? 5 : 8)
  let length = get32(TAPE + 8) & ~TEXT_WIDE
  put32(record + 8, 0)
  if (first & TEXT_INTERNED) {
    const slot = first & ~TEXT_INTERNED
    length = slotFlags(slot) & 0xff
    put32(record + 4, slotFlags(slot) & TEXT_IS_WIDE ? length | TEXT_WIDE : length)
    put32(record + 8, first)
    put32(record + 12, get32(TAPE + 8))
    if (checked()) checkInterned(code, slot, valueAt, length)
  } else {
    put32(record + 4, get32(TAPE + 8))
    if (code == FIELD_SIGNATURE) {
      hold(valueAt, length)
      put32(CONTROL_PLAN, length == 0 ? 0 : find(address(valueAt), length, 0))
    } else if (checked()) {
      // A name longer than 255 is refused unseen, so that what is looked at always fits the window.
      const shown = min<u32>(length, MAX_NAME_LENGTH + 1)
      hold(valueAt, shown)
      if (isReserved(code, address(valueAt), length)) wait(reservedFault(code), valueAt)
      else checkName(code, address(valueAt), valueAt, shown)
    }
  }
  put32(record, valueAt)
}

function checkName(code: u32, p: usize, at: u32, length: u32): bool {
  const bad = nameFault(nameFlag(code), p, length)
  if (bad < 0) return true
  wait(nameFaultCode(code), at + bad)
  return false
}

function checkInterned(code: u32, slot: i32, at: u32, length: u32): void {
  const p = slotText(slot)
  if (code == FIELD_PATH || code == FIELD_INTERFACE) {
    // The reserved names are as long as few others: no flag is needed to tell them quickly.
    if (isReserved(code, p, length)) return wait(reservedFault(code), at)
  }
  const flag = nameFlag(code)
  if (flag == 0 || slotFlags(slot) & flag) return
  if (checkName(code, p, at, length)) addFlags(slot, flag)
}
