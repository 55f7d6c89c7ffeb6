// From linear memory to bytes of the caller's: what has been written, with the gaps filled from the caller's own arrays and texts.
import { Refusal } from './check.ts'
import type { Engine } from './engine.ts'
import { cutBytes, writeUtf8 } from './strings.ts'
import type { Gap } from './tape.ts'
import { CONTROL_OUTPUT_LENGTH, FAULT_VALUE_TYPE } from './wire.ts'

/** What has been written, as bytes of its own. `from`: address of the first byte. @internal */
export function takeOutput(engine: Engine, from: number, gaps: readonly Gap[], big: boolean): Uint8Array {
  const result = cutBytes(engine.i32[CONTROL_OUTPUT_LENGTH >> 2])
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
  const { i32 } = engine
  const length = i32[CONTROL_OUTPUT_LENGTH >> 2]
  let address = from
  let done = 0
  for (const gap of gaps) {
    const offset = i32[gap.p] - (from & 7)
    target.set(engine.part(address, address + offset - done), at + done)
    fill(engine, gap, big, target, at + offset)
    done = offset + gap.length
    address = i32[gap.p + 1]
  }
  target.set(engine.part(address, address + length - done), at + done)
  return length
}

function shares(gaps: readonly Gap[], buffer: ArrayBufferLike): boolean {
  return gaps.some((gap) => gap.bytes?.buffer === buffer)
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
  if (gaps.length === 0 || !shares(gaps, target.buffer)) return copyOutput(engine, from, gaps, big, target, at)
  // What is written first must not be what is read next.
  const own = takeOutput(engine, from, gaps, big)
  target.set(own, at)
  return own.length
}

// A getter further on may have resized or detached the array. Making a view finds out: V8 11 can be wrong about `length` of a
// detached array in optimised code that has seen resizable ones.
function intact(bytes: Uint8Array, length: number): Uint8Array {
  try {
    return new Uint8Array(bytes.buffer, bytes.byteOffset, length)
  } catch {
    throw new Refusal(FAULT_VALUE_TYPE, -1, 'an array that changed while it was encoded')
  }
}

function fill(engine: Engine, gap: Gap, big: boolean, target: Uint8Array, at: number): void {
  const bytes = gap.bytes
  if (bytes === undefined) {
    writeUtf8(target, gap.text, at, gap.length)
    return
  }
  target.set(intact(bytes, gap.length), at)
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
    const own = cutBytes(bytes)
    own.set(u8.subarray(address, address + bytes))
    pieces.push(own)
  }
  for (const gap of gaps) {
    const offset = i32[gap.p] - (from & 7)
    piece(offset - done)
    if (gap.bytes !== undefined && !(big && gap.elementSize > 1)) {
      pieces.push(intact(gap.bytes, gap.length))
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
