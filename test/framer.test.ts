import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DBusCodecError } from '../js/errors.ts'
import { MessageFramer, type MessageFramerOptions } from '../js/framer.ts'
import { messageLength } from '../js/length.ts'

const MAX = 134217728

interface Stream {
  name: string
  hex: string
  messages: number
  end: 'clean' | 'partial' | 'error'
  consumed: number
}

interface Report {
  id: string
  cases: { op: string; chunks?: string[]; stream?: string; then?: string; expect: string }[]
}

function vectors<T>(name: string): T[] {
  const text = readFileSync(new URL(`./vectors/${name}`, import.meta.url), 'utf8')
  return text.trimEnd().split('\n').map((line) => JSON.parse(line) as T)
}

const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'))
/** Bytes as text, one character each: quick to make and to compare. */
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')

/** A header of 16 bytes and nothing else that claims these lengths. */
function claim(fields: number, body: number, little = true): Uint8Array {
  const bytes = new Uint8Array(16)
  const view = new DataView(bytes.buffer)
  bytes.set([little ? 0x6c : 0x42, 1, 0, 1])
  view.setUint32(4, body, little)
  view.setUint32(8, 1, little)
  view.setUint32(12, fields, little)
  return bytes
}

/** What the framer takes for a message: a header without fields and a body filled with `fill`. */
function message(body: number, fill = 0, little = true): Uint8Array {
  const bytes = new Uint8Array(16 + body).fill(fill)
  bytes.set(claim(0, body, little))
  return bytes
}

function concat(...pieces: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(pieces))
}

function thrown(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    return error
  }
  return undefined
}

const place = (error: unknown): string => {
  expect(error).toBeInstanceOf(DBusCodecError)
  return `${(error as DBusCodecError).code} at ${(error as DBusCodecError).offset}`
}

interface Outcome {
  messages: string[]
  error: string | undefined
  pending: number
}

/** Everything a stream does, fed in these chunks. */
function outcome(chunks: Iterable<Uint8Array>, options: Partial<MessageFramerOptions> = {}): Outcome {
  const messages: string[] = []
  const framer = new MessageFramer({ onMessage: (bytes) => void messages.push(textOf(bytes)), ...options })
  const error = thrown(() => {
    for (const chunk of chunks) framer.push(chunk)
  })
  return { messages, error: error === undefined ? undefined : place(error), pending: framer.pending }
}

function same(a: Outcome, b: Outcome): boolean {
  return a.error === b.error && a.pending === b.pending && a.messages.length === b.messages.length
    && a.messages.every((message, i) => message === b.messages[i])
}

function* cut(bytes: Uint8Array, ...at: number[]): Generator<Uint8Array> {
  let from = 0
  for (const to of [...at, bytes.length]) {
    yield bytes.slice(from, to)
    from = to
  }
}

