// Exports only. Each gives 1 for success and 0 after a fault, unless it says otherwise; fault and place are in the control block.
import { writeAgain, writeHeader } from './compose'
import { clearFault, fault } from './fault'
import { nameFault } from './fields'
import { forgetHeaders, readFixed, readHeader } from './header'
import { nextMessage, seedTexts } from './intern'
import { get32, pages, put32, swapElements } from './memory'
import { pathFault } from './names'
import { makeSingles } from './plan'
import { readValues, startCount, startRead, valuesRead } from './read'
import { FAULT_TOO_MUCH_DATA, FAULT_TRAILING_BYTES } from './shared/faults'
import {
  ABI_VERSION, CALL_BIG, CALL_HEADER, CALL_PADDED, CALL_STRUCTURE, CALL_VERDICT, CONTROL_BODY, CONTROL_FIELDS, CONTROL_LENGTH, CONTROL_OUTPUT,
  CONTROL_ORDER, CONTROL_OUTPUT_LENGTH, CONTROL_PAGES, CONTROL_PLAN, CONTROL_SEED, CONTROL_VALUES, FIELD_RECORD, PLAN_LOOSE, TAPE, TEXT_IS_PATH,
  WINDOW,
} from './shared/layout'
import { FIELD_SIGNATURE, HEADER_BODY_LENGTH } from './shared/wire'
import {
  find, loosePlan, noPlan, planByNumber, planEnd, planStart, refreshPlans, signatureFault, signatureFaultAt,
} from './signature'
import { swapMessage } from './swap'
import { setInterning } from './text'
import { endTape, moveTape, startTape } from './tape'
import { offset, openWindow, seek, sectionEnd } from './window'
import { native32, put, startWrite, writeValues, written } from './write'

export function init(seed: u32): u32 {
  put32(CONTROL_SEED, seed)
  put32(CONTROL_PAGES, pages())
  makeSingles()
  seedTexts()
  return ABI_VERSION
}

// Reads a message of `given` bytes, whose first `first` are in the window.
export function decode(given: u32, first: u32, most: u32, flags: u32, maxValues: u32): u32 {
  setInterning(!(flags & CALL_VERDICT))
  const read = readFixed(given, first, most, !(flags & CALL_STRUCTURE), maxValues) && readHeader() && readBody(flags, maxValues)
  if (!read) return 0
  if (given > get32(CONTROL_LENGTH)) return fault(FAULT_TRAILING_BYTES, get32(CONTROL_LENGTH)) as u32
  return 1
}

function readBody(flags: u32, maxValues: u32): bool {
  if (flags & CALL_HEADER) return true
  const body = get32(CONTROL_BODY)
  if (get32(CONTROL_PLAN) == PLAN_LOOSE) loosePlan(0, get32(CONTROL_FIELDS + FIELD_SIGNATURE * FIELD_RECORD + 4))
  else bodyPlan()
  seek(body)
  moveTape(TAPE)
  startCount(maxValues)
  return readExactly()
}

// The plan of the body's signature: none is empty.
function bodyPlan(): void {
  const number = get32(CONTROL_PLAN)
  if (number == 0) noPlan()
  else planByNumber(number)
}

// The values of the plan found last, and nothing behind them.
function readExactly(): bool {
  const read = readValues(planStart(), planEnd(), 0)
  put32(CONTROL_VALUES, valuesRead())
  endTape()
  return read && (offset() == sectionEnd() || fault(FAULT_TOO_MUCH_DATA, offset()))
}

// Reads values without a header: `length` bytes, the first `first` of them in the window, of which `from` (0 to 7) only set the
// alignment.
export function unmarshal(plan: u32, from: u32, length: u32, first: u32, flags: u32, maxValues: u32): u32 {
  clearFault()
  nextMessage()
  setInterning(true)
  openWindow(length, first, !(flags & CALL_STRUCTURE))
  startRead((flags & CALL_BIG) != 0, maxValues)
  put32(CONTROL_ORDER, flags & CALL_BIG ? 1 : 0)
  startTape()
  seek(from)
  put32(CONTROL_PLAN, plan)
  bodyPlan()
  return readExactly() as u32
}

// The number of the plan of the signature at p; -1 after a fault, with its place in the signature. Between messages (`fresh`) the
// table may be emptied to make room; within one, PLAN_LOOSE says that there is none, and planWords() gives the words once.
export function planOf(p: usize, length: u32, fresh: bool): i32 {
  clearFault()
  if (fresh && refreshPlans()) forgetHeaders()
  let number = find(p, length, 66)
  if (number == PLAN_LOOSE && fresh) {
    refreshPlans()
    forgetHeaders()
    number = find(p, length, 66)
  }
  if (number == -1) fault(signatureFault(), signatureFaultAt())
  return number
}

export function planWords(): usize {
  return planStart()
}

// Writes the control block's message: header, then the values on the tape. again: a kept header is used; keep: the new one is kept.
export function encode(flags: u32, again: i32, keep: i32): u32 {
  clearFault()
  const out = get32(CONTROL_OUTPUT)
  const big = (flags & CALL_BIG) != 0
  startTape()
  startWrite(out, 0, big)
  if (again >= 0 ? !writeAgain(again) : !writeHeader(big, keep)) return 0
  const body = written()
  if (flags & CALL_HEADER) {
    put32(CONTROL_OUTPUT_LENGTH, body)
    return 1
  }
  bodyPlan()
  if (!writeValues(planStart(), planEnd(), 0)) return 0
  put32(out + HEADER_BODY_LENGTH, native32(written() - body))
  put32(CONTROL_BODY, body)
  put32(CONTROL_OUTPUT_LENGTH, written())
  return 1
}

// Writes values without a header, as from offset `from` of a message.
export function marshal(plan: u32, from: u32, flags: u32): u32 {
  clearFault()
  startTape()
  startWrite(get32(CONTROL_OUTPUT) + from, from, (flags & CALL_BIG) != 0)
  put32(CONTROL_PLAN, plan)
  bodyPlan()
  if (!writeValues(planStart(), planEnd(), 0)) return 0
  if (flags & CALL_PADDED && put(7, 0) == 0) return 0
  put32(CONTROL_OUTPUT_LENGTH, written() - from)
  return 1
}

// Puts the message that decode has just accepted into the other byte order, in the window and through `flush`.
export function swap(): void {
  if (get32(CONTROL_PLAN) == PLAN_LOOSE) loosePlan(0, get32(CONTROL_FIELDS + FIELD_SIGNATURE * FIELD_RECORD + 4))
  else bodyPlan()
  swapMessage(get32(CONTROL_BODY), planStart(), planEnd())
}

// Reverses the elements of `length` bytes at the window's start.
export function swapBulk(length: u32, size: u32): void {
  swapElements(WINDOW, length, size)
}

// Index of the first character that a name or path may not have there, or -1. flag: TEXT_IS_…; p 4-aligned.
export function checkName(flag: u32, p: usize, length: u32): i32 {
  return flag == TEXT_IS_PATH ? pathFault(p, length) : nameFault(flag, p, length)
}
