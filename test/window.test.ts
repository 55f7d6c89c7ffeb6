// Messages longer than the window of 64 KiB pass through it piece by piece. Whatever lies across the edge of a piece must
// read, and fail, as it does in a small message: same code, same place.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createCodec } from '../js/index.ts'
import { ENGINES } from './engines.ts'
import { bodyStart, hexOf, signalOf, textOf, wordOf } from './messages.ts'
import { referenceSwap } from './reference/index.ts'

const WINDOW = 65_536

interface Fragment {
  sig: string
  hex: string
}

// The bodies of the bug reports, good and bad, and some of what they lack.
const REPORTED: Fragment[] = readFileSync(new URL('./vectors/bug-reports.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .flatMap((line) => JSON.parse(line).cases)
  .filter(({ op, body_le }) => (op === 'decode' || op === 'roundtrip') && body_le !== undefined && body_le.length < 500)
  .map(({ sig, body_le }) => ({ sig, hex: body_le }))

const OWN: Fragment[] = [
  { sig: 'yt', hex: '0100000000000000ffffffffffffffff' },
  { sig: 'yt', hex: '0100000000000100ffffffffffffffff' },
  { sig: 'ab', hex: '0c000000010000000000000001000000' },
  { sig: 'ab', hex: '0c000000010000000000000002000000' },
  { sig: 'ad', hex: '10000000000000000102030405060708090a0b0c0d0e0f10' },
  { sig: 'ad', hex: '10000000000001000102030405060708090a0b0c0d0e0f10' },
  { sig: 'o', hex: '080000002f612f622f632f6400' },
  { sig: 'o', hex: '080000002f612f622f632f2f00' },
  { sig: 'o', hex: '080000002f612f622f632f6401' },
  { sig: 'g', hex: '0a61287375617b7376 7d2900'.replace(' ', '') },
  { sig: 'g', hex: '0a61287375617b7376 297d00'.replace(' ', '') },
  { sig: 'g', hex: '0a61287375617b7376 7d2901'.replace(' ', '') },
  { sig: 'v', hex: '0a61287375617b73767d290000000000' },
  { sig: 'v', hex: '0a61287375617b73767d290100000000' },
  { sig: 'a{yv}', hex: '1000000000000000010175000200000002017500030000 00'.replace(' ', '') },
  { sig: 'a(ss)', hex: '14000000000000000100000061000000010000006200000001000000' },
  { sig: 's', hex: '0c000000f09f9880e282acc3a961626300' },
  { sig: 's', hex: '0c000000f09f9880e282acc3a961620000' },
  { sig: 's', hex: '0c000000f09f9880e282acc3e961626300' },
]

/** What comes before a fragment; its length is a multiple of 8, so that the fragment's alignment is the same. */
const FILLERS: [what: string, signature: string, make: (length: number) => Buffer][] = [
  ['a long string', 's', (length) => textOf('x'.repeat(length - 5))],
  [
    'many strings',
    'asu',
    (length) => Buffer.concat([wordOf(length - 8), Buffer.alloc(length - 8, '0300000061626300', 'hex'), wordOf(1)]),
  ],
  [
    'many variants',
    'avu',
    (length) => Buffer.concat([wordOf(length - 8), Buffer.alloc(length - 8, '0175000001000000', 'hex'), wordOf(1)]),
  ],
  ['bytes', 'ayy', (length) => Buffer.concat([wordOf(length - 5), Buffer.alloc(length - 4, 1)])],
]

describe.each(ENGINES)('engine %s', (engine) => {
  const codec = createCodec({ engine })

  function verdictOf(bytes: Uint8Array): string {
    const verdict = codec.validate(bytes)
    return verdict.valid ? 'valid' : `${verdict.error.code} at ${verdict.error.offset}`
  }

  /** The verdict on a message whose body was moved by so many bytes from `start` on. */
  function moved(verdict: string, start: number, by: number): string {
    return verdict.replace(/\d+$/, (offset) => String(Number(offset) + (Number(offset) < start ? 0 : by)))
  }

  describe.each(FILLERS)('after %s', (_, filler, make) => {
    test('a body reads and fails at the edge of a piece as it does in a small message', () => {
      const wrong: string[] = []
      for (const { sig, hex } of [...REPORTED, ...OWN]) {
        const body = Buffer.from(hex, 'hex')
        const messageOf = (length: number) => signalOf(`${filler}${sig}`, Buffer.concat([make(length), body]))
        const small = messageOf(16)
        const expected = verdictOf(small)
        const start = bodyStart(small)
        for (let at = WINDOW - body.length - 24; at <= WINDOW + 24; at += 8) {
          const length = Math.ceil((at - start) / 8) * 8
          const large = messageOf(length)
          const verdict = verdictOf(large)
          const there = moved(expected, start, length - 16)
          if (verdict !== there) {
            wrong.push(`${sig} ${hex} at ${start + length}: ${verdict}, not ${there}`)
          } else if (verdict === 'valid' && JSON.stringify(tail(large, filler)) !== JSON.stringify(tail(small, filler))) {
            wrong.push(`${sig} ${hex} at ${start + length}: other values`)
          }
        }
      }
      expect(wrong).toEqual([])
    })
  })

  function tail(bytes: Uint8Array, filler: string): unknown[] {
    const { body } = codec.decode(bytes)
    return body
      .slice(filler === 's' ? 1 : 2)
      .map((value) => JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? `${item}n` : item)))
  }

  test.each(['é', '€', '😀', '\u{10ffff}'])('a string reads with %s at every place about an edge', (character) => {
    for (const edge of [WINDOW, 2 * WINDOW]) {
      for (let before = edge - 120; before < edge + 8; before++) {
        const text = `${'x'.repeat(before)}${character}${'y'.repeat(100)}`
        expect(codec.decode(signalOf('s', textOf(text))).body[0] === text).toBe(true)
      }
    }
  })

  test.each([
    ['a stray continuation', '80'],
    ['an overlong NUL', 'c080'],
    ['a surrogate', 'eda080'],
    ['a code point over U+10FFFF', 'f4908080'],
    ['a sequence that breaks off', 'f09f98'],
    ['a NUL', '00'],
  ])('a string fails at %s, wherever the edge is', (_, hex) => {
    const fault = Buffer.from(hex, 'hex')
    const start = bodyStart(signalOf('s', textOf('')))
    for (const edge of [WINDOW, 2 * WINDOW]) {
      for (let before = edge - 120; before < edge + 8; before++) {
        for (const after of ['y'.repeat(100), '']) {
          const filler = Buffer.from(`${before % 2 === 1 ? 'x' : ''}${'é'.repeat(before / 2)}`)
          const bytes = signalOf('s', textOf(Buffer.concat([filler, fault, Buffer.from(after)])))
          expect(verdictOf(bytes)).toBe(`ERR_DBUS_UTF8 at ${start + 4 + before}`)
        }
      }
    }
  })

  test('an object path fails at its first wrong character, wherever the edge is', () => {
    const start = bodyStart(signalOf('o', textOf('')))
    for (let before = WINDOW - 120; before < WINDOW + 8; before++) {
      const path = `${'/a'.repeat(before / 2)}${before % 2 === 1 ? '/' : ''}-/a`
      expect(verdictOf(signalOf('o', textOf(path)))).toBe(`ERR_DBUS_OBJECT_PATH at ${start + 4 + before}`)
      const valid = path.replace('-', 'b')
      expect(codec.decode(signalOf('o', textOf(valid))).body[0] === valid).toBe(true)
    }
  })

  test('a header longer than the window reads, and fails where it should', () => {
    const content = Buffer.alloc(WINDOW + 1000, 'z')
    for (let shift = 0; shift < 16; shift++) {
      const path = `/${'a'.repeat(WINDOW - 40 + shift * 3)}`
      const bytes = signalOf('say', Buffer.concat([textOf('abc'), wordOf(content.length), content]), { path })
      expect(codec.decode(bytes)).toMatchObject({ path, interface: 'a.b', member: 'M', body: ['abc', new Uint8Array(content)] })
      expect(codec.decodeHeader(bytes)).toMatchObject({ path, interface: 'a.b', member: 'M', signature: 'say' })
      const member = bytes.lastIndexOf(0x4d, bodyStart(bytes))
      const broken = bytes.slice()
      broken[member] = 0x2e
      expect(verdictOf(broken)).toBe(`ERR_DBUS_MEMBER at ${member}`)
    }
  })

  test('a cut is found by the length, wherever it is', () => {
    const bytes = signalOf('as', Buffer.concat([wordOf(160_000), Buffer.alloc(160_000, '0300000061626300', 'hex')]))
    for (const length of [16, 100, WINDOW - 1, WINDOW, WINDOW + 1, 2 * WINDOW, bytes.length - 1]) {
      expect(verdictOf(bytes.subarray(0, length))).toBe(`ERR_DBUS_INCOMPLETE at ${length}`)
    }
    expect(verdictOf(new Uint8Array([...bytes, 0]))).toBe(`ERR_DBUS_TRAILING_BYTES at ${bytes.length}`)
  })

  test('a message longer than the window swaps as a short one does', () => {
    for (const [, signature, make] of FILLERS) {
      for (const length of [WINDOW - 200, WINDOW - 104, WINDOW - 96, WINDOW, 3 * WINDOW + 8]) {
        const body = Buffer.concat([make(length), Buffer.from('0500000000000000060000000000000007000000', 'hex')])
        const bytes = signalOf(`${signature}tuu`, Buffer.concat([body]).subarray(0, length + 16))
        expect(codec.validate(bytes)).toEqual({ valid: true })
        const swapped = codec.swap(bytes)
        expect(Buffer.compare(swapped, referenceSwap(bytes))).toBe(0)
        expect(hexOf(codec.swap(swapped)) === hexOf(bytes)).toBe(true)
      }
    }
  })
})
