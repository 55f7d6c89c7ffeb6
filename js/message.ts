// Headers: between the control block's records and the fields of a message. A field array that was read before costs one look-up; a
// header that was written before is copied where it lies.
import { Refusal, shown } from './check.ts'
import type { Engine } from './engine.ts'
import type { Reader, Writer } from './tape.ts'
import type { Texts } from './texts.ts'
import type { Message, MessageInput } from './types.ts'
import {
  COMPOSED_BYTES,
  COMPOSED_COUNT,
  COMPOSED_SLOT,
  COMPOSED_SLOTS,
  CONTROL_FIELDS,
  CONTROL_FLAGS,
  CONTROL_HEADER_GENERATION,
  CONTROL_HEADER_SLOT,
  CONTROL_SERIAL,
  CONTROL_TYPE,
  FAULT_VALUE_RANGE,
  FAULT_VALUE_TYPE,
  FIELD_ABSENT,
  FIELD_DESTINATION,
  FIELD_ERROR_NAME,
  FIELD_INTERFACE,
  FIELD_MEMBER,
  FIELD_PATH,
  FIELD_RECORD,
  FIELD_REPLY_SERIAL,
  FIELD_SENDER,
  FIELD_SIGNATURE,
  FIELD_UNIX_FDS,
  MEMO_COUNT,
  MEMO_FIELDS,
  MEMO_SLOT,
  MEMO_SLOTS,
} from './wire.ts'

/** The names of header fields in a message, by code. */
export const FIELD_NAMES = [
  '',
  'path',
  'interface',
  'member',
  'errorName',
  'replySerial',
  'destination',
  'sender',
  'signature',
  'unixFds',
] as const

/** A header field's name in a message. */
export type HeaderFieldName = Exclude<(typeof FIELD_NAMES)[number], ''>

/** What a field array says. @internal */
export interface Fields {
  readonly generation: number
  readonly path: string | undefined
  readonly interface: string | undefined
  readonly member: string | undefined
  readonly errorName: string | undefined
  readonly replySerial: number | undefined
  readonly destination: string | undefined
  readonly sender: string | undefined
  readonly signature: string
  readonly unixFds: number | undefined
}

/** The header that lies in a slot of composed headers. @internal */
export interface Composed {
  readonly big: boolean
  readonly type: number
  readonly path: unknown
  readonly interface: unknown
  readonly member: unknown
  readonly errorName: unknown
  readonly destination: unknown
  readonly sender: unknown
  readonly signature: string
}

/** What all codecs that use an engine instance share. @internal */
export class Shared {
  readonly texts: Texts
  readonly headers: (Fields | undefined)[] = new Array<Fields | undefined>(MEMO_COUNT).fill(undefined)
  readonly composed: (Composed | undefined)[] = new Array<Composed | undefined>(COMPOSED_COUNT).fill(undefined)

  constructor(texts: Texts) {
    this.texts = texts
  }
}

/** The fields of the header that `decode` has just accepted; `r` has been started on its message. @internal */
export function readFields(engine: Engine, shared: Shared, r: Reader): Fields {
  const i32 = engine.i32
  const slot = i32[CONTROL_HEADER_SLOT >> 2]
  if (slot < 0) return fieldsAt(i32, CONTROL_FIELDS >> 2, 0, engine, r)
  const generation = i32[CONTROL_HEADER_GENERATION >> 2]
  const kept = shared.headers[slot]
  if (kept !== undefined && kept.generation === generation) return kept
  const fields = fieldsAt(i32, (MEMO_SLOTS + slot * MEMO_SLOT + MEMO_FIELDS) >> 2, generation, engine, r)
  shared.headers[slot] = fields
  return fields
}

function fieldsAt(i32: Int32Array, at: number, generation: number, engine: Engine, r: Reader): Fields {
  return {
    generation,
    path: textAt(i32, at, FIELD_PATH, engine, r),
    interface: textAt(i32, at, FIELD_INTERFACE, engine, r),
    member: textAt(i32, at, FIELD_MEMBER, engine, r),
    errorName: textAt(i32, at, FIELD_ERROR_NAME, engine, r),
    replySerial: numberAt(i32, at, FIELD_REPLY_SERIAL),
    destination: textAt(i32, at, FIELD_DESTINATION, engine, r),
    sender: textAt(i32, at, FIELD_SENDER, engine, r),
    signature: textAt(i32, at, FIELD_SIGNATURE, engine, r) ?? '',
    unixFds: numberAt(i32, at, FIELD_UNIX_FDS),
  }
}

function textAt(i32: Int32Array, at: number, code: number, engine: Engine, r: Reader): string | undefined {
  const record = at + code * (FIELD_RECORD >> 2)
  const length = i32[record + 1]
  if (length === FIELD_ABSENT) return undefined
  const slot = i32[record + 2]
  if (slot !== 0) return r.texts.get(engine, slot & 0x7fffffff, i32[record + 3])
  return length === 0 ? '' : r.messageText(i32[record], length)
}

function numberAt(i32: Int32Array, at: number, code: number): number | undefined {
  const record = at + code * (FIELD_RECORD >> 2)
  return i32[record + 1] === FIELD_ABSENT ? undefined : i32[record] >>> 0
}

