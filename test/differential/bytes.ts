// Bytes of good messages changed one at a time, and at random.
import { type Source, seededSource } from '../generate.ts'
import { layoutOf, setUint32 } from './messages.ts'

export function* truncations(messages: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const message of messages) {
    for (let length = 0; length < message.length; length++) yield message.slice(0, length)
  }
}

/** Cut at every place, and the length in the header changed with it: the walk itself meets the end. */
export function* shortenedBodies(messages: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const message of messages) {
    const { little, bodyStart } = layoutOf(message)
    for (let length = bodyStart; length < message.length; length++) {
      const cut = message.slice(0, length)
      setUint32(cut, 4, length - bodyStart, little)
      yield cut
    }
  }
}

/** The good message comes up again and again: what a codec remembers of it must not cover for a bad one. */
export function* bitFlips(messages: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const message of messages) {
    for (let bit = 0; bit < 8 * message.length; bit++) {
      if (bit % 32 === 0) yield message
      const flipped = message.slice()
      flipped[bit >> 3] ^= 1 << (bit & 7)
      yield flipped
    }
  }
}

/** Every value of every byte from `start` to `end`, given for each message. */
export function* byteValues(
  messages: readonly Uint8Array[],
  range: (message: Uint8Array) => readonly [start: number, end: number],
): Generator<Uint8Array> {
  for (const message of messages) {
    const [start, end] = range(message)
    for (let at = start; at < end; at++) {
      yield message
      for (let value = 0; value < 256; value++) {
        const changed = message.slice()
        changed[at] = value
        yield changed
      }
    }
  }
}

/** Something after the message: nothing of it may be taken for a part of it, nor a second message for nothing. */
export function* trailing(messages: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const message of messages) {
    for (const more of [message.subarray(0, 1), message.subarray(0, 16), message, new Uint8Array(1), new Uint8Array(32)]) {
      const both = new Uint8Array(message.length + more.length)
      both.set(message)
      both.set(more, message.length)
      yield both
    }
  }
}

// Lengths and numbers at the edge of something.
export const EDGES: readonly number[] = [
  0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0xfff8, 0xffff, 0x10000, 0x3fffff0,
  0x3fffff8, 0x3ffffff, 0x4000000, 0x4000001, 0x4000008, 0x7ffffe0, 0x7ffffe8, 0x7fffff0, 0x7fffff8, 0x7ffffff, 0x8000000,
  0x8000001, 0x7ffffff0, 0x7fffffff, 0x80000000, 0xfffffff0, 0xfffffff8, 0xffffffff,
]

/** Both lengths of the header at every pair of edges: what the first 16 bytes claim. */
export function* headerClaims(messages: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const message of messages) {
    const { little } = layoutOf(message)
    for (const fields of EDGES) {
      for (const body of EDGES) {
        const claim = message.slice()
        setUint32(claim, 4, body, little)
        setUint32(claim, 12, fields, little)
        yield claim
      }
    }
  }
}

/** Each aligned word at each edge, counted from the beginning and from the end of the message. */
export function* wordClaims(messages: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const message of messages) {
    const { little } = layoutOf(message)
    for (let at = 0; at + 4 <= message.length; at += 4) {
      const left = message.length - at
      for (const value of [...EDGES, left - 9, left - 8, left - 5, left - 4, left - 3, left]) {
        const claim = message.slice()
        setUint32(claim, at, value, little)
        yield claim
      }
    }
  }
}

/** `count` messages with one to four changes of any kind, most of them with a body length that fits again. */
export function* mutants(messages: readonly Uint8Array[], count: number, seed: number): Generator<Uint8Array> {
  const source = seededSource(seed)
  for (let i = 0; i < count; i++) {
    let message: Uint8Array = messages[source.below(messages.length)].slice()
    for (let changes = 1 + source.below(4); changes > 0; changes--) message = mutate(message, messages, source)
    if (message.length >= 16 && source.below(8) !== 0) {
      const { little, bodyStart } = layoutOf(message)
      if (bodyStart <= message.length) setUint32(message, 4, message.length - bodyStart, little)
    }
    yield message
  }
}

function mutate(message: Uint8Array, all: readonly Uint8Array[], source: Source): Uint8Array {
  if (message.length === 0) return message
  const at = source.below(message.length)
  const aligned = at & -4
  switch (source.below(9)) {
    case 0:
      message[at] = source.below(256)
      return message
    case 1:
      message[at] ^= 1 << source.below(8)
      return message
    case 2:
      message[at] = 'ybnqiuxtdsogva(){}h'.charCodeAt(source.below(19))
      return message
    case 3:
      if (aligned + 4 <= message.length) setUint32(message, aligned, EDGES[source.below(EDGES.length)], message[0] === 0x6c)
      return message
    case 4:
      if (aligned + 4 <= message.length) setUint32(message, aligned, source.below(message.length), message[0] === 0x6c)
      return message
    case 5:
      return splice(message, at, source.below(9), new Uint8Array(0))
    case 6:
      return splice(message, at, 0, message.subarray(at, at + source.below(17)))
    case 7: {
      const other = all[source.below(all.length)]
      const from = source.below(other.length) & -8
      return splice(message, at & -8, 8 * source.below(3), other.subarray(from, from + 8 * source.below(5)))
    }
    default:
      return splice(message, at, 0, new Uint8Array(source.below(9)))
  }
}

function splice(message: Uint8Array, at: number, remove: number, insert: Uint8Array): Uint8Array {
  const tail = message.subarray(Math.min(at + remove, message.length))
  const result = new Uint8Array(at + insert.length + tail.length)
  result.set(message.subarray(0, at))
  result.set(insert, at)
  result.set(tail, at + insert.length)
  return result
}
