// What a hostile peer can make the codec spend: counted, never timed. Memory is looked at after a garbage collection. How much work a
// message makes is in work.test.ts.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { idleEngine } from '../js/engine.ts'
import { createCodec, isDBusCodecError, MessageFramer, parseSignature, Variant } from '../js/index.ts'
import { HEADER_VALUES, PAGE_SIZE, TAPE } from '../js/wire.ts'
import { corpusBytes, corpusDirectories, corpusRecords } from './corpus.ts'
import { CountingEngine } from './debug.ts'
import { mutants } from './differential/bytes.ts'
import { everNewTexts, manySignatures } from './differential/caches.ts'
import { ENGINES } from './engines.ts'
import { FAMILIES, signatureNumber } from './hostile-messages.ts'
import { collect, held, leftBy } from './memory.ts'
import { signalOf, textOf, wordOf } from './messages.ts'

const KIB = 1024
const MIB = 1024 * KIB
const KEPT_PAGES = 64

const HEADER = { type: 4, serial: 1, path: '/a', interface: 'a.b', member: 'M' } as const

function codeOf(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    return isDBusCodecError(error) ? error.code : String(error)
  }
  return ''
}

/** So many hostile messages, none of them twice. */
function hostileMessages(count: number, seed: number): Uint8Array[] {
  const recorded = corpusRecords(corpusDirectories()[0], 'hostile')
    .filter(({ hex }) => hex !== undefined)
    .map(corpusBytes)
  const made = [
    ...everNewTexts(count / 4, seed),
    ...manySignatures(count / 100, seed),
    ...FAMILIES.map(({ make }) => make(4000 + seed)),
  ]
  return [...made, ...mutants(recorded, count - made.length, seed)]
}

const rounds = [1, 2, 3, 4].map((seed) => hostileMessages(10_000, seed))

