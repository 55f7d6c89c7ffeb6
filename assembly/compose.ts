// The header on its way out: from the control block's records to the wire, checked as on the way in. A header that was written
// before is copied and patched. Faults of the header are reported with the field's code in place of an address.
import { fault } from './fault'
import { absent, isReserved, missingField, nameFault, nameFaultCode, nameFlag, reservedFault } from './fields'
import { copyWords, get32, isPlain, put32, put8 } from './memory'
import { pathFault } from './names'
import { typeOf } from './plan'
import {
  FAULT_ARRAY_TOO_LONG, FAULT_MESSAGE_TYPE, FAULT_NONE, FAULT_OBJECT_PATH, FAULT_REPLY_SERIAL, FAULT_SERIAL, FAULT_TEXT_NUL,
} from './shared/faults'
import {
  COMPOSED_BYTES, COMPOSED_LENGTH, COMPOSED_SLOT, COMPOSED_SLOTS, CONTROL_FIELDS, CONTROL_FLAGS, CONTROL_PLAN, CONTROL_SERIAL,
  CONTROL_TEXT, CONTROL_TYPE, FIELD_RECORD, TEXT_WIDE,
} from './shared/layout'
import {
  FIELD_DESTINATION, FIELD_ERROR_NAME, FIELD_INTERFACE, FIELD_MEMBER, FIELD_PATH, FIELD_REPLY_SERIAL, FIELD_SENDER,
  FIELD_SIGNATURE, FIELD_UNIX_FDS, HEADER_BODY_LENGTH, HEADER_FIELDS, HEADER_FIELDS_LENGTH, HEADER_FLAGS, HEADER_SERIAL,
  HEADER_TYPE, HEADER_VERSION, MAX_ARRAY_LENGTH, MAX_NAME_LENGTH, ORDER_BIG, ORDER_LITTLE, PROTOCOL_VERSION,
  TYPE_OBJECT_PATH, TYPE_SIGNATURE, TYPE_STRING, TYPE_UINT32,
} from './shared/wire'
import { planByNumber, planEnd, planStart } from './signature'
import { native32, putCalled as put, writeString, written } from './write'

// Writes the header of the control block's message, final padding included; the body's length is patched in at the end.
// slot: where it is kept for writeAgain, or -1.
export function writeHeader(big: bool, slot: i32): bool {
  const type = get32(CONTROL_TYPE)
  const start = put(7, HEADER_FIELDS)
  if (start == 0) return false
  if (type == 0) return fault(FAULT_MESSAGE_TYPE, 0)
  if (get32(CONTROL_SERIAL) == 0) return fault(FAULT_SERIAL, 0)
  put8(start, big ? ORDER_BIG : ORDER_LITTLE)
  put8(start + HEADER_TYPE, type)
  put8(start + HEADER_FLAGS, get32(CONTROL_FLAGS))
  put8(start + HEADER_VERSION, PROTOCOL_VERSION)
  put32(start + HEADER_BODY_LENGTH, 0)
  put32(start + HEADER_SERIAL, native32(get32(CONTROL_SERIAL)))
  // The order in which libdbus and dbus-daemon write the fields, so that most of a bus's messages are reproduced byte for byte.
  if (
    !writeTextField(FIELD_PATH, TYPE_OBJECT_PATH) ||
    !writeTextField(FIELD_DESTINATION, TYPE_STRING) ||
    !writeTextField(FIELD_INTERFACE, TYPE_STRING) ||
    !writeTextField(FIELD_MEMBER, TYPE_STRING) ||
    !writeTextField(FIELD_ERROR_NAME, TYPE_STRING) ||
    !writeNumberField(FIELD_REPLY_SERIAL) ||
    !writeNumberField(FIELD_UNIX_FDS) ||
    !writeSignatureField() ||
    !writeTextField(FIELD_SENDER, TYPE_STRING)
  ) {
    return false
  }
  const missing = missingField(type)
  if (missing != FAULT_NONE) return fault(missing, 0)
  const length = written() - HEADER_FIELDS
  if (length > <u32>MAX_ARRAY_LENGTH) return fault(FAULT_ARRAY_TOO_LONG, 0)
  put32(start + HEADER_FIELDS_LENGTH, native32(length))
  if (put(7, 0) == 0) return false
  const all = written()
  if (slot >= 0 && all <= <u32>COMPOSED_LENGTH) {
    put32(COMPOSED_SLOTS + slot * COMPOSED_SLOT, all)
    copyWords(COMPOSED_SLOTS + slot * COMPOSED_SLOT + COMPOSED_BYTES, start, all)
  }
  return true
}

// Writes the header kept in `slot` once more, with another serial and other flags.
export function writeAgain(slot: i32): bool {
  const from = COMPOSED_SLOTS + slot * COMPOSED_SLOT
  const length = get32(from)
  const start = put(7, length)
  if (start == 0) return false
  if (get32(CONTROL_SERIAL) == 0) return fault(FAULT_SERIAL, 0)
  copyWords(start, from + COMPOSED_BYTES, length)
  put8(start + HEADER_FLAGS, get32(CONTROL_FLAGS))
  put32(start + HEADER_SERIAL, native32(get32(CONTROL_SERIAL)))
  return true
}

// Code, signature of one character, value: the start of a field's struct.
function startField(code: u32, type: u32): bool {
  const p = put(7, 4)
  if (p == 0) return false
  put32(p, code | (1 << 8) | (type << 16))
  return true
}

function writeTextField(code: u32, type: u32): bool {
  if (absent(code)) return true
  const record = CONTROL_FIELDS + code * FIELD_RECORD
  const from = get32(CONTROL_TEXT) + get32(record)
  const wide = get32(record + 4) & TEXT_WIDE
  const length = get32(record + 4) & ~TEXT_WIDE
  if (!wide && !isPlain(from, length)) return fault(FAULT_TEXT_NUL, code)
  if (isReserved(code, from, length)) return fault(reservedFault(code), code)
  const bad = code == FIELD_PATH ? pathFault(from, length) : nameFault(nameFlag(code), from, length)
  if (bad >= 0) return fault(code == FIELD_PATH ? FAULT_OBJECT_PATH : nameFaultCode(code), code)
  return startField(code, type) && writeString(from, length)
}

function writeNumberField(code: u32): bool {
  if (absent(code)) return true
  const value = get32(CONTROL_FIELDS + code * FIELD_RECORD)
  if (code == FIELD_REPLY_SERIAL && value == 0) return fault(FAULT_REPLY_SERIAL, code)
  if (!startField(code, TYPE_UINT32)) return false
  const p = put(3, 4)
  if (p == 0) return false
  put32(p, native32(value))
  return true
}

function writeSignatureField(): bool {
  if (absent(FIELD_SIGNATURE)) return true
  if (!startField(FIELD_SIGNATURE, TYPE_SIGNATURE)) return false
  planByNumber(get32(CONTROL_PLAN))
  return writePlanText(planStart(), planEnd())
}

// The signature of a plan: length, characters, NUL.
function writePlanText(first: usize, last: usize): bool {
  const length: u32 = (last - first) >>> 2
  const p = put(0, length + 2)
  if (p == 0) return false
  put8(p, length)
  for (let i: u32 = 0; i < length; i++) put8(p + 1 + i, typeOf(get32(first + (i << 2))))
  put8(p + 1 + length, 0)
  return true
}