/** The slow, obvious framer: the whole stream at once. */
function expected(stream: Uint8Array): Outcome {
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

describe('messageLength', () => {
  it('needs 16 bytes', () => {
    const bytes = claim(0, 0)
    for (let length = 0; length < 16; length++) expect(messageLength(bytes.subarray(0, length))).toBeUndefined()
    expect(messageLength(bytes)).toBe(16)
  })

  it('adds header, fields padded to 8, and body, in either byte order', () => {
    for (const little of [true, false]) {
      for (let fields = 0; fields < 30; fields++) {
        expect(messageLength(claim(fields, 5, little))).toBe(16 + ((fields + 7) & ~7) + 5)
      }
    }
  })

  it('refuses a first byte that names no byte order, at offset 0', () => {
    for (let first = 0; first < 256; first++) {
      if (first === 0x6c || first === 0x42) continue
      const bytes = claim(0, 0)
      bytes[0] = first
      expect(place(thrown(() => messageLength(bytes)))).toBe('ERR_DBUS_BYTE_ORDER at 0')
    }
  })

  it('refuses lengths over their limits at the length that is wrong, without wrapping at 2^31 or 2^32', () => {
    for (const little of [true, false]) {
      const verdict = (fields: number, body: number) => place(thrown(() => messageLength(claim(fields, body, little))))
      for (const fields of [0x04000001, 0x7fffffff, 0x80000000, 0xfffffff0, 0xfffffff8, 0xfffffff9, 0xffffffff]) {
        expect(verdict(fields, 0)).toBe('ERR_DBUS_FIELDS_LENGTH at 12')
        expect(verdict(fields, 0xffffffff)).toBe('ERR_DBUS_FIELDS_LENGTH at 12')
      }
      for (const body of [MAX + 1, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff]) {
        expect(verdict(0, body)).toBe('ERR_DBUS_BODY_LENGTH at 4')
      }
      expect(verdict(0, MAX)).toBe('ERR_DBUS_MESSAGE_LENGTH at 4')
      expect(verdict(0, MAX - 15)).toBe('ERR_DBUS_MESSAGE_LENGTH at 4')
      expect(verdict(0x04000000, MAX)).toBe('ERR_DBUS_MESSAGE_LENGTH at 4')
      expect(messageLength(claim(0, MAX - 16, little))).toBe(MAX)
      expect(messageLength(claim(0x04000000, 0x04000000 - 16, little))).toBe(MAX)
      expect(verdict(0x04000000 - 1, 0x04000000 - 15)).toBe('ERR_DBUS_MESSAGE_LENGTH at 4')
    }
  })

  it('refuses what is over the maximum asked for', () => {
    expect(messageLength(claim(8, 8), 32)).toBe(32)
    expect(place(thrown(() => messageLength(claim(8, 9), 32)))).toBe('ERR_DBUS_MESSAGE_LENGTH at 4')
    expect(place(thrown(() => messageLength(claim(9, 8), 32)))).toBe('ERR_DBUS_MESSAGE_LENGTH at 4')
  })

  it('reads a view at any offset of its buffer', () => {
    const shared = new Uint8Array(64).fill(0xff)
    shared.set(claim(3, 4), 13)
    expect(messageLength(shared.subarray(13))).toBe(28)
  })
})

/** Streams that lose their frame. The other wrong ones are wrong inside a message: the decoder's to stop. */
const FRAMING: Record<string, string> = {
  'stream/bad-huge-body': 'ERR_DBUS_BODY_LENGTH at 4',
  'stream/bad-nul-gap': 'ERR_DBUS_BYTE_ORDER at 0',
  'stream/bad-crlf': 'ERR_DBUS_BYTE_ORDER at 0',
}

describe('MessageFramer on recorded streams', () => {
  for (const { name, hex, messages, end, consumed } of vectors<Stream>('streams.jsonl')) {
    const stream = bytesOf(hex)
    const whole = expected(stream)

    it(`${name}: hands out the same messages at every split, byte by byte, and at random cuts`, () => {
      expect(outcome([stream])).toEqual(whole)
      for (let at = 0; at <= stream.length; at++) {
        const result = outcome(cut(stream, at))
        // toEqual for twenty thousand splits takes seconds
        if (!same(result, whole)) expect([at, result]).toEqual([at, whole])
      }
      expect(outcome(cut(stream, ...stream.keys()))).toEqual(whole)
      const cuts = fc.array(fc.nat(stream.length), { maxLength: 40 })
      fc.assert(
        fc.property(cuts, (at) => {
          expect(outcome(cut(stream, ...at.sort((a, b) => a - b)))).toEqual(whole)
        }),
        { numRuns: 50 },
      )
    })

    it(`${name}: ends ${end} after ${messages} messages`, () => {
      const delivered = whole.messages.slice(0, messages)
      expect(delivered.length).toBe(messages)
      expect(delivered.join('').length).toBe(consumed)
      if (end === 'error') return expect(whole.error).toBe(FRAMING[name])
      const framer = new MessageFramer({ onMessage: () => {} })
      framer.push(stream)
      expect(framer.pending).toBe(stream.length - consumed)
      const ended = thrown(() => framer.end())
      if (end === 'clean') expect(ended).toBeUndefined()
      else expect(place(ended)).toBe(`ERR_DBUS_INCOMPLETE at ${stream.length - consumed}`)
    })
  }
})

describe('MessageFramer on what users reported', () => {
  for (const { id, cases } of vectors<Report>('bug-reports.jsonl')) {
    cases.forEach((each, number) => {
      const claims = `${id} case ${number}: ${each.expect}`
      if (each.op === 'frame') {
        it(claims, () => {
          const { messages, error, pending } = outcome((each.chunks as string[]).map(bytesOf))
          if (each.expect.startsWith('1 message')) expect([messages.length, error, pending]).toEqual([1, undefined, 0])
          else if (each.expect.includes('accepted')) expect([messages.length, error, pending]).toEqual([0, undefined, 16])
          else {
            expect(each.expect).toContain('error')
            expect([messages.length, pending]).toEqual([0, 0])
            expect(error).toMatch(/^ERR_DBUS_(FIELDS|BODY|MESSAGE)_LENGTH at (4|12)$/)
          }
        })
      } else if (each.op === 'frame-all-splits') {
        it(claims, () => {
          const stream = bytesOf(each.stream as string)
          const count = Number.parseInt(each.expect, 10)
          const whole = expected(stream)
          expect(whole).toMatchObject({ error: undefined, pending: 0 })
          expect(whole.messages.length).toBe(count)
          for (let at = 0; at <= stream.length; at++) expect(outcome(cut(stream, at))).toEqual(whole)
          expect(outcome(cut(stream, ...stream.keys()))).toEqual(whole)
        })
      } else if (each.op === 'frame-after-auth') {
        it(claims, () => expect(outcome([bytesOf(each.then as string)]).messages.length).toBe(1))
      }
    })
  }

  it('BUG-007: a message of 139000 bytes in chunks of 64 KiB is one message', () => {
    const bytes = message(139000, 7)
    expect(outcome(cut(bytes, 65536, 131072)).messages).toEqual([textOf(bytes)])
  })
})

describe('MessageFramer and memory', () => {
  it('hands out a view of the chunk for each message that lies inside it', () => {
    const pool = new Uint8Array(4096)
    const chunk = pool.subarray(100, 300)
    chunk.set(message(4, 1))
    chunk.set(message(84, 2), 20)
    chunk.set(message(64, 3), 120)
    const seen: [boolean, number, number][] = []
    const framer = new MessageFramer({
      onMessage: (bytes) => seen.push([bytes.buffer === pool.buffer, bytes.byteOffset, bytes.length]),
    })
    framer.push(chunk)
    expect(seen).toEqual([[true, 100, 20], [true, 120, 100], [true, 220, 80]])
  })

  it('copies only the message that a cut goes through', () => {
    const stream = concat(message(1), message(2), message(3), message(4))
    for (let at = 0; at <= stream.length; at++) {
      const chunks = [...cut(stream, at)]
      const copied: number[] = []
      const framer = new MessageFramer({
        onMessage: (bytes) => {
          if (!chunks.some((chunk) => chunk.buffer === bytes.buffer)) copied.push(bytes.length)
        },
      })
      for (const chunk of chunks) framer.push(chunk)
      expect(copied.length).toBe([0, 17, 35, 54, 74].includes(at) ? 0 : 1)
    }
  })

  it('gives a message from several chunks a buffer of exactly its length, its own', () => {
    const buffers: Uint8Array[] = []
    const framer = new MessageFramer({ onMessage: (bytes) => void buffers.push(bytes) })
    const stream = concat(message(5000, 1), message(5000, 2))
    for (const chunk of cut(stream, 10, 700, 5300, 9000)) framer.push(chunk)
    expect(buffers.map((bytes) => bytes.buffer.byteLength)).toEqual([5016, 5016])
    expect(buffers[0].buffer).not.toBe(buffers[1].buffer)
    expect(concat(...buffers)).toEqual(stream)
  })

  it('hands out plain Uint8Arrays, also of Buffers', () => {
    const kinds: unknown[] = []
    const framer = new MessageFramer({ onMessage: (bytes) => void kinds.push(bytes.constructor) })
    const stream = Buffer.concat([message(8), message(8)])
    framer.push(stream.subarray(0, 30))
    framer.push(stream.subarray(30))
    expect(kinds).toEqual([Uint8Array, Uint8Array])
  })

  it('holds at most twice what came, or 1 KiB, whatever the header claims', () => {
    const start = claim(0, MAX - 16)
    const sizes = watchAllocations(() => {
      const framer = new MessageFramer({ onMessage: () => {} })
      framer.push(start)
      for (let received = 16 + 1000; received < 300000; received += 1000) framer.push(new Uint8Array(new ArrayBuffer(1000)))
    })
    expect(sizes.slice(0, 2)).toEqual([1024, 4032])
    expect(Math.max(...sizes)).toBeLessThan(2 * 300000)
  })

  it('joins 128 MiB of 64 KiB chunks with copies of at most three times the bytes, and keeps nothing of it', () => {
    const piece = new Uint8Array(65536).fill(9)
    const first = piece.slice()
    first.set(claim(0, MAX - 16))
    let got: Uint8Array | undefined
    const framer = new MessageFramer({
      onMessage: (bytes) => {
        got = bytes
      },
    })
    const sizes = watchAllocations(() => {
      framer.push(first)
      for (let sent = 65536; sent < MAX; sent += 65536) framer.push(piece)
    })
    expect(got?.length).toBe(MAX)
    expect(got?.buffer.byteLength).toBe(MAX)
    expect([got?.[16], got?.[MAX - 1]]).toEqual([9, 9])
    // Each buffer is filled once at most: their sum bounds the bytes copied.
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(3 * MAX)
    expect(framer.pending).toBe(0)
    const start = message(8).subarray(0, 3)
    const after = watchAllocations(() => framer.push(start))
    expect(after).toEqual([16])
  })
})

/** What Uint8Arrays are made of while `action` runs. */
function watch(action: () => void): unknown[] {
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
function watchAllocations(action: () => void): number[] {
  return watch(action).filter((from) => typeof from === 'number')
}

/** How many are made as copies of another. */
function watchCopies(action: () => void): number {
  return watch(action).filter((from) => ArrayBuffer.isView(from)).length
}

describe('MessageFramer and its handler', () => {
  const stream = concat(message(1, 1), message(2, 2), message(3, 3), message(4, 4), message(5, 5))

  it('loses and repeats nothing when the handler throws, at every split', () => {
    for (let at = 0; at <= stream.length; at++) {
      const seen: number[] = []
      const framer = new MessageFramer({
        onMessage: (bytes) => {
          seen.push(bytes.length)
          if (bytes.length % 2 === 0) throw new Error(`no ${bytes.length}`)
        },
      })
      const errors: string[] = []
      const attempt = (chunk: Uint8Array) => {
        const error = thrown(() => framer.push(chunk))
        if (error) errors.push((error as Error).message)
      }
      for (const chunk of cut(stream, at)) {
        attempt(chunk)
        chunk.fill(0xee)
      }
      for (let more = 0; more < 5; more++) attempt(new Uint8Array(0))
      expect([at, seen]).toEqual([at, [17, 18, 19, 20, 21]])
      expect(errors).toEqual(['no 18', 'no 20'])
      expect(framer.pending).toBe(0)
      framer.end()
    }
  })

  it('counts what a throwing handler left as pending, copies it once, and delivers it at end() too', () => {
    let calls = 0
    const framer = new MessageFramer({
      onMessage: () => {
        calls++
        if (calls < 4) throw new Error('not yet')
      },
    })
    const owned = watchCopies(() => expect(() => framer.push(stream)).toThrow('not yet'))
    expect([owned, framer.pending]).toEqual([1, stream.length - 17])
    const empty = new Uint8Array(0)
    const again = watchCopies(() => expect(() => framer.push(empty)).toThrow('not yet'))
    expect([again, framer.pending]).toEqual([0, stream.length - 17 - 18])
    expect(() => framer.end()).toThrow('not yet')
    framer.end()
    expect([calls, framer.pending]).toEqual([5, 0])
  })

  it('keeps the order when the handler pushes', () => {
    const seen: number[] = []
    const scratch = message(50)
    const framer = new MessageFramer({
      onMessage: (bytes) => {
        seen.push(bytes.length)
        if (seen.length === 1) {
          framer.push(scratch.subarray(0, 20))
          framer.push(scratch.subarray(20))
          scratch.fill(0xee) // the chunk is the caller's again
          expect(seen.length).toBe(1)
        }
      },
    })
    framer.push(stream)
    expect(seen).toEqual([17, 18, 19, 20, 21, 66])
  })

  it('takes a reset() from inside the handler: the rest of the chunk is gone', () => {
    const seen: number[] = []
    const framer = new MessageFramer({
      onMessage: (bytes) => {
        seen.push(bytes.length)
        if (seen.length === 2) {
          framer.reset()
          framer.push(message(9))
        }
      },
    })
    framer.push(stream)
    expect([seen, framer.pending]).toEqual([[17, 18, 25], 0])
  })

  it('refuses end() from inside the handler', () => {
    const framer = new MessageFramer({ onMessage: () => framer.end() })
    expect(() => framer.push(stream)).toThrow(TypeError)
  })
})

describe('MessageFramer after a fault', () => {
  it('throws the same error until reset', () => {
    const seen: number[] = []
    const framer = new MessageFramer({ onMessage: (bytes) => void seen.push(bytes.length) })
    const error = thrown(() => framer.push(concat(message(1), claim(0, 0xffffffff), message(2))))
    expect(place(error)).toBe('ERR_DBUS_BODY_LENGTH at 4')
    expect(thrown(() => framer.push(message(3)))).toBe(error)
    expect(thrown(() => framer.push(new Uint8Array(0)))).toBe(error)
    expect(thrown(() => framer.end())).toBe(error)
    expect([seen, framer.pending]).toEqual([[17], 0])
    framer.reset()
    framer.push(message(4))
    framer.end()
    expect(seen).toEqual([17, 20])
  })

  it('reports an end inside a message with the number of bytes that came, then stays ended', () => {
    for (let length = 1; length < 24; length++) {
      const framer = new MessageFramer({ onMessage: () => {} })
      framer.push(concat(message(1), message(8).subarray(0, length)))
      const error = thrown(() => framer.end())
      expect(place(error)).toBe(`ERR_DBUS_INCOMPLETE at ${length}`)
      expect(thrown(() => framer.push(message(1)))).toBe(error)
    }
  })

  it('refuses a claim over maxMessageLength before the message came', () => {
    const options = { maxMessageLength: 1000 }
    expect(outcome([claim(0, 984)], options)).toEqual({ messages: [], error: undefined, pending: 16 })
    expect(outcome([claim(0, 985)], options)).toEqual({ messages: [], error: 'ERR_DBUS_MESSAGE_LENGTH at 4', pending: 0 })
  })

  it('refuses wrong use at once', () => {
    const onMessage = () => {}
    for (const maxMessageLength of [0, 15, 16.5, Number.NaN, MAX + 1, '64' as unknown as number]) {
      expect(() => new MessageFramer({ onMessage, maxMessageLength })).toThrow(TypeError)
    }
    expect(() => new MessageFramer({} as MessageFramerOptions)).toThrow(TypeError)
    expect(() => new MessageFramer(undefined as unknown as MessageFramerOptions)).toThrow(TypeError)
    expect(() => new MessageFramer({ onMessage, countFds: 1 as never })).toThrow(TypeError)
    const framer = new MessageFramer({ onMessage })
    for (const chunk of ['l', undefined, null, [0x6c], new ArrayBuffer(16), new Uint16Array(8)]) {
      expect(() => framer.push(chunk as never)).toThrow(TypeError)
    }
  })

  it('takes a Uint8Array of another realm', () => {
    const chunk = runInNewContext('Uint8Array.of(108,1,0,1,0,0,0,0,1,0,0,0,0,0,0,0)') as Uint8Array
    expect(outcome([chunk]).messages.length).toBe(1)
  })
})

describe('MessageFramer and descriptors', () => {
  // In these messages the first body byte says how many descriptors they own.
  const countFds = (bytes: Uint8Array) => bytes[16]
  type Seen = [number, unknown[] | undefined]

  function collect(options: Partial<MessageFramerOptions> = {}): [MessageFramer, Seen[]] {
    const seen: Seen[] = []
    return [new MessageFramer({ onMessage: (bytes, fds) => void seen.push([bytes[16], fds]), ...options }), seen]
  }

  it('gives all that came to the next message that is whole', () => {
    const [framer, seen] = collect()
    framer.push(message(1, 0))
    framer.push(message(1, 1).subarray(0, 5), ['a'])
    framer.push(concat(message(1, 1).subarray(5), message(1, 2)), ['b', 'c'])
    framer.push(new Uint8Array(0), ['d'])
    framer.push(message(1, 3))
    expect(seen).toEqual([[0, undefined], [1, ['a', 'b', 'c']], [2, undefined], [3, ['d']]])
  })

  it('gives each message as many as it counts, at every split', () => {
    const stream = concat(message(1, 2), message(1, 0), message(1, 1), message(1, 3))
    for (let at = 0; at <= stream.length; at++) {
      const [framer, seen] = collect({ countFds })
      framer.push(stream.subarray(0, at), ['a', 'b', 'c'])
      framer.push(stream.subarray(at), ['d', 'e', 'f'])
      expect(seen.map(([, fds]) => fds)).toEqual(at === stream.length
        ? [['a', 'b'], undefined, ['c'], []] : [['a', 'b'], undefined, ['c'], ['d', 'e', 'f']])
    }
  })

  it('gives a message that counts more than came what there is, so that decoding refuses it', () => {
    const [framer, seen] = collect({ countFds })
    framer.push(message(1, 2), ['a'])
    framer.push(message(1, 2))
    expect(seen).toEqual([[2, ['a']], [2, []]])
  })

  it('gives back those not handed out: in the error, or by reset()', () => {
    const [framer] = collect({ countFds })
    const error = thrown(() => framer.push(concat(message(1, 1), claim(0, 0xffffffff)), ['a', 'b', 'c']))
    expect((error as DBusCodecError).fds).toEqual(['b', 'c'])
    expect(framer.reset()).toEqual([])
    framer.push(message(1, 1).subarray(0, 9), ['d'])
    expect((thrown(() => framer.end()) as DBusCodecError).fds).toEqual(['d'])
    framer.reset()
    framer.push(message(1, 0), ['e'])
    expect(framer.reset()).toEqual(['e'])
    expect((thrown(() => framer.push(claim(0, 0xffffffff))) as DBusCodecError).fds).toBeUndefined()
  })

  it('gives back those of chunks that still waited', () => {
    const framer = new MessageFramer({
      onMessage: () => {
        framer.push(claim(0, 0xffffffff), ['b'])
        framer.push(message(1), ['c'])
      },
      countFds: () => 0,
    })
    expect((thrown(() => framer.push(message(1), ['a'])) as DBusCodecError).fds).toEqual(['a', 'b', 'c'])
  })

  it('stops at a message whose descriptors cannot be counted, and keeps all of them for reset()', () => {
    const fault = new Error('malformed')
    const [framer, seen] = collect({
      countFds: () => {
        throw fault
      },
    })
    expect(thrown(() => framer.push(message(1), ['a']))).toBe(fault)
    expect(thrown(() => framer.push(message(1)))).toBe(fault)
    expect(framer.reset()).toEqual(['a'])
    expect(seen).toEqual([])
  })
})