describe.each(ENGINES)('engine %s', (engine) => {
  const codec = createCodec({ engine })

  const decode = (bytes: Uint8Array) => {
    try {
      codec.decode(bytes)
    } catch (error) {
      if (!isDBusCodecError(error)) throw error
    }
  }

  describe('memory', () => {
    test('of an instance that has grown and gone is not kept by codecs that used it once', async () => {
      const texts = Array<string>(200_000).fill('some text of forty bytes, more or less..')
      const idle: unknown[] = []
      const round = () => {
        const other = createCodec({ engine })
        other.encode({ ...HEADER, signature: 's', body: ['x'] })
        other.decode(signalOf('s', textOf('x')))
        idle.push(other)
        codec.encode({ ...HEADER, signature: 'sas', body: ['g'.repeat(5000), texts] })
      }
      expect(await leftBy(round)).toBeLessThan(2 * MIB)
      expect(idle.length).toBeGreaterThan(2)
    })

    test('is after 10 000 hostile messages what it was before', async () => {
      expect(await leftBy((round) => rounds[round].forEach(decode))).toBeLessThan(128 * KIB)
      expect(idleEngine(engine).u8.length).toBeLessThanOrEqual(KEPT_PAGES * PAGE_SIZE)
    })

    test('does not grow with texts, none of them ever said again', async () => {
      const left = await leftBy((round) => {
        for (let i = 0; i < 8000; i++) {
          const text = `${round}/${i}`.padEnd(60, 'x')
          const message = signalOf('ss', Buffer.concat([textOf(text), Buffer.alloc(3), textOf(text)]))
          codec.decode(message)
          codec.decode(message)
        }
      })
      expect(left).toBeLessThan(128 * KIB)
    })

    test('does not grow with signatures, none of them ever used again', async () => {
      const left = await leftBy((round) => {
        for (let i = 0; i < 1500; i++) {
          const signature: string = `a${signatureNumber(i * 4 + round, 30)}`
          const dict: string = `a{s${signature}}`
          const body = [[], new Variant(dict, {})]
          codec.decode(codec.encode({ ...HEADER, signature: `${signature}v` as string, body }))
          codec.unmarshal(dict, codec.marshal(dict, [{}]))
          parseSignature(`aa${signature}`)
        }
      })
      // A table half full is worth more than a megabyte of readers and writers; all of these would be twenty.
      expect(left).toBeLessThan(4 * MIB)
    })

    test('does not grow with headers, none of them ever sent again', async () => {
      const left = await leftBy((round) => {
        for (let i = 0; i < 10_000; i++) {
          const member = `M${round}x${i}`
          const message = codec.encode({ ...HEADER, path: `/${member}`, member, destination: `:${i}.${round}` })
          codec.decode(message)
          codec.decodeHeader(message)
        }
      })
      expect(left).toBeLessThan(128 * KIB)
    })

    test('does not grow with the names of properties, none of them ever used again', async () => {
      const left = await leftBy((round) => {
        for (let i = 0; i < 10_000; i++) {
          codec.decode(codec.encode({ ...HEADER, signature: 'a{su}', body: [{ [`k${round}x${i}`]: 1, [`l${round}x${i}`]: 2 }] }))
        }
      })
      expect(left).toBeLessThan(128 * KIB)
    })

    test('of a large message is let go with it, whoever was the last to see one', async () => {
      const large = FAMILIES[0].make(2 * MIB)
      const codecs = Array.from({ length: 4 }, () => createCodec({ engine }))
      const instances = codecs.map((one) => {
        const instance = new WeakRef(idleEngine(engine))
        expect(one.validate(large).valid).toBe(true)
        return instance
      })
      await collect()
      // Whoever still knows the instance knows it without its memory.
      expect(instances.map((instance) => instance.deref()?.u8)).toEqual(codecs.map(() => undefined))
      expect(idleEngine(engine).u8.length).toBeLessThanOrEqual(KEPT_PAGES * PAGE_SIZE)
    })

    test("holds the caller's arrays and texts no longer than the call", async () => {
      const before = await held()
      codec.encode({ ...HEADER, signature: 'ays', body: [new Uint8Array(8 * MIB), 'x'.repeat(8 * MIB)] })
      codeOf(() => codec.encode({ ...HEADER, signature: 'ayu' as string, body: [new Uint8Array(8 * MIB), 'no number'] }))
      codec.decode(codec.encode({ ...HEADER, signature: 'ay', body: [new Uint8Array(8 * MIB)] }))
      expect((await held()) - before).toBeLessThan(MIB)
    })

    test('of a framer follows what came, not what was claimed', async () => {
      const claim = Buffer.concat([Buffer.from([0x6c, 4, 0, 1]), wordOf(100 * MIB), wordOf(1), wordOf(64), Buffer.alloc(8)])
      const before = await held()
      const framers = Array.from({ length: 500 }, () => new MessageFramer({ onMessage: () => {} }))
      for (const framer of framers) framer.push(claim)
      expect((await held()) - before).toBeLessThan(500 * 4 * KIB)
      expect(framers[0].pending).toBe(24)
    })
  })

  describe('maxValues', () => {
    const cases: [what: string, bytes: Uint8Array, values: number][] = [
      ['numbers', signalOf('uuu', Buffer.alloc(12)), 3],
      ['arrays in an array', signalOf('aay', Buffer.concat([wordOf(16), Buffer.alloc(16)])), 5],
      ['a bulk array, which is one', signalOf('au', Buffer.concat([wordOf(64), Buffer.alloc(64)])), 1],
      ['a struct and its members', signalOf('(yy)', Buffer.alloc(2)), 3],
      ['a variant and what it holds', signalOf('v', Buffer.from([1, 0x79, 0, 7])), 2],
      ['a dict, its entry, key and value', signalOf('a{yy}', Buffer.concat([wordOf(2), Buffer.alloc(6)])), 4],
    ]

    test.each(cases)('lets just so many values pass: %s', (_, bytes, values) => {
      for (let maxValues = 1; maxValues <= values + 1; maxValues++) {
        const code = codeOf(() => createCodec({ engine, maxValues }).decode(bytes))
        expect(code, `maxValues ${maxValues}`).toBe(maxValues < values ? 'ERR_DBUS_TOO_MANY_VALUES' : '')
      }
    })

    test('is 8388608 when nothing else is said', () => {
      const arrays = (count: number) => signalOf('aay', Buffer.concat([wordOf(4 * count), Buffer.alloc(4 * count)]))
      expect(codec.validate(arrays(8388607))).toEqual({ valid: true })
      expect(codec.validate(arrays(8388608)).error).toMatchObject({
        code: 'ERR_DBUS_TOO_MANY_VALUES',
        offset: 80 + 4 + 4 * 8388607,
      })
    })

    test('does not count the fields of the header, which have a limit of their own', () => {
      const withFields = (count: number) => {
        const field = Buffer.from([200, 2, 0x61, 0x76, 0, 0, 0, 0])
        const content = Buffer.concat(Array.from({ length: count }, () => Buffer.from([1, 0x79, 0, 7])))
        const signal = Buffer.from(signalOf('', '', { unsigned: true }))
        const known = signal.subarray(16, 16 + signal.readUInt32LE(12))
        const array = Buffer.concat([field, wordOf(content.length), content])
        const fields = Buffer.concat([array, Buffer.alloc(-array.length & 7), known])
        const head = Buffer.from(signal.subarray(0, 16))
        head.writeUInt32LE(fields.length, 12)
        return new Uint8Array(Buffer.concat([head, fields, Buffer.alloc(-fields.length & 7)]))
      }
      const one = createCodec({ engine, maxValues: 1 })
      expect(one.validate(signalOf('u', Buffer.alloc(4)))).toEqual({ valid: true })
      expect(one.validate(withFields(1))).toEqual({ valid: true })
      // The array, and two values for each variant in it. Known fields that are right are not counted at all.
      const most = Math.floor((HEADER_VALUES - 1) / 2)
      expect(one.validate(withFields(most))).toEqual({ valid: true })
      expect(one.validate(withFields(most + 1)).error?.code).toBe('ERR_DBUS_TOO_MANY_VALUES')
      expect(codec.validate(withFields(most + 1))).toEqual({ valid: true })
    })
  })

  describe('a claim of length', () => {
    const claim = (fields: number, body: number, byteOrder: 'little' | 'big' = 'little') =>
      new Uint8Array(
        Buffer.concat([
          Buffer.from([byteOrder === 'little' ? 0x6c : 0x42, 4, 0, 1]),
          ...[body, 1, fields].map((word) => wordOf(word, byteOrder)),
        ]),
      )
    const small = createCodec({ engine, maxMessageLength: 1000 })

    test.each([
      ['fields over 64 MiB', claim(64 * MIB + 1, 0), 'ERR_DBUS_FIELDS_LENGTH', 12],
      ['fields of 4 GiB', claim(0xffffffff, 0, 'big'), 'ERR_DBUS_FIELDS_LENGTH', 12],
      ['a body over 128 MiB', claim(0, 128 * MIB + 1), 'ERR_DBUS_BODY_LENGTH', 4],
      ['a body of 4 GiB', claim(0, 0xffffffff, 'big'), 'ERR_DBUS_BODY_LENGTH', 4],
      ['a sum over 128 MiB', claim(0, 128 * MIB - 15), 'ERR_DBUS_MESSAGE_LENGTH', 4],
      ['a sum over 128 MiB by padding alone', claim(1, 128 * MIB - 23), 'ERR_DBUS_MESSAGE_LENGTH', 4],
    ])('is refused from the first 16 bytes: %s', (_, bytes, code, offset) => {
      expect(bytes).toHaveLength(16)
      expect(codec.validate(bytes).error).toMatchObject({ code, offset })
      expect(codeOf(() => codec.decode(bytes))).toBe(code)
      expect(codeOf(() => codec.decodeHeader(bytes))).toBe(code)
      expect(codeOf(() => codec.messageLength(bytes))).toBe(code)
      const framer = new MessageFramer({ onMessage: () => {} })
      framer.push(bytes.subarray(0, 15))
      expect(codeOf(() => framer.push(bytes.subarray(15)))).toBe(code)
    })

    test('is believed as far as it goes', () => {
      expect(codec.messageLength(claim(0, 128 * MIB - 16))).toBe(128 * MIB)
      expect(codeOf(() => codec.decode(claim(0, 128 * MIB - 16)))).toBe('ERR_DBUS_INCOMPLETE')
    })

    test('is measured by maxMessageLength, to the byte', () => {
      expect(small.messageLength(claim(0, 984))).toBe(1000)
      expect(codeOf(() => small.messageLength(claim(0, 985)))).toBe('ERR_DBUS_MESSAGE_LENGTH')
      expect(small.validate(claim(0, 984)).error?.code).toBe('ERR_DBUS_INCOMPLETE')
      expect(small.validate(claim(0, 985)).error?.code).toBe('ERR_DBUS_MESSAGE_LENGTH')
      const fits = 1000 - small.encode({ ...HEADER, signature: 'ay', body: [new Uint8Array(0)] }).length
      expect(small.encode({ ...HEADER, signature: 'ay', body: [new Uint8Array(fits)] })).toHaveLength(1000)
      expect(codeOf(() => small.encode({ ...HEADER, signature: 'ay', body: [new Uint8Array(fits + 1)] }))).toBe(
        'ERR_DBUS_MESSAGE_LENGTH',
      )
      expect(codeOf(() => small.unmarshal('ay', new Uint8Array(1001)))).toBe('ERR_DBUS_MESSAGE_LENGTH')
    })
  })

  describe('the texts of one slot', () => {
    afterEach(() => {
      vi.restoreAllMocks()
      vi.resetModules()
    })

    test('stay apart, in one message and from one to the next', async () => {
      const texts = textsOfOneSlot()
      expect(texts.length).toBeGreaterThan(8)
      vi.resetModules()
      vi.spyOn(Math, 'random').mockReturnValue(0)
      const fresh = (await import('../js/index.ts')).createCodec({ engine })
      const orders = [texts, texts.toReversed(), texts.flatMap((text) => [text, text]), [...texts, ...texts]]
      for (let round = 0; round < 3; round++) {
        for (const order of orders) {
          expect(fresh.decode(codec.encode({ ...HEADER, signature: 'as', body: [order] })).body).toEqual([order])
          for (const text of order) {
            const message = codec.encode({ ...HEADER, member: text, signature: 'sa{ss}', body: [text, { [text]: order[0] }] })
            const { member, body } = fresh.decode(message)
            expect([member, body]).toEqual([text, [text, { [text]: order[0] }]])
          }
        }
      }
    })
  })

  describe('keys that were made to collide', () => {
    // Of these, none two of which an engine's Map would keep apart if it hashes numbers as V8 does.
    const colliding = (count: number): number[] => {
      const keys: number[] = []
      for (let key = 0; keys.length < count; key++) if ((hashOf(key) & (count - 1)) === 0) keys.push(key)
      return keys
    }
    const dictOf = (keys: readonly number[]) => {
      const entries = Buffer.alloc(8 * keys.length)
      keys.forEach((key, i) => entries.writeUInt32LE(key, 8 * i))
      return signalOf('a{uy}', Buffer.concat([wordOf(entries.length - 3), Buffer.alloc(4), entries.subarray(0, -3)]))
    }

    test('are refused before they fill a Map', () => {
      const message = dictOf(colliding(2048))
      expect(codec.validate(message)).toEqual({ valid: true })
      expect(() => codec.decode(message)).toThrow("keys that collide in a Map; dict: 'pairs' takes them, at body[0]")
      expect(createCodec({ engine, dict: 'pairs' }).decode(message).body[0]).toHaveLength(2048)
    })

    test('are few enough to be harmless up to 1024', () => {
      expect((codec.decode(dictOf(colliding(1024))).body[0] as Map<number, number>).size).toBe(1024)
    })

    test('are not seen where there are none', () => {
      const count = 200_000
      for (const key of [(i: number) => i, (i: number) => i * 1024, (i: number) => Math.imul(i, 0x9e3779b1) >>> 0]) {
        const message = dictOf(Array.from({ length: count }, (_, i) => key(i)))
        expect((codec.decode(message).body[0] as Map<number, number>).size).toBe(count)
      }
    })
  })
})

/** Thomas Wang's hash, which V8 takes for small integers. */
function hashOf(key: number): number {
  let hash = ~key + (key << 15)
  hash ^= hash >>> 12
  hash += hash << 2
  hash ^= hash >>> 4
  hash = Math.imul(hash, 2057)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Texts that share a slot of the table of interned text when the seed is 0: as many as chance has put into one. */
function textsOfOneSlot(): string[] {
  const counting = new CountingEngine(0)
  const slots = new Map<number, string[]>()
  for (let i = 0; i < 20_000; i++) {
    const text = `M${i}`
    const message = signalOf('s', textOf(text))
    counting.count(message)
    counting.count(message)
    const word = counting.engine.i32[TAPE >> 2]
    if (word >= 0) continue
    const slot = slots.get(word) ?? []
    slots.set(word, slot)
    slot.push(text)
  }
  return [...slots.values()].reduce((most, slot) => (slot.length > most.length ? slot : most), [])
}
