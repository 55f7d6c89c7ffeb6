// What the header fields must be: type, grammar, which messages need which (specification, "Header Fields", "Message Types").
import { count } from './fault'
import { busNameFault, interfaceFault, isLocal, memberFault } from './names'
import { get32 } from './memory'
import {
  FAULT_DESTINATION, FAULT_ERROR_NAME, FAULT_INTERFACE, FAULT_LOCAL_INTERFACE, FAULT_LOCAL_PATH, FAULT_MEMBER,
  FAULT_MISSING_ERROR_NAME, FAULT_MISSING_INTERFACE, FAULT_MISSING_MEMBER, FAULT_MISSING_PATH, FAULT_MISSING_REPLY_SERIAL,
  FAULT_NONE, FAULT_SENDER,
} from './shared/faults'
import {
  CONTROL_FIELDS, FIELD_ABSENT, FIELD_RECORD, TEXT_IS_BUS_NAME, TEXT_IS_INTERFACE, TEXT_IS_MEMBER,
} from './shared/layout'
import {
  FIELD_DESTINATION, FIELD_ERROR_NAME, FIELD_INTERFACE, FIELD_LAST, FIELD_MEMBER, FIELD_PATH, FIELD_REPLY_SERIAL,
  FIELD_SENDER, FIELD_SIGNATURE, MESSAGE_ERROR, MESSAGE_METHOD_CALL, MAX_NAME_LENGTH, MESSAGE_METHOD_RETURN, MESSAGE_SIGNAL,
  TYPE_OBJECT_PATH, TYPE_SIGNATURE, TYPE_STRING, TYPE_UINT32,
} from './shared/wire'

// @ts-ignore: decorator
@inline export function fieldType(code: u32): u32 {
  if (code == FIELD_PATH) return TYPE_OBJECT_PATH
  if (code == FIELD_SIGNATURE) return TYPE_SIGNATURE
  return code == FIELD_REPLY_SERIAL || code == FIELD_LAST ? TYPE_UINT32 : TYPE_STRING
}

export function isReserved(code: u32, p: usize, length: u32): bool {
  return (code == FIELD_INTERFACE && isLocal(p, length, false)) || (code == FIELD_PATH && isLocal(p, length, true))
}
export function reservedFault(code: u32): i32 {
  return code == FIELD_PATH ? FAULT_LOCAL_PATH : FAULT_LOCAL_INTERFACE
}

// The grammar that a field's text has to follow, as a flag of interned text. A path has been checked as a value.
export function nameFlag(code: u32): u32 {
  if (code == FIELD_INTERFACE || code == FIELD_ERROR_NAME) return TEXT_IS_INTERFACE
  if (code == FIELD_MEMBER) return TEXT_IS_MEMBER
  return code == FIELD_DESTINATION || code == FIELD_SENDER ? TEXT_IS_BUS_NAME : 0
}

export function nameFault(flag: u32, p: usize, length: u32): i32 {
  count(min<u32>(length, MAX_NAME_LENGTH))
  if (flag == TEXT_IS_INTERFACE) return interfaceFault(p, length)
  if (flag == TEXT_IS_MEMBER) return memberFault(p, length)
  return flag == TEXT_IS_BUS_NAME ? busNameFault(p, length) : -1
}

export function nameFaultCode(code: u32): i32 {
  if (code == FIELD_INTERFACE) return FAULT_INTERFACE
  if (code == FIELD_MEMBER) return FAULT_MEMBER
  if (code == FIELD_ERROR_NAME) return FAULT_ERROR_NAME
  return code == FIELD_DESTINATION ? FAULT_DESTINATION : FAULT_SENDER
}

// @ts-ignore: decorator
@inline export function absent(code: u32): bool {
  return get32(CONTROL_FIELDS + code * FIELD_RECORD + 4) == FIELD_ABSENT
}

// The fault for the first required field that is not in the control block's records (specification, "Message Types").
export function missingField(type: u32): i32 {
  if (type == MESSAGE_SIGNAL && absent(FIELD_INTERFACE)) return FAULT_MISSING_INTERFACE
  if (type == MESSAGE_SIGNAL || type == MESSAGE_METHOD_CALL) {
    if (absent(FIELD_PATH)) return FAULT_MISSING_PATH
    if (absent(FIELD_MEMBER)) return FAULT_MISSING_MEMBER
  }
  if (type == MESSAGE_ERROR && absent(FIELD_ERROR_NAME)) return FAULT_MISSING_ERROR_NAME
  if ((type == MESSAGE_ERROR || type == MESSAGE_METHOD_RETURN) && absent(FIELD_REPLY_SERIAL)) return FAULT_MISSING_REPLY_SERIAL
  return FAULT_NONE
}

