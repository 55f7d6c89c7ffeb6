// The options of createCodec, checked: a wrong one is a TypeError at once.
import type { EngineName } from './engine.ts'
import { checkedMaximum } from './length.ts'
import type { Shape, ShapeChoice } from './values.ts'
import type { ByteOrder } from './wire.ts'

/** Options of the calls that write (`encode…`, `prepare`). */
export interface EncodeOptions {
  /** Byte order of what is written, or of what `unmarshal` is given; default `'little'`, whatever the host's is. */
  byteOrder?: ByteOrder | undefined
}

/** Options of `marshal` and `unmarshal`. */
export interface BodyOptions extends EncodeOptions {
  /** Offset of the first byte in its message, in bytes: alignment depends on it ("Marshalling", modulo 8). Default 0. */
  offset?: number | undefined
}

/** Options of the calls that read (`decode`, `decodeBody`, `unmarshal`). */
export interface DecodeOptions {
  /** The descriptors that came along: each `h` becomes `fds[index]`, and a message must have `fds.length` as UNIX_FDS. */
  fds?: readonly unknown[] | undefined
}

/** The options of createCodec; all are optional. */
export interface CodecOptions {
  /** `x` and `t` as `'bigint'` (default), or as `'number'`: ERR_DBUS_UNSAFE_INTEGER where that would not be exact. */
  int64?: 'bigint' | 'number' | undefined
  /**
   * Dicts with keys of type `s`, `o` or `g` as plain `'object'` (default) or as `'map'`, other dicts always as Map; the last of
   * several equal keys wins. `'pairs'`: every dict as an array of pairs in the order of the wire, nothing lost.
   */
  dict?: 'object' | 'map' | 'pairs' | undefined
  /** Variants as `Variant { signature, value }` (`'wrap'`, default) or as the bare value (`'unwrap'`). */
  variant?: 'wrap' | 'unwrap' | undefined
  /** Arrays of fixed-size numbers as `'typed'` arrays (default) or `'plain'` ones. `ay` is bytes either way. */
  arrays?: 'typed' | 'plain' | undefined
  /**
   * `ay` as a `'copy'` of its own (default), or as a `'view'` into the message that was given: of the same memory. Copies of 65 to 4096
   * bytes are cut from a larger buffer, as small results of `encode` are.
   */
  bytes?: 'copy' | 'view' | undefined
  /**
   * `'full'` (default): all rules. `'structure'`: for a sender you trust; memory-safe all the same, but UTF-8, names, paths,
   * padding and booleans are not looked at when decoding. Encoding always checks.
   */
  validation?: 'full' | 'structure' | undefined
  /** Longest message in bytes, both ways: ERR_DBUS_MESSAGE_LENGTH beyond it. From 16 to 134217728, the default. */
  maxMessageLength?: number | undefined
  /**
   * Most values that the body of a decoded message may have, array elements of fixed size not counted: ERR_DBUS_TOO_MANY_VALUES
   * beyond it. From 1 to 4294967295, default 8388608.
   */
  maxValues?: number | undefined
  /**
   * Which engine to run: `'simd'`, `'baseline'` (WebAssembly without SIMD) or `'js'`. Default: what the environment variable
   * DBUS_CODEC_ENGINE says, or the best that works here. `codec.engine` says which and why.
   */
  engine?: EngineName | undefined
  /** How values look in JavaScript, where the options above are not enough; what is left out is as they say. */
  shape?: Shape | undefined
}

/** The options, all given and checked. @internal */
export interface Settings extends ShapeChoice {
  validation: 'full' | 'structure'
  maxMessageLength: number
  maxValues: number
  engine: EngineName | undefined
}

/** A small message can make a large object graph (4 bytes of wire for an empty array): this is where it stops. */
const MAX_VALUES = 8388608

// Without a prototype: what someone has put on Object.prototype is no option of ours.
const DEFAULTS: CodecOptions = Object.create(null)

const CHOICES = {
  int64: ['bigint', 'number'],
  dict: ['object', 'map', 'pairs'],
  variant: ['wrap', 'unwrap'],
  arrays: ['typed', 'plain'],
  bytes: ['copy', 'view'],
  validation: ['full', 'structure'],
  engine: [undefined, 'simd', 'baseline', 'js'],
} as const

