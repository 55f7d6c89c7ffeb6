// The specification's numbers under the names users see. The values come from assembly/shared, the one source of truth.
import { MESSAGE_ERROR, MESSAGE_METHOD_CALL, MESSAGE_METHOD_RETURN, MESSAGE_SIGNAL } from '../assembly/shared/wire.ts'

export * from '../assembly/shared/faults.ts'
export * from '../assembly/shared/layout.ts'
export * from '../assembly/shared/wire.ts'

/** Message types (D-Bus specification, "Message Format"). A decoded type may be any number from 1 to 255: unknown ones pass. */
export const MessageType = Object.freeze({
  /** 1: must have `path` and `member`. */
  METHOD_CALL: MESSAGE_METHOD_CALL,
  /** 2: must have `replySerial`. */
  METHOD_RETURN: MESSAGE_METHOD_RETURN,
  /** 3: must have `errorName` and `replySerial`. */
  ERROR: MESSAGE_ERROR,
  /** 4: must have `path`, `interface` and `member`. */
  SIGNAL: MESSAGE_SIGNAL,
})

/** Message flags, or-ed together (D-Bus specification, "Message Format"). Unknown bits are kept. */
export const MessageFlag = Object.freeze({
  /** 1: the caller wants neither reply nor error. */
  NO_REPLY_EXPECTED: 1,
  /** 2: the bus must not start a service for the destination. */
  NO_AUTO_START: 2,
  /** 4: the caller is ready to wait while the user is asked. */
  ALLOW_INTERACTIVE_AUTHORIZATION: 4,
})

/** Byte order of a message on the wire: `l` or `B` in its first byte. */
export type ByteOrder = 'little' | 'big'
