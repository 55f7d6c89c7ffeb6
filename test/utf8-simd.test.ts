// UTF-8 that is looked at in blocks: each way to be ill-formed at each place of a block, and round the ends of texts, blocks and the
// window, against the reference's byte after byte.
import { describe, expect, test } from 'vitest'
import { createCodec, isDBusCodecError } from '../js/index.ts'
import { ENGINES } from './engines.ts'
import { chooseSeed, type Source, seededSource } from './generate.ts'
import { bodyStart, signalOf, textOf } from './messages.ts'
import type { ByteOrder } from './reference/index.ts'
import { findUtf8Fault } from './reference/utf8.ts'

const LIGHT = process.env.DBUS_CODEC_TEST_LIGHT === '1'
const ORDERS: readonly ByteOrder[] = ['little', 'big']

const FILLERS = ['a', 'é', '日', '😀', 'aé日😀', 'plain ASCII, and é'].map((piece) => Buffer.from(piece))

// Both sides of every boundary that table 3-7 of Unicode has; what is cut off by the text's end comes from the same list.
const CASES = [
  ...['00', '01', '7f', '80', 'bf', '8080', 'bfbfbf', '80808080'],
  ...['c080', 'c1bf', 'c280', 'dfbf', 'c2', 'df', 'c27f', 'c2c0', 'dfff', 'c28080'],
  ...['e08080', 'e09fbf', 'e0a080', 'e0bfbf', 'e18080', 'ecbfbf', 'ed8080', 'ed9fbf', 'eda080', 'edbfbf', 'ee8080', 'efbfbf'],
  ...['e0', 'e0a0', 'e0c080', 'e07f80', 'e1807f', 'e180c0', 'e1', 'ed80', 'ef', 'efbf', 'e1808080'],
  ...['f0808080', 'f08fbfbf', 'f0908080', 'f0bfbfbf', 'f1808080', 'f3bfbfbf', 'f4808080', 'f48fbfbf', 'f4908080', 'f4bfbfbf'],
  ...['f0', 'f090', 'f09080', 'f0907f80', 'f09080c0', 'f0908001', 'f180c080', 'f4', 'f48fbf', 'f08f', 'f490', 'f090808080'],
  ...['f5808080', 'f58fbfbf', 'f7bfbfbf', 'f888808080', 'fc8480808080', 'fe', 'ff', 'ffffffff', 'f5', 'eda0bdedb880', 'efbbbf'],
].map((hex) => Buffer.from(hex, 'hex'))

/** `length` bytes of that, well-formed, with ASCII where a character would be cut. */
function filled(filler: Uint8Array, length: number): Buffer {
  const bytes = Buffer.alloc(length, filler)
  for (let i = length - 1; i >= 0 && findUtf8Fault(bytes, 0, length) >= 0; i--) bytes[i] = 0x7a
  return bytes
}