/** The message with these fields; the same properties in the same order for all. @internal */
export function makeMessage(i32: Int32Array, fields: Fields, body: unknown[]): Message {
  return {
    type: i32[CONTROL_TYPE >> 2],
    flags: i32[CONTROL_FLAGS >> 2],
    serial: i32[CONTROL_SERIAL >> 2] >>> 0,
    path: fields.path,
    interface: fields.interface,
    member: fields.member,
    errorName: fields.errorName,
    replySerial: fields.replySerial,
    destination: fields.destination,
    sender: fields.sender,
    signature: fields.signature,
    unixFds: fields.unixFds,
    body,
  }
}

/**
 * Puts the header of a message into the control block. Gives the slot in which the same header lies composed, or -1: then its
 * fields have been written, and pendingSlot and pendingKey say where and as what to keep it. @internal
 */
export function writeFields(w: Writer, shared: Shared, message: MessageInput, signature: string, big: boolean): number {
  const { type, flags, serial, replySerial, unixFds } = message
  const { path, interface: iface, member, errorName, destination, sender } = message
  const control = w.i32
  control[CONTROL_TYPE >> 2] = byteField(type, 'type')
  control[CONTROL_FLAGS >> 2] = flags === undefined ? 0 : byteField(flags, 'flags')
  control[CONTROL_SERIAL >> 2] = uint32Field(serial, 'serial')
  const plain = replySerial === undefined && unixFds === undefined
  const slot = plain ? slotOf(path, iface, member, destination) : -1
  if (slot >= 0) {
    const kept = shared.composed[slot]
    if (
      kept !== undefined &&
      kept.path === path &&
      kept.member === member &&
      kept.interface === iface &&
      kept.destination === destination &&
      kept.signature === signature &&
      kept.type === type &&
      kept.big === big &&
      kept.sender === sender &&
      kept.errorName === errorName
    ) {
      pendingSlot = -1
      return slot
    }
    shared.composed[slot] = undefined
  }
  textField(w, FIELD_PATH, path)
  textField(w, FIELD_INTERFACE, iface)
  textField(w, FIELD_MEMBER, member)
  textField(w, FIELD_ERROR_NAME, errorName)
  textField(w, FIELD_DESTINATION, destination)
  textField(w, FIELD_SENDER, sender)
  numberField(w, FIELD_REPLY_SERIAL, replySerial)
  numberField(w, FIELD_UNIX_FDS, unixFds)
  w.i32[record(FIELD_SIGNATURE) + 1] = signature === '' ? FIELD_ABSENT : signature.length
  pendingSlot = slot
  pendingKey = slot < 0 ? undefined : { big, type, path, interface: iface, member, errorName, destination, sender, signature }
  return -1
}

/** What writeFields would keep once the header is known to be good: taken right after it, by the same call. @internal */
export let pendingSlot = -1
/** @internal */
export let pendingKey: Composed | undefined

/** Puts a prepared header of at most COMPOSED_LENGTH bytes into its slot, unless it lies there; the slot. @internal */
export function placeHeader(engine: Engine, shared: Shared, prepared: { readonly header: Uint8Array }): number {
  const { header } = prepared
  const slot = header.length & (COMPOSED_COUNT - 1)
  if (shared.composed[slot] !== (prepared as unknown)) {
    const at = COMPOSED_SLOTS + slot * COMPOSED_SLOT
    engine.u8.set(header, at + COMPOSED_BYTES)
    engine.i32[at >> 2] = header.length
    shared.composed[slot] = prepared as unknown as Composed
  }
  return slot
}

// Spreads headers over the slots by the lengths of their texts, which cost nothing to look at.
function slotOf(path: unknown, iface: unknown, member: unknown, destination: unknown): number {
  return (lengthOf(path) * 7 + lengthOf(iface) * 5 + lengthOf(member) * 3 + lengthOf(destination)) & (COMPOSED_COUNT - 1)
}
function lengthOf(text: unknown): number {
  return typeof text === 'string' ? text.length : 0
}

const record = (code: number): number => (CONTROL_FIELDS + code * FIELD_RECORD) >> 2

function textField(w: Writer, code: number, text: unknown): void {
  if (text === undefined) {
    w.i32[record(code) + 1] = FIELD_ABSENT
    return
  }
  if (typeof text !== 'string') {
    throw new Refusal(FAULT_VALUE_TYPE, 0, `expected a string, got ${shown(text)}`, FIELD_NAMES[code])
  }
  w.store(text, -code)
  w.i32[record(code)] = w.textOffset
  w.i32[record(code) + 1] = w.textLength
}

function numberField(w: Writer, code: number, value: unknown): void {
  if (value === undefined) {
    w.i32[record(code) + 1] = FIELD_ABSENT
    return
  }
  w.i32[record(code)] = uint32Field(value, FIELD_NAMES[code])
  w.i32[record(code) + 1] = 4
}

function byteField(value: unknown, name: string): number {
  if (typeof value === 'number' && (value & 0xff) === value) return value
  return badField(value, name, 'an integer from 0 to 255')
}
/** @internal */
export function uint32Field(value: unknown, name: string): number {
  if (typeof value === 'number' && value >>> 0 === value) return value
  return badField(value, name, 'an integer from 0 to 4294967295')
}
function badField(value: unknown, name: string, expected: string): never {
  const fault = typeof value === 'number' ? FAULT_VALUE_RANGE : FAULT_VALUE_TYPE
  throw new Refusal(fault, 0, `expected ${expected}, got ${shown(value)}`, name)
}
