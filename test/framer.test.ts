import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DBusCodecError } from '../js/errors.ts'
import { MessageFramer, type MessageFramerOptions } from '../js/framer.ts'
import {
  bytesOf,
  claim,
  concat,
  cut,
  expected,
  MAX,
  message,
  outcome,
  place,
  type Report,
  type Stream,
  same,
  textOf,
  thrown,
  vectors,
  watchCopies,
} from './framing.ts'

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
    expect(seen).toEqual([
      [0, undefined],
      [1, ['a', 'b', 'c']],
      [2, undefined],
      [3, ['d']],
    ])
  })

  it('gives each message as many as it counts, at every split', () => {
    const stream = concat(message(1, 2), message(1, 0), message(1, 1), message(1, 3))
    for (let at = 0; at <= stream.length; at++) {
      const [framer, seen] = collect({ countFds })
      framer.push(stream.subarray(0, at), ['a', 'b', 'c'])
      framer.push(stream.subarray(at), ['d', 'e', 'f'])
      expect(seen.map(([, fds]) => fds)).toEqual(
        at === stream.length ? [['a', 'b'], undefined, ['c'], []] : [['a', 'b'], undefined, ['c'], ['d', 'e', 'f']],
      )
    }
  })

  it('gives a message that counts more than came what there is, so that decoding refuses it', () => {
    const [framer, seen] = collect({ countFds })
    framer.push(message(1, 2), ['a'])
    framer.push(message(1, 2))
    expect(seen).toEqual([
      [2, ['a']],
      [2, []],
    ])
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
