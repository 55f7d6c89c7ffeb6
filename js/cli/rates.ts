// Messages per second over a set of messages, measured, not assumed. For figures to compare, see bench/.
import type { Codec, Message } from '../index.ts'
import { byteOrderOf } from './compare.ts'

export interface Rate {
  readonly verb: 'decode' | 'encode' | 'validate'
  readonly messagesPerSecond: number
  readonly bytesPerSecond: number
}

export interface Decoded {
  readonly bytes: Uint8Array
  readonly message: Message
}

/** Each verb over the whole set, again and again for the given time (at least once, after a first time for warming up). */
export function measureRates(codec: Codec, set: readonly Decoded[], seconds: number): Rate[] {
  const bytes = set.reduce((sum, { bytes: { length } }) => sum + length, 0)
  const orders = set.map((item) => ({ byteOrder: byteOrderOf(item.bytes) }))
  const verbs = {
    decode: () => set.forEach((item) => void codec.decode(item.bytes)),
    encode: () => set.forEach((item, index) => void codec.encode(item.message, orders[index])),
    validate: () => set.forEach((item) => void codec.validate(item.bytes)),
  }
  return (['decode', 'encode', 'validate'] as const).map((verb) => {
    const rounds = roundsPerSecond(verbs[verb], seconds)
    return { verb, messagesPerSecond: rounds * set.length, bytesPerSecond: rounds * bytes }
  })
}

function roundsPerSecond(round: () => void, seconds: number): number {
  // A quarter of the time for the compiler, so that a short run does not measure the interpreter.
  const warm = performance.now() + seconds * 250
  do round()
  while (performance.now() < warm)
  const start = performance.now()
  let rounds = 0
  let elapsed = 0
  do {
    round()
    rounds++
    elapsed = performance.now() - start
  } while (elapsed < seconds * 1000)
  return (rounds * 1000) / elapsed
}
