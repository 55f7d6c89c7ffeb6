// Every sequence of up to four bytes at the edges of UTF-8's table, at each distance from a 16-byte boundary.
import { encodeMarked } from '../reference/index.ts'

// Table 3-7 of the Unicode standard: the first and last byte of each range, the byte before and the byte after.
const EDGES = [
  0x00, 0x01, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1,
  0xf3, 0xf4, 0xf5, 0xf8, 0xff,
]
const LONGEST = 80

export function* utf8Messages(): Generator<Uint8Array> {
  const templates = Array.from({ length: LONGEST + 1 }, (_, length) => template(length))
  let turn = 0
  for (let length = 1; length <= 4; length++) {
    for (let number = 0; number < EDGES.length ** length; number++) {
      const before = turn % 35
      const after = (turn * 7) % 37
      turn++
      if (length < 4) yield filled(templates[length], 0, length, number)
      yield filled(templates[before + length + after], before, length, number)
    }
  }
}

function template(length: number) {
  const header = { type: 4, serial: 1, path: '/', interface: 'a.b', member: 'M' }
  const { bytes, marks } = encodeMarked(header, 's', [['s', 'a'.repeat(length)]], {
    byteOrder: length % 2 === 0 ? 'little' : 'big',
  })
  return { bytes, at: marks.findLast((mark) => mark.kind === 'text')!.offset }
}

function filled({ bytes, at }: { bytes: Uint8Array; at: number }, before: number, length: number, number: number): Uint8Array {
  const message = bytes.slice()
  let rest = number
  for (let i = 0; i < length; i++) {
    message[at + before + i] = EDGES[rest % EDGES.length]
    rest = Math.floor(rest / EDGES.length)
  }
  return message
}