/** @internal */
export function settingsOf(options: CodecOptions = DEFAULTS): Settings {
  if (typeof options !== 'object' || options === null) throw new TypeError('the options must be an object')
  for (const name of Object.keys(options)) {
    if (!(name in CHOICES) && name !== 'maxMessageLength' && name !== 'maxValues' && name !== 'shape') {
      throw new TypeError(`unknown option "${name}"`)
    }
  }
  const maxValues = options.maxValues ?? MAX_VALUES
  if (!Number.isInteger(maxValues) || maxValues < 1 || maxValues > 0xffffffff) {
    throw new TypeError('maxValues must be an integer from 1 to 4294967295')
  }
  return {
    int64: pick('int64', options.int64),
    dict: pick('dict', options.dict),
    variant: pick('variant', options.variant),
    arrays: pick('arrays', options.arrays),
    bytes: pick('bytes', options.bytes),
    validation: pick('validation', options.validation),
    engine: pick('engine', options.engine),
    maxMessageLength: checkedMaximum(options.maxMessageLength),
    maxValues,
    shape: shapeOf(options.shape),
  }
}

function pick<N extends keyof typeof CHOICES>(
  name: N,
  value: (typeof CHOICES)[N][number] | undefined,
): (typeof CHOICES)[N][number] {
  const choices: readonly unknown[] = CHOICES[name]
  if (value === undefined) return choices[0] as (typeof CHOICES)[N][number]
  if (!choices.includes(value)) {
    const known = choices.filter((choice) => choice !== undefined).map((choice) => `"${choice}"`)
    throw new TypeError(`${name} must be one of ${known.join(', ')}`)
  }
  return value
}

const SHAPE_FUNCTIONS: ReadonlySet<string> = new Set<keyof Shape>([
  'makeVariant',
  'makeStruct',
  'makeArray',
  'makeDict',
  'makeInt64',
  'makeUint64',
  'makeBytes',
  'makeNumbers',
  'makeUnixFd',
  'makeObjectPath',
  'makeSignature',
  'variantSignature',
  'variantValue',
  'structMembers',
  'arrayElements',
  'dictEntries',
  'toInt64',
  'toBytes',
  'toText',
  'toBoolean',
  'toNumber',
  'toUnixFd',
])

function shapeOf(shape: Shape | undefined): Shape {
  if (shape === undefined) return {}
  if (typeof shape !== 'object' || shape === null) throw new TypeError('shape must be an object')
  for (const [name, value] of Object.entries(shape)) {
    if (!SHAPE_FUNCTIONS.has(name)) throw new TypeError(`unknown function "${name}" in shape`)
    if (value !== undefined && typeof value !== 'function') throw new TypeError(`shape.${name} must be a function`)
  }
  return shape
}

const CALL_OPTIONS: readonly string[] = ['byteOrder', 'offset', 'fds']

// A name that is written wrong would change nothing, silently.
function checkNames(options: object): void {
  if (typeof options !== 'object' || options === null) throw new TypeError('the options must be an object')
  for (const name in options) if (!CALL_OPTIONS.includes(name)) throw new TypeError(`unknown option "${name}"`)
}

/** @internal */
export function isBig(options: EncodeOptions | undefined): boolean {
  if (options === undefined) return false
  checkNames(options)
  const order = options.byteOrder
  if (order === undefined || order === 'little') return false
  if (order === 'big') return true
  throw new TypeError('byteOrder must be "little" or "big"')
}

/** @internal */
export function phaseOf(options: BodyOptions | undefined): number {
  const offset = options?.offset ?? 0
  if (!Number.isInteger(offset) || offset < 0) throw new TypeError('offset must be an integer from 0 on')
  return offset % 8
}

/** @internal */
export function fdsOf(options: DecodeOptions | undefined): readonly unknown[] | undefined {
  if (options === undefined) return undefined
  checkNames(options)
  const fds = options.fds
  if (fds !== undefined && !Array.isArray(fds)) throw new TypeError('fds must be an array')
  return fds
}
