// Messages longer than any piece in which they may be looked at (64 KiB), with every type across the edge of a piece.
import { type GeneratedMessage, generateBody, type Source, seededSource } from '../generate.ts'
import { type HeaderInput, type Neutral, referenceEncode } from '../reference/index.ts'

const HEADER: HeaderInput = { type: 4, serial: 1, path: '/a', interface: 'a.b', member: 'M' }
const EDGE = 65536

type Filler = (length: number) => Neutral
// What comes before the edge: bytes that may be passed over, text that is looked at, many small values.
const FILLERS: readonly (readonly [signature: string, make: Filler])[] = [
  ['ay', (length) => ['ay', '5a'.repeat(length)]],
  ['s', (length) => ['s', 'é'.repeat(length >> 1) + 'x'.repeat(length & 1)]],
  ['as', (length) => ['a', 's', Array.from({ length: length >> 6 }, (_, i) => ['s', 'x'.repeat(48 + (i % 12))] as Neutral)]],
  ['ab', (length) => ['a', 'b', Array.from({ length: length >> 2 }, (_, i) => ['b', i % 3 === 0] as Neutral)]],
  [
    'a(yv)',
    (length) => [
      'a',
      '(yv)',
      Array.from(
        { length: length >> 3 },
        () =>
          [
            '(',
            [
              ['y', 1],
              ['v', 'y', ['y', 2]],
            ],
          ] as Neutral,
      ),
    ],
  ],
]

/** Bodies of a filler, values of random types on the edge, and a filler again; each whole, then with changes round the edge. */
export function* acrossTheEdge(count: number, seed: number): Generator<Uint8Array> {
  const source = seededSource(seed)
  for (let i = 0; i < count; i++) {
    const { bytes, from, to } = onTheEdge(source, i)
    yield bytes
    for (let n = 0; n < 12; n++) yield changedWithin(source, bytes, from, to)
    const cut = bytes.slice(0, from + source.below(to - from))
    new DataView(cut.buffer).setUint32(4, cut.length - bodyStart(cut), cut[0] === 0x6c)
    yield cut
  }
}

function onTheEdge(source: Source, i: number) {
  const byteOrder: GeneratedMessage['byteOrder'] = i % 2 === 0 ? 'little' : 'big'
  const [signature, make] = FILLERS[i % FILLERS.length]
  const middle = generateBody(source)
  if (middle.signature.length > 200) middle.signature = 'y'
  const values = middle.signature === 'y' ? [['y', 1] as Neutral] : middle.body
  const after = FILLERS[source.below(2)]
  const tail = after[1](source.below(3) * 30_000 + source.below(50))
  const types = signature + middle.signature + after[0]
  const encode = (length: number) => referenceEncode(HEADER, types, [make(length), ...values, tail], { byteOrder })
  // The middle begins so that the edge falls into it or right beside it.
  const before = referenceEncode(HEADER, types, [make(0), ...values, tail], { byteOrder }).length
  const tailLength = referenceEncode(HEADER, after[0], [tail], { byteOrder }).length
  const size = Math.max(before - tailLength, 8)
  const bytes = encode(EDGE - 140 - source.below(Math.min(size, 400) + 16))
  return { bytes, from: Math.min(EDGE - 80, bytes.length - 80), to: Math.min(EDGE + 80, bytes.length) }
}

function changedWithin(source: Source, bytes: Uint8Array, from: number, to: number): Uint8Array {
  const changed = bytes.slice()
  const at = from + source.below(to - from)
  changed[at] = source.below(2) === 0 ? source.below(256) : changed[at] ^ (1 << source.below(8))
  return changed
}

function bodyStart(bytes: Uint8Array): number {
  return Math.ceil((16 + new DataView(bytes.buffer).getUint32(12, bytes[0] === 0x6c)) / 8) * 8
}
