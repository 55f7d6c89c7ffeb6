// From linear memory to bytes of the caller's: what has been written, with the gaps filled from the caller's own arrays and texts.
import { Refusal } from './check.ts'
import type { Engine } from './engine.ts'
import { cutBytes, writeUtf8 } from './strings.ts'
import type { Gap } from './tape.ts'
import { bufferOf, elementsOf, viewOf } from './values.ts'
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
  // An array is the last value as often as not.
  if (done < length) target.set(engine.part(address, address + length - done), at + done)
  return length
}

/**
 * The same, or nothing when a getter has changed an array that fills a gap; the target may hold such arrays. What they are counts here, not
 * what a class of the caller's says. @internal
 */
export function putOutput(
  engine: Engine,
  from: number,
  gaps: readonly Gap[],
  big: boolean,
  target: Uint8Array,
  at: number,
): number {
  let shared = false
  if (gaps.length > 0) {
    const buffer = bufferOf(target)
    for (const { bytes, length } of gaps) {
      if (bytes === undefined) continue
      if (elementsOf(bytes) < length) throw changed()
      if (bufferOf(bytes) === buffer) shared = true
    }
  }
  if (!shared) return copyOutput(engine, from, gaps, big, target, at)
  // What is written first must not be what is read next.
  const own = takeOutput(engine, from, gaps, big)
  target.set(own, at)
  return own.length
}

function changed(): Refusal {
  return new Refusal(FAULT_VALUE_TYPE, -1, 'an array that changed while it was encoded')
}

function fill(engine: Engine, gap: Gap, big: boolean, target: Uint8Array, at: number): void {
  const { bytes, length } = gap
  if (bytes === undefined) {
    writeUtf8(target, gap.text, at, length)
    return
  }
  // A view costs as much as copying a kilobyte (bench/copies): only for an array that has become longer.
  const whole = elementsOf(bytes) === length ? bytes : firstOf(bytes, length)
  try {
    target.set(whole, at)
  } catch {
    // V8 11 can be wrong about the length of a detached array in optimised code that has seen resizable ones.
    throw changed()
  }
  if (big && gap.elementSize > 1) engine.reverse(target.subarray(at, at + length), gap.elementSize)
}

/** The first bytes of an array of the caller's, in the same memory. */
function firstOf(bytes: Uint8Array, length: number): Uint8Array {
  try {
    return viewOf(bytes, 0, length)
  } catch {
    throw changed()
  }
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
      pieces.push(firstOf(gap.bytes, gap.length))
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
