// Text between JavaScript and UTF-8 bytes. Which way is fastest depends on the length and on what the runtime offers: Node's
// Buffer methods work on any Uint8Array, browsers have TextDecoder and TextEncoder. The thresholds are bench/text's.

type Slice = (this: Uint8Array, start: number, end: number) => string
type Write = (this: Uint8Array, text: string, at: number, length: number) => number
type Copy = (this: Uint8Array, target: Uint8Array, at: number, start: number, end: number) => number

interface NodeBuffer {
  from(text: string, encoding: 'hex'): Uint8Array
  allocUnsafeSlow(length: number): Uint8Array<ArrayBuffer>
  byteLength(text: string): number
  prototype: { latin1Slice?: Slice; utf8Slice?: Slice; utf8Write?: Write; copy?: Copy }
}

const NodeBuffer = (globalThis as { Buffer?: NodeBuffer }).Buffer
const node = NodeBuffer?.prototype
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

const nodeLatin1 = typeof node?.latin1Slice === 'function' ? node.latin1Slice : undefined
const nodeUtf8 = typeof node?.utf8Slice === 'function' ? node.utf8Slice : undefined
const nodeWrite = typeof node?.utf8Write === 'function' ? node.utf8Write : undefined

// Of those alone who have the others, too: a Buffer for browsers wants another as target.
const nodeCopy = nodeLatin1 !== undefined && typeof node?.copy === 'function' ? node.copy : undefined

const hasOwn = Object.prototype.hasOwnProperty

/**
 * Whether an array is no more than it looks like: neither its class nor itself says another `byteLength` than it has. `copy` believes
 * what it is told, to the end of the process (nodejs/node, lib/buffer.js and src/node_buffer.cc).
 */
export function isOrdinary(bytes: Uint8Array): boolean {
  const prototype = Object.getPrototypeOf(bytes) as unknown
  return (prototype === Uint8Array.prototype || prototype === node) && !hasOwn.call(bytes, 'byteLength')
}

/**
 * Copies bytes [start, end) of an ordinary array, which has them, to one of our own. In Node from 22 on without a view of the part: making
 * it takes longer than copying a kilobyte (bench/copies).
 */
