// What the tests of length.ts and framer.ts share: streams, the slow framer, and a look at what is allocated.
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { DBusCodecError } from '../js/errors.ts'
import { MessageFramer, type MessageFramerOptions } from '../js/framer.ts'
import { messageLength } from '../js/length.ts'

export const MAX = 134217728

export interface Stream {
  name: string
  hex: string
  messages: number
  end: 'clean' | 'partial' | 'error'
  consumed: number
}

export interface Report {
  id: string
  cases: { op: string; chunks?: string[]; stream?: string; then?: string; expect: string }[]
}

export function vectors<T>(name: string): T[] {
  const text = readFileSync(new URL(`./vectors/${name}`, import.meta.url), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T)
}

export const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'))
/** Bytes as text, one character each: quick to make and to compare. */
export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')

/** A header of 16 bytes and nothing else that claims these lengths. */
export function claim(fields: number, body: number, little = true): Uint8Array {
  const bytes = new Uint8Array(16)
  const view = new DataView(bytes.buffer)
  bytes.set([little ? 0x6c : 0x42, 1, 0, 1])
  view.setUint32(4, body, little)
  view.setUint32(8, 1, little)
  view.setUint32(12, fields, little)
  return bytes
}

/** What the framer takes for a message: a header without fields and a body filled with `fill`. */
export function message(body: number, fill = 0, little = true): Uint8Array {
  const bytes = new Uint8Array(16 + body).fill(fill)
  bytes.set(claim(0, body, little))
  return bytes
}

export function concat(...pieces: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(pieces))
}

export function thrown(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    return error
  }
  return undefined
}

export const place = (error: unknown): string => {
  expect(error).toBeInstanceOf(DBusCodecError)
  return `${(error as DBusCodecError).code} at ${(error as DBusCodecError).offset}`
}

export interface Outcome {
  messages: string[]
  error: string | undefined
  pending: number
}

/** Everything a stream does, fed in these chunks. */
export function outcome(chunks: Iterable<Uint8Array>, options: Partial<MessageFramerOptions> = {}): Outcome {
  const messages: string[] = []
  const framer = new MessageFramer({ onMessage: (bytes) => void messages.push(textOf(bytes)), ...options })
  const error = thrown(() => {
    for (const chunk of chunks) framer.push(chunk)
  })
  return { messages, error: error === undefined ? undefined : place(error), pending: framer.pending }
}

export function same(a: Outcome, b: Outcome): boolean {
  return (
    a.error === b.error &&
    a.pending === b.pending &&
    a.messages.length === b.messages.length &&
    a.messages.every((message, i) => message === b.messages[i])
  )
}

export function* cut(bytes: Uint8Array, ...at: number[]): Generator<Uint8Array> {
  let from = 0
  for (const to of [...at, bytes.length]) {
    yield bytes.slice(from, to)
    from = to
  }
}

/** The slow, obvious framer: the whole stream at once. */
export function expected(stream: Uint8Array): Outcome {
  const messages: string[] = []
  let at = 0
  for (;;) {
    const rest = stream.subarray(at)
    let length: number | undefined
    const error = thrown(() => {
      length = messageLength(rest)
    })
    if (error !== undefined) return { messages, error: place(error), pending: 0 }
    if (length === undefined || length > rest.length) return { messages, error: undefined, pending: rest.length }
    messages.push(textOf(rest.subarray(0, length)))
    at += length
  }
}
/** What Uint8Arrays are made of while `action` runs. */
export function watch(action: () => void): unknown[] {
  const made: unknown[] = []
  const original = globalThis.Uint8Array
  const watched = new Proxy(original, {
    construct(target, args) {
      made.push(args[0])
      return Reflect.construct(target, args)
    },
  })
  globalThis.Uint8Array = watched
  try {
    action()
  } finally {
    globalThis.Uint8Array = original
  }
  return made
}

/** The sizes of those made by length. */
export function watchAllocations(action: () => void): number[] {
  return watch(action).filter((from) => typeof from === 'number')
}

/** How many are made as copies of another. */
export function watchCopies(action: () => void): number {
  return watch(action).filter((from) => ArrayBuffer.isView(from)).length
}