describe.each(ENGINES)('engine %s', (engine) => {
  const codec = createCodec({ engine })
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

  /** What is said of a text other than what the reference says; '' when all is the same. */
  function difference(text: Uint8Array, byteOrder: ByteOrder = 'little'): string {
    const message = signalOf('s', textOf(text, byteOrder), { byteOrder })
    const fault = findUtf8Fault(text, 0, text.length)
    const expected = fault < 0 ? '' : `ERR_DBUS_UTF8 ${bodyStart(message) + 4 + fault}`
    const verdict = codec.validate(message)
    const said = verdict.valid ? '' : `${verdict.error.code} ${verdict.error.offset}`
    let read = ''
    try {
      const [value] = codec.decode(message).body
      if (fault < 0 && value !== decoder.decode(text)) read = 'another text'
    } catch (error) {
      if (!isDBusCodecError(error)) throw error
      read = `${error.code} ${error.offset}`
    }
    if (said === expected && read === expected) return ''
    const hex = Buffer.from(text).toString('hex').slice(0, 300)
    return `${byteOrder} ${text.length} ${hex}: validate '${said}', decode '${read}', not '${expected}'`
  }

  const fillings = FILLERS.map((filler) => Array.from({ length: 101 }, (_, length) => filled(filler, length)))

  test.each(CASES.map((bytes) => [bytes.toString('hex'), bytes] as const))('%s, wherever it is', (_, bytes) => {
    const found: string[] = []
    fillings.forEach((before, kind) => {
      const after = fillings[(kind + 1) % fillings.length]
      const own = fillings[kind]
      for (let at = 0; at <= 40; at += LIGHT ? 5 : 1) {
        const start = Buffer.concat([before[at], bytes])
        found.push(difference(start))
        const rest = (at + kind) & 1 ? after[1 + (at % 31)] : own[100 - start.length]
        found.push(difference(Buffer.concat([start, rest])))
      }
    })
    expect(found.filter((one) => one !== '')).toEqual([])
  })

  test('in texts that were seen before', () => {
    for (const bytes of CASES) {
      const text = Buffer.concat([fillings[4][20], bytes, fillings[2][18]])
      for (let round = 0; round < 4; round++) expect(difference(text)).toBe('')
    }
  })

  // What stands before a text is not of the text: a length that looks like the start of a sequence of four bytes.
  test('after a length that looks like text', () => {
    for (const byteOrder of ORDERS) {
      for (let length = 190; length <= 260; length++) {
        for (const start of ['c280', 'c28080', 'c2808080', 'c3a9c3a9', 'e1808080', 'e28080', '80', 'f0908080']) {
          const bytes = Buffer.from(start, 'hex')
          expect(difference(Buffer.concat([bytes, filled(FILLERS[0], length - bytes.length)]), byteOrder)).toBe('')
          expect(difference(Buffer.concat([bytes, filled(FILLERS[1], length - bytes.length)]), byteOrder)).toBe('')
        }
      }
    }
  })

  test('round blocks, steps and the end of long texts', () => {
    const sizes = LIGHT ? [1000] : [127, 1000, 4099, 9001]
    for (const size of sizes) {
      FILLERS.forEach((filler, kind) => {
        const good = filled(filler, size)
        expect(difference(good)).toBe('')
        for (const bytes of CASES) {
          for (const at of [size >> 1, (size >> 1) + 7 + kind, size - 70, size - 33, size - 17, size - 6, size - bytes.length]) {
            const text = Buffer.from(good)
            bytes.copy(text, at)
            expect(difference(text)).toBe('')
          }
        }
      })
    }
  })

  test('round the window of 64 KiB', () => {
    const edges = LIGHT ? [65_536] : [65_536, 131_072]
    for (const edge of edges) {
      FILLERS.slice(1).forEach((filler, kind) => {
        // The body begins somewhere in the first window: the text's byte at its edge is one of these.
        for (let shift = 0; shift < (LIGHT ? 2 : 6); shift++) {
          const good = Buffer.concat([Buffer.alloc(shift, 'x'), filled(filler, edge + 500)])
          expect(difference(good)).toBe('')
          for (let i = 0; i < 12; i++) {
            const bytes = CASES[(i * 7 + shift * 5 + kind * 11 + (edge >> 16)) % CASES.length]
            const text = Buffer.from(good)
            bytes.copy(text, edge - 140 + i * 13 + shift)
            expect(difference(text)).toBe('')
          }
        }
      })
    }
  })

  test('a sequence cut by the window at each of its bytes', () => {
    const start = bodyStart(signalOf('s', textOf(''))) + 4
    for (const bytes of ['c280', 'c28080', 'e18080', 'e1807f', 'f0908080', 'f0908041', 'f0909090c280', '80', 'f4908080']) {
      const cut = Buffer.from(bytes, 'hex')
      for (const filler of [FILLERS[0], FILLERS[3]]) {
        for (let at = 65_536 - start - 12; at <= 65_536 - start + 4; at++) {
          const text = Buffer.concat([filled(filler, at), cut, filled(FILLERS[1], 100)])
          expect(difference(text)).toBe('')
        }
      }
    }
  })

  test('random texts, and random bytes of them changed', () => {
    const source = seededSource(chooseSeed(`UTF-8, ${engine}`))
    const character = (): string => {
      const most = [0x7f, 0x7ff, 0xffff, 0x10ffff][source.below(4)]
      const point = 1 + source.below(most)
      return String.fromCodePoint(point >= 0xd800 && point <= 0xdfff ? 0x20ac : point)
    }
    const change = (text: Buffer, random: Source): void => {
      const at = random.below(text.length)
      text[at] = random.below(3) === 0 ? random.below(256) : text[at] ^ (1 << random.below(8))
    }
    for (let run = 0; run < (LIGHT ? 200 : 4000); run++) {
      const characters = Array.from({ length: 1 + source.below(run % 50 === 0 ? 3000 : 40) }, character)
      const text = Buffer.from(characters.join(source.below(4) === 0 ? ' ' : ''))
      const byteOrder = ORDERS[run & 1]
      expect(difference(text, byteOrder)).toBe('')
      for (let i = 0; i < 3; i++) {
        change(text, source)
        expect(difference(text, byteOrder)).toBe('')
      }
    }
  })
})
