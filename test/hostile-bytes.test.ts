// Bytes that are not what they look like: shared, resizable, detached, of another realm or of a class of the caller's own, in and out,
// on both sides of the window's 64 KiB.
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { createCodec, isDBusCodecError, MessageFramer } from '../js/index.ts'
import { ENGINES } from './engines.ts'
import { hexOf } from './messages.ts'
import { Probe, signal, WRONG } from './probe.ts'

type Resizable = ArrayBuffer & { resize(length: number): void }

const resizable = (length: number, most: number) => new ArrayBuffer(length, { maxByteLength: most } as never) as Resizable
const SIZES = [0, 1, 7, 100, 1023, 1024, 5000, 65_000, 66_000, 200_000]

/** The same bytes in every kind of memory. */
function holders(bytes: Uint8Array): [what: string, bytes: Uint8Array][] {
  const put = (buffer: ArrayBufferLike, at: number) => {
    const view = new Uint8Array(buffer, at, bytes.length)
    view.set(bytes)
    return view
  }
  const length = bytes.length + 24
  const tracking = new Uint8Array(resizable(bytes.length, length))
  tracking.set(bytes)
  class Own extends Uint8Array {}
  const foreign = runInNewContext('(n) => [new Uint8Array(n), new Uint8Array(new SharedArrayBuffer(n))]')(
    bytes.length,
  ) as Uint8Array[]
  for (const one of foreign) one.set(bytes)
  return [
    ['a SharedArrayBuffer', put(new SharedArrayBuffer(length), 13)],
    ['a resizable buffer', put(resizable(length, length * 2), 5)],
    ['a resizable buffer, to its end', tracking],
    ['a growable SharedArrayBuffer', put(new SharedArrayBuffer(length, { maxByteLength: length * 2 } as never), 3)],
    ['a Buffer', Buffer.from(bytes)],
    ['a class of its own', Own.from(bytes)],
    ['another realm', foreign[0]],
    ['a SharedArrayBuffer of another realm', foreign[1]],
  ]
}

