// Checks of single names, by the same code that checks them in messages.
import { chooseEngine, type Engine, idleEngine } from './engine.ts'
import { isDBusCodecError } from './errors.ts'
import { compile } from './plan.ts'
import { isWellFormed, utf8Length, writeUtf8 } from './strings.ts'
import {
  MAX_NAME_LENGTH,
  SCRATCH,
  TEXT_IS_BUS_NAME,
  TEXT_IS_INTERFACE,
  TEXT_IS_MEMBER,
  TEXT_IS_PATH,
  WINDOW,
  WINDOW_SIZE,
} from './wire.ts'

function idle(): Engine {
  return idleEngine(chooseEngine(undefined).name)
}

function isName(flag: number, text: unknown): boolean {
  if (typeof text !== 'string' || text.length === 0 || text.length > MAX_NAME_LENGTH) return false
  const engine = idle()
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c >= 128) return false
    engine.u8[SCRATCH + i] = c
  }
  return engine.exports.checkName(flag, SCRATCH, text.length) < 0
}

/** Whether a text is a valid interface name: two elements at least, 255 characters at most. */
export function isInterfaceName(text: unknown): text is string {
  return isName(TEXT_IS_INTERFACE, text)
}

/** Whether a text is a valid error name: the rules are those of interface names. */
export function isErrorName(text: unknown): text is string {
  return isName(TEXT_IS_INTERFACE, text)
}

/** Whether a text is a valid member name: one element, 255 characters at most. */
export function isMemberName(text: unknown): text is string {
  return isName(TEXT_IS_MEMBER, text)
}

/** Whether a text is a valid bus name, unique (`:1.42`) or well known. */
export function isBusName(text: unknown): text is string {
  return isName(TEXT_IS_BUS_NAME, text)
}

/** Whether a text is a valid object path. Its length is bounded by the message only. */
export function isObjectPath(text: unknown): text is string {
  if (typeof text !== 'string' || text.length === 0) return false
  // A path is ASCII, so that it has as many bytes as characters.
  if (text.length > WINDOW_SIZE) {
    // One expression for all of it would fill the stack with a path of many elements.
    return text[0] === '/' && !text.endsWith('/') && !text.includes('//') && !/[^A-Za-z0-9_/]/.test(text)
  }
  if (!isWellFormed(text) || utf8Length(text) !== text.length) return false
  const engine = idle()
  writeUtf8(engine.u8, text, WINDOW, text.length)
  return engine.exports.checkName(TEXT_IS_PATH, WINDOW, text.length) < 0
}

/** Whether a text is a valid signature: any number of complete types, 255 characters at most. */
export function isSignature(text: unknown): text is string {
  if (typeof text !== 'string') return false
  try {
    compile(idle(), text, true)
    return true
  } catch (error) {
    if (isDBusCodecError(error)) return false
    throw error
  }
}