export function copyPart(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void {
  if (nodeCopy !== undefined) nodeCopy.call(from, to, at, start, end)
  else to.set(from.subarray(start, end), at)
}

// From this many bytes on, not having them set to zero first is worth a call (bench/limits).
const LARGE = 2048

/** Bytes of one's own that are about to be overwritten, all of them: what they are until then is anyone's. */
export function ownBytes(length: number): Uint8Array<ArrayBuffer> {
  if (NodeBuffer === undefined || length < LARGE) return new Uint8Array(length)
  return new Uint8Array(NodeBuffer.allocUnsafeSlow(length).buffer)
}

// Small results are cut from a slab: an ArrayBuffer of its own costs as much as encoding a small message (bench/copies). From a page on
// it does not: memory that malloc has had before costs less than a new page of a slab.
const SLAB = 16384
const SMALL = 4096

let slab = new Uint8Array(0)
let slabBuffer = slab.buffer
let slabAt = 0

/** Bytes that are no one else's, to be overwritten at once; their buffer may be shared with others. */
export function cutBytes(length: number): Uint8Array {
  if (length > SMALL || length === 0) return ownBytes(length)
  // A slab that an app has transferred elsewhere has no length any more.
  if (slabAt + length > slab.length) {
    slab = new Uint8Array(SLAB)
    slabBuffer = slab.buffer
    slabAt = 0
  }
  const at = slabAt
  // The next one starts on a multiple of 8, so that views of other element types can be made of it.
  slabAt = (at + length + 7) & ~7
  return new Uint8Array(slabBuffer, at, length)
}

/** Up to this many characters, one call of fromCharCode with that many arguments is cheaper than a slice. */
const FEW = 16

/** The text of the ASCII bytes [start, end). */
export function asciiText(bytes: Uint8Array, start: number, end: number): string {
  if (end - start <= FEW) return fewCharacters(bytes, start, end - start)
  return nodeLatin1 === undefined ? decoder.decode(unshared(bytes, start, end)) : nodeLatin1.call(bytes, start, end)
}

/** The text of the UTF-8 bytes [start, end). */
export function utf8Text(bytes: Uint8Array, start: number, end: number): string {
  return nodeUtf8 === undefined ? decoder.decode(unshared(bytes, start, end)) : nodeUtf8.call(bytes, start, end)
}

/**
 * One string of all the bytes [start, end), a character a byte, from which pieces of ASCII text can be cut; undefined where the
 * runtime has no quick way.
 */
export function bytesAsCharacters(bytes: Uint8Array, start: number, end: number): string | undefined {
  return nodeLatin1?.call(bytes, start, end)
}

// TextDecoder refuses views of shared memory.
function unshared(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const part = bytes.subarray(start, end)
  return typeof SharedArrayBuffer !== 'undefined' && part.buffer instanceof SharedArrayBuffer ? new Uint8Array(part) : part
}

const make = String.fromCharCode

// A fixed number of arguments needs no array of them.
function fewCharacters(b: Uint8Array, i: number, n: number): string {
  switch (n) {
    case 0:
      return ''
    case 1:
      return make(b[i])
    case 2:
      return make(b[i], b[i + 1])
    case 3:
      return make(b[i], b[i + 1], b[i + 2])
    case 4:
      return make(b[i], b[i + 1], b[i + 2], b[i + 3])
    case 5:
      return make(b[i], b[i + 1], b[i + 2], b[i + 3], b[i + 4])
    case 6:
      return make(b[i], b[i + 1], b[i + 2], b[i + 3], b[i + 4], b[i + 5])
    case 7:
      return make(b[i], b[i + 1], b[i + 2], b[i + 3], b[i + 4], b[i + 5], b[i + 6])
    case 8:
      return make(b[i], b[i + 1], b[i + 2], b[i + 3], b[i + 4], b[i + 5], b[i + 6], b[i + 7])
    default:
      return make(b[i], b[i + 1], b[i + 2], b[i + 3], b[i + 4], b[i + 5], b[i + 6], b[i + 7]) + fewCharacters(b, i + 8, n - 8)
  }
}

/**
 * Up to this many characters a loop over char codes beats the runtime's own way of writing; TextEncoder costs the most (bench/text, and
 * bench/peers for texts that are not in the cache).
 */
export const SHORT_TEXT = nodeWrite === undefined ? 40 : 28

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** Whether a text has no lone surrogate, so that it has a UTF-8 form. */
export function isWellFormed(text: string): boolean {
  const own = (text as { isWellFormed?: () => boolean }).isWellFormed
  return own === undefined ? !LONE_SURROGATE.test(text) : own.call(text)
}

/** Bytes of the UTF-8 form of a well-formed text. */
export function utf8Length(text: string): number {
  if (NodeBuffer !== undefined) return NodeBuffer.byteLength(text)
  let length = text.length
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    // A surrogate pair is two units and four bytes: one more for each half.
    if (c >= 0x80) length += c < 0x800 || (c >= 0xd800 && c < 0xe000) ? 1 : 2
  }
  return length
}

/** Writes the UTF-8 form of a well-formed text, of `length` bytes, at `bytes[at]`. */
export function writeUtf8(bytes: Uint8Array, text: string, at: number, length: number): number {
  if (nodeWrite !== undefined) return nodeWrite.call(bytes, text, at, length)
  return encoder.encodeInto(text, bytes.subarray(at, at + length)).written
}

/** The bytes that hexadecimal digits stand for: some 20 000 at start-up, which a loop that is not yet compiled takes milliseconds for. */
export function hexBytes(digits: string): Uint8Array {
  if (NodeBuffer !== undefined) return NodeBuffer.from(digits, 'hex')
  const bytes = new Uint8Array(digits.length / 2)
  for (let i = 0; i < bytes.length; i++) bytes[i] = (digitAt(digits, 2 * i) << 4) | digitAt(digits, 2 * i + 1)
  return bytes
}

/** The value of a hexadecimal digit: 0 to 9 are from 0x30 on, a to f from 0x61. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return (code & 15) + 9 * (code >> 6)
}
