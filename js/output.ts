// From linear memory to bytes of the caller's: what has been written, with the gaps filled from the caller's own arrays and texts.
import { Refusal } from './check.ts'
import type { Engine } from './engine.ts'
import { ownBytes, writeUtf8 } from './strings.ts'
import type { Gap } from './tape.ts'
import { CONTROL_OUTPUT_LENGTH, FAULT_VALUE_TYPE } from './wire.ts'

// Small results are cut from a slab: an ArrayBuffer of its own costs as much as encoding a small message (bench/copies).
const SLAB = 65536
const SMALL = 4096

// Up to this many bytes a loop over words beats `set` and the view that it needs (bench/copies).
const FEW = 384

let slab = new Uint8Array(0)
let slabWords = new Int32Array(0)
let slabBuffer = slab.buffer
let slabAt = 0

/** Room for a result of `length` bytes that is no one else's. */
function fresh(length: number): Uint8Array {
  if (length > SMALL) return ownBytes(length)
  if (slabAt + length > slab.length) {
    slab = new Uint8Array(SLAB)
    slabBuffer = slab.buffer
    slabWords = new Int32Array(slabBuffer)
    slabAt = 0
  }
  const at = slabAt
  // The next one starts on a multiple of 8, so that views of other element types can be made of it.
  slabAt = (at + length + 7) & ~7
  return new Uint8Array(slabBuffer, at, length)
}

function copyFew(words: Int32Array, from: number, end: number, to: number): void {
  const target = slabWords
  let i = from
  let o = to
  for (; i + 3 < end; i += 4, o += 4) {
    target[o] = words[i]
    target[o + 1] = words[i + 1]
    target[o + 2] = words[i + 2]
    target[o + 3] = words[i + 3]
  }
  for (; i < end; i++) target[o++] = words[i]
}

/** What has been written, as bytes of its own. `from`: address of the first byte. @internal */
export function takeOutput(engine: Engine, from: number, gaps: readonly Gap[], big: boolean): Uint8Array {
  const length = engine.i32[CONTROL_OUTPUT_LENGTH >> 2]
  const result = fresh(length)
  if (length <= FEW && gaps.length === 0 && (from & 3) === 0) {
    // `fresh` has just cut this from the slab: whole words, the last one possibly with what comes to lie between two results.
    copyFew(engine.i32, from >> 2, (from + length + 3) >> 2, result.byteOffset >> 2)
    return result
  }
  copyOutput(engine, from, gaps, big, result, 0)
  return result
}

/** What has been written, into `target` at `at`, where there is room for it; the number of bytes. @internal */
export function copyOutput(
  engine: Engine,
  from: number,
  gaps: readonly Gap[],
  big: boolean,
  target: Uint8Array,
  at: number,
): number {
  const { u8, i32 } = engine
  const length = i32[CONTROL_OUTPUT_LENGTH >> 2]
  let address = from
  let done = 0
  for (const gap of gaps) {
    const offset = i32[gap.p] - (from & 7)
    target.set(u8.subarray(address, address + offset - done), at + done)
    fill(engine, gap, big, target, at + offset)
    done = offset + gap.length
    address = i32[gap.p + 1]
  }
  target.set(u8.subarray(address, address + length - done), at + done)
  return length
}

/** The same; `target` may hold the caller's arrays that fill the gaps. @internal */
export function putOutput(
  engine: Engine,
  from: number,
  gaps: readonly Gap[],
  big: boolean,
  target: Uint8Array,
  at: number,
): number {
  if (!gaps.some((gap) => gap.bytes?.buffer === target.buffer)) return copyOutput(engine, from, gaps, big, target, at)
  // What is written first must not be what is read next.
  const own = takeOutput(engine, from, gaps, big)
  target.set(own, at)
  return own.length
}

function fill(engine: Engine, gap: Gap, big: boolean, target: Uint8Array, at: number): void {
  const bytes = gap.bytes
  if (bytes === undefined) {
    writeUtf8(target, gap.text, at, gap.length)
    return
  }
  // A getter further on may have resized or detached the array.
  if (bytes.length !== gap.length) throw new Refusal(FAULT_VALUE_TYPE, -1, 'an array that changed while it was encoded')
  target.set(bytes, at)
  if (big && gap.elementSize > 1) engine.reverse(target.subarray(at, at + gap.length), gap.elementSize)
}

/** What has been written, as pieces in their order; bulk bytes are the caller's own. @internal */
export function segments(engine: Engine, from: number, gaps: readonly Gap[], big: boolean): Uint8Array[] {
  const { u8, i32 } = engine
  const length = i32[CONTROL_OUTPUT_LENGTH >> 2]
  const pieces: Uint8Array[] = []
  let address = from
  let done = 0
  const piece = (bytes: number): void => {
    if (bytes === 0) return
    const own = fresh(bytes)
    own.set(u8.subarray(address, address + bytes))
    pieces.push(own)
  }
  for (const gap of gaps) {
    const offset = i32[gap.p] - (from & 7)
    piece(offset - done)
    if (gap.bytes !== undefined && !(big && gap.elementSize > 1) && gap.bytes.length === gap.length) {
      pieces.push(gap.bytes)
    } else {
      const own = new Uint8Array(gap.length)
      fill(engine, gap, big, own, 0)
      pieces.push(own)
    }
    done = offset + gap.length
    address = i32[gap.p + 1]
  }
  piece(length - done)
  return pieces
}
