// Many messages in one call: a run of bytes that grows, and a walk over one.
import type { Engine } from './engine.ts'
import { DBusCodecError, type Fault } from './errors.ts'
import { claimedLength, claimOffset } from './length.ts'
import { copyOutput } from './output.ts'
import { cutBytes, ownBytes } from './strings.ts'
import type { Gap } from './tape.ts'
import { CONTROL_OUTPUT_LENGTH, HEADER_FIELDS } from './wire.ts'

const FIRST_CAPACITY = 4096

/** Messages one after the other. @internal */
export class Run {
  private bytes: Uint8Array = ownBytes(FIRST_CAPACITY)
  private length = 0

  /** What has been written last. */
  add(engine: Engine, gaps: readonly Gap[], big: boolean): void {
    const end = this.length + engine.i32[CONTROL_OUTPUT_LENGTH >> 2]
    if (end > this.bytes.length) {
      const more = ownBytes(Math.max(end, 2 * this.bytes.length))
      more.set(this.bytes.subarray(0, this.length))
      this.bytes = more
    }
    copyOutput(engine, engine.output, gaps, big, this.bytes, this.length)
    this.length = end
  }

  /** All of them, as bytes of their own: what is left over here has never been set to zero. */
  taken(): Uint8Array {
    const own = cutBytes(this.length)
    own.set(this.bytes.subarray(0, this.length))
    return own
  }
}

// Not subarray: for a Buffer that makes a Buffer. Fails when the one who is called has detached the bytes, or made them fewer: then it is
// not the peer that is to blame.
function view(buffer: ArrayBufferLike, at: number, length: number): Uint8Array {
  try {
    return new Uint8Array(buffer, at, length)
  } catch (cause) {
    throw new TypeError('the bytes were detached or made fewer while they were read', { cause })
  }
}

/**
 * Calls `each` for every whole message in `bytes`, with the offset of its first byte; the number of bytes that they are. @internal
 */
export function forEachMessage(bytes: Uint8Array, most: number, each: (message: Uint8Array, at: number) => void): number {
  const { buffer, byteOffset, length } = bytes
  let at = 0
  while (length - at >= HEADER_FIELDS) {
    const claimed = claimedLength(bytes, at, most)
    if (claimed < 0) {
      view(buffer, byteOffset + at, HEADER_FIELDS)
      throw new DBusCodecError(-claimed as Fault, { offset: at + claimOffset(-claimed) })
    }
    if (claimed > length - at) break
    each(view(buffer, byteOffset + at, claimed), at)
    at += claimed
  }
  return at
}
