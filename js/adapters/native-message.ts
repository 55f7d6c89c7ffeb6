// Messages as dbus-native and its fork have them, from and to ours.
import type { Message } from '../types.ts'

/** A message as applications of the peer have it: fields that it does not have are not there. */
export interface NativeMessage {
  serial?: number
  type?: number
  flags?: number
  path?: string
  interface?: string
  member?: string
  errorName?: string
  replySerial?: number
  destination?: string
  sender?: string
  signature?: string
  unixFds?: number
  fds?: unknown[]
  body?: unknown[]
}

const METHOD_CALL = 1

/** The names of header fields, by code. */
export const FIELD_NAMES = [
  undefined,
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

/** What to encode for a message of the peer's. */
export function fieldsOf(message: NativeMessage, fork: boolean) {
  const { signature } = message
  // The peers leave out header fields that are falsy, and a body without a signature.
  return {
    type: message.type || METHOD_CALL,
    flags: message.flags || 0,
    serial: message.serial as number,
    path: message.path || undefined,
    interface: message.interface || undefined,
    member: message.member || undefined,
    errorName: message.errorName || undefined,
    replySerial: message.replySerial || undefined,
    destination: message.destination || undefined,
    sender: message.sender || undefined,
    signature: signature || '',
    unixFds: fork ? undefined : message.fds?.length || undefined,
    body: signature && message.body ? message.body : [],
  }
}

/** The message in the peer's form. The two that come most are made in one piece: property by property costs twice as much. */
export function nativeMessage(decoded: Message): NativeMessage {
  const {
    type,
    flags,
    serial,
    path,
    interface: iface,
    member,
    errorName,
    replySerial,
    destination,
    sender,
    signature,
    body,
  } = decoded
  if (signature !== '' && sender !== undefined && errorName === undefined && decoded.unixFds === undefined) {
    if (
      path !== undefined &&
      iface !== undefined &&
      member !== undefined &&
      destination === undefined &&
      replySerial === undefined
    ) {
      return { serial, path, interface: iface, member, sender, signature, type, flags, body: body as unknown[] }
    }
    if (
      replySerial !== undefined &&
      destination !== undefined &&
      path === undefined &&
      iface === undefined &&
      member === undefined
    ) {
      return { serial, replySerial, destination, sender, signature, type, flags, body: body as unknown[] }
    }
  }
  return sparseMessage(decoded)
}

function sparseMessage(message: Message): NativeMessage {
  const native: NativeMessage = { serial: message.serial }
  if (message.path !== undefined) native.path = message.path
  if (message.interface !== undefined) native.interface = message.interface
  if (message.member !== undefined) native.member = message.member
  if (message.errorName !== undefined) native.errorName = message.errorName
  if (message.replySerial !== undefined) native.replySerial = message.replySerial
  if (message.destination !== undefined) native.destination = message.destination
  if (message.sender !== undefined) native.sender = message.sender
  if (message.signature !== '') native.signature = message.signature
  if (message.unixFds !== undefined) native.unixFds = message.unixFds
  native.type = message.type
  native.flags = message.flags
  if (message.signature !== '') native.body = message.body as unknown[]
  return native
}
