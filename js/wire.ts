// The specification's numbers under the names users see. The values come from assembly/shared, the one source of truth.
import { MESSAGE_ERROR, MESSAGE_METHOD_CALL, MESSAGE_METHOD_RETURN, MESSAGE_SIGNAL } from '../assembly/shared/wire.ts'

export * from '../assembly/shared/faults.ts'
export * from '../assembly/shared/layout.ts'
export * from '../assembly/shared/wire.ts'

/** Message types (D-Bus specification, "Message Format"). A decoded type may be any number from 1 to 255: unknown ones pass. */
export const MessageType = Object.freeze({
  METHOD_CALL: MESSAGE_METHOD_CALL,
  METHOD_RETURN: MESSAGE_METHOD_RETURN,
  ERROR: MESSAGE_ERROR,
  SIGNAL: MESSAGE_SIGNAL,
})

/** Message flags, or-ed together (D-Bus specification, "Message Format"). Unknown bits are kept. */
export const MessageFlag = Object.freeze({
  NO_REPLY_EXPECTED: 1,
  NO_AUTO_START: 2,
  ALLOW_INTERACTIVE_AUTHORIZATION: 4,
})

/** Byte order of a message on the wire: `l` or `B` in its first byte. */
export type ByteOrder = 'little' | 'big'