describe.each(ENGINES)('engine %s', (engine) => {
  const probe = new Probe(engine)
  const { codec } = probe

  const codeOf = (call: () => unknown): string => {
    try {
      call()
    } catch (error) {
      expect(isDBusCodecError(error) || error instanceof TypeError, String(error)).toBe(true)
      return isDBusCodecError(error) ? error.code : 'TypeError'
    } finally {
      probe.check()
    }
    return ''
  }

  test('are written and read wherever they are', () => {
    for (const size of SIZES) {
      const content = Uint8Array.from({ length: size }, (_, i) => i * 7)
      for (const byteOrder of ['little', 'big'] as const) {
        const expected = codec.encode(signal('aysau', [content, 'tail', [1, 2]]), { byteOrder })
        const swapped = codec.swap(expected)
        for (const [what, bytes] of holders(content)) {
          const written = codec.encode(signal('aysau', [bytes, 'tail', [1, 2]]), { byteOrder })
          expect(Buffer.compare(written, expected), what).toBe(0)
        }
        for (const [what, bytes] of holders(expected)) {
          const { body } = codec.decode(bytes)
          expect(Buffer.compare(body[0] as Uint8Array, content), what).toBe(0)
          expect(body.slice(1), what).toEqual(['tail', new Uint32Array([1, 2])])
          expect(codec.validate(bytes), what).toEqual({ valid: true })
          expect(Buffer.compare(codec.swap(bytes), swapped), what).toBe(0)
          expect(codec.decodeHeader(bytes).member, what).toBe('M')
          expect(codec.decode(codec.setHeaderField(bytes, 'sender', ':1.7')).sender, what).toBe(':1.7')
          const framed: Uint8Array[] = []
          new MessageFramer({ onMessage: (message) => framed.push(message) }).push(bytes)
          expect(Buffer.compare(framed[0], expected), what).toBe(0)
        }
      }
    }
  })

  test('are read from where they are, not from where their class says', () => {
    const elsewhere = {
      get: () => {
        throw new Error('asked the caller where the bytes are')
      },
    }
    const viewing = createCodec({ engine, bytes: 'view' })
    for (const size of SIZES) {
      const content = Uint8Array.from({ length: size }, (_, i) => i * 7)
      const expected = codec.encode(signal('ay', [content]))
      const liars = [
        Object.defineProperties(expected.slice(), { buffer: elsewhere, byteOffset: elsewhere, byteLength: elsewhere }),
        // Node's own copy believes it, and would read beyond the end, or what is no more there.
        Object.defineProperty(expected.slice(), 'byteLength', { value: 2 ** 30 }),
        Object.defineProperty(expected.slice(), 'byteLength', { value: 20 }),
        new (class extends Uint8Array {
          override get byteLength(): never {
            return 20 as never
          }
        })(expected) as Uint8Array<ArrayBuffer>,
      ]
      for (const bytes of liars) {
        expect(codec.validate(bytes)).toEqual({ valid: true })
        for (const reader of [codec, viewing]) expect(Buffer.compare(reader.decode(bytes).body[0] as Uint8Array, content)).toBe(0)
        expect(Buffer.compare(codec.swap(bytes), codec.swap(expected))).toBe(0)
      }
    }
  })

  test('take what is written into them, wherever they are', () => {
    for (const text of ['short', 'é'.repeat(3000), 'x'.repeat(70_000)]) {
      const message = signal('say', [text, new Uint8Array(3000).fill(7)])
      const expected = codec.encode(message)
      for (const [what, target] of holders(new Uint8Array(expected.length + 8))) {
        expect(codec.encodeInto(message, target, 8), what).toBe(expected.length)
        expect(Buffer.compare(new Uint8Array(target.subarray(8)), expected), what).toBe(0)
      }
    }
  })

  test('that are written over while they are read make no other message', () => {
    for (const offset of [0, 1, 40, 76, 2000]) {
      for (const type of ['ay', 'au', 'ad']) {
        const buffer = new ArrayBuffer(16_384)
        new Uint8Array(buffer).forEach((_, i, all) => {
          all[i] = i * 5
        })
        const values =
          type === 'ay'
            ? new Uint8Array(buffer, 0, 8000)
            : type === 'au'
              ? new Uint32Array(buffer, 0, 2000)
              : new Float64Array(buffer, 0, 1000)
        for (const byteOrder of ['little', 'big'] as const) {
          const message = () => signal(`s${type}`, ['x', values])
          const expected = hexOf(codec.encode(message(), { byteOrder }))
          const before = new Uint8Array(buffer.slice(0))
          const target = new Uint8Array(buffer)
          // A class may say that they are elsewhere.
          const liar = Object.defineProperty(new Uint8Array(buffer), 'buffer', { value: new ArrayBuffer(1) })
          for (const into of [target, liar]) {
            const length = codec.encodeInto(message(), into, offset, { byteOrder })
            expect(hexOf(target.subarray(offset, offset + length))).toBe(expected)
            target.set(before)
          }
        }
      }
    }
  })

  test('that are detached, or beyond the end of a buffer that shrank, are refused', () => {
    for (const size of [10, 2000, 100_000]) {
      const detached = new Uint8Array(size)
      structuredClone(detached.buffer, { transfer: [detached.buffer] })
      const buffer = resizable(size, size)
      const beyond = new Uint8Array(buffer, size - 5, 5)
      const doubles = new Float64Array(resizable(size - (size % 8), size), 0)
      structuredClone(doubles.buffer, { transfer: [doubles.buffer] })
      buffer.resize(1)
      for (const bytes of [detached, beyond]) {
        expect(probe.outcome('ay', [bytes])).toBe(WRONG)
        expect(probe.outcome('as', [bytes])).toMatch(/detached|ERR_DBUS_VALUE_TYPE/)
        for (const call of ['decode', 'validate', 'decodeHeader', 'swap'] as const) {
          expect(
            codeOf(() => codec[call](bytes)),
            call,
          ).toBe('TypeError')
        }
        expect(codeOf(() => codec.encodeInto(probe.known, bytes))).toBe('TypeError')
        expect(codeOf(() => codec.unmarshal('ay', bytes))).toBe('TypeError')
      }
      expect(probe.outcome('ad', [doubles])).toBe(WRONG)
    }
  })

  test('that a shape detaches while a message is read are missed at once', () => {
    const body = [[['x']], new Uint8Array(100_000).fill(7), new Float64Array(20_000).fill(0.5)]
    for (const skipped of [1, 2]) {
      const signature = skipped === 1 ? 'a(s)ad' : 'a(s)ay'
      const bytes = codec.encode(
        signal(
          signature,
          body.filter((_, i) => i !== skipped),
        ),
      )
      const makeStruct = (members: unknown[]) => {
        structuredClone(bytes.buffer, { transfer: [bytes.buffer as ArrayBuffer] })
        return members
      }
      expect(() => createCodec({ engine, shape: { makeStruct } }).decode(bytes)).toThrow(TypeError)
    }
  })

  test('that are detached or shrink while a message is written are refused, or written as they were', () => {
    const changes: [what: string, make: () => [Uint8Array, () => void]][] = [
      [
        'detach',
        () => {
          const bytes = new Uint8Array(5000)
          return [bytes, () => structuredClone(bytes.buffer, { transfer: [bytes.buffer] })]
        },
      ],
      [
        'shrink',
        () => {
          const buffer = resizable(5000, 5000)
          return [new Uint8Array(buffer), () => buffer.resize(7)]
        },
      ],
      [
        'grow',
        () => {
          const buffer = resizable(5000, 9000)
          return [new Uint8Array(buffer), () => buffer.resize(9000)]
        },
      ],
    ]
    for (const [what, make] of changes) {
      for (const call of ['encode', 'encodeSegments', 'encodeInto'] as const) {
        const [bytes, change] = make()
        const target = new Uint8Array(10_000)
        const later = {
          get k() {
            change()
            return 'x'
          },
        }
        const message = signal('aya{ss}', [bytes, later])
        const code = codeOf(() => {
          const written =
            call === 'encode'
              ? codec.encode(message)
              : call === 'encodeSegments'
                ? Buffer.concat(codec.encodeSegments(message))
                : target.subarray(0, codec.encodeInto(message, target))
          expect(codec.decode(new Uint8Array(written)).body).toEqual([new Uint8Array(5000), { k: 'x' }])
        })
        expect(code, `${what}, ${call}`).toMatch(what === 'grow' ? /^$/ : /^(ERR_DBUS_VALUE_TYPE)?$/)
        if (code !== '') expect(target.some((byte) => byte !== 0)).toBe(false)
      }
    }
  })

  test('whose class says another length are refused', () => {
    class Liar extends Uint8Array {
      override get length(): never {
        return 5000 as never
      }
    }
    const message = codec.encode(probe.known)
    for (const bytes of [Liar.from(message), Object.create(Uint8Array.prototype), new Proxy(message, {})]) {
      for (const call of ['decode', 'validate', 'decodeHeader', 'swap', 'messageLength'] as const) {
        expect(() => codec[call](bytes), call).toThrow('must be a Uint8Array')
      }
    }
    // As values they are as long as they are.
    expect(probe.outcome('ay', [Liar.of(1 as never, 2 as never, 3 as never)])).toEqual([new Uint8Array([1, 2, 3])])
  })

  test('that are no bytes are refused as such', () => {
    for (const value of [
      new DataView(new ArrayBuffer(3)),
      new ArrayBuffer(3),
      'text',
      5,
      null,
      {},
      new Map(),
      new Uint8Array(3).buffer,
    ]) {
      expect(probe.outcome('ay', [value])).toBe(WRONG)
    }
    for (const value of [new Int8Array([-1]), new Uint16Array([256]), new Float32Array([1.5]), new BigInt64Array([1n])]) {
      expect(probe.outcome('ay', [value])).toMatch(/^ERR_DBUS_VALUE_(TYPE|RANGE)$/)
    }
    expect(probe.outcome('ayay', [new Uint8ClampedArray([1, 255]), new Uint16Array([1, 255])])).toEqual([
      new Uint8Array([1, 255]),
      new Uint8Array([1, 255]),
    ])
  })

  test('that someone else writes to while they are read harm nobody', async () => {
    for (const size of [3000, 100_000]) {
      const message = codec.encode(signal('ayasaua{sv}', [new Uint8Array(size), ['a', 'b'], [1, 2, 3], {}]), { byteOrder: 'big' })
      const shared = new Uint8Array(new SharedArrayBuffer(message.length))
      shared.set(message)
      const worker = new Worker(
        `const { workerData: { shared, message } } = require('node:worker_threads')
         let n = 1
         for (;;) {
           n = (Math.imul(n, 1103515245) + 12345) >>> 0
           const at = 16 + (n % (message.length - 16))
           shared[at] = n >>> 8
           shared[at] = message[at]
         }`,
        { eval: true, workerData: { shared, message } },
      )
      await new Promise((online) => worker.once('online', online))
      try {
        for (let i = 0; i < 3000; i++) {
          for (const call of ['swap', 'decode', 'validate'] as const) {
            try {
              const made = codec[call](shared)
              if (call === 'swap') expect(codec.validate(made as Uint8Array).valid).toBe(true)
            } catch (error) {
              expect(isDBusCodecError(error), String(error)).toBe(true)
            }
          }
        }
      } finally {
        await worker.terminate()
      }
      probe.check()
    }
  })

  test('that come as views stay views of what was given', () => {
    const views = createCodec({ engine, bytes: 'view' })
    for (const size of [10, 100_000]) {
      const message = codec.encode(signal('ay', [new Uint8Array(size).fill(3)]))
      for (const [what, bytes] of holders(message)) {
        const view = views.decode(bytes).body[0] as Uint8Array
        expect(view.buffer === bytes.buffer, what).toBe(true)
        expect(view).toHaveLength(size)
        expect(view[size - 1]).toBe(3)
      }
    }
  })
})
