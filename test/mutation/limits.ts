// Inputs at the edge of every limit, and headers that have or lack every field.
import { createCodec, Variant } from '../../js/index.ts'
import { HEADER_VALUES, MAX_MESSAGE_LENGTH, PLAN_CAPACITY } from '../../js/wire.ts'
import { EDGES } from '../differential/bytes.ts'
import { signatureNumber, variantsOf } from '../hostile-messages.ts'
import { signalOf, textOf, wordOf } from '../messages.ts'
import { type Neutral, referenceEncode } from '../reference/index.ts'
import { ENGINE, HEADER, hex, type Item, reading, refusing, told, writing } from './items.ts'

const nested = (levels: number): Variant =>
  levels === 0 ? new Variant('y', 1 as never) : new Variant('v', nested(levels - 1) as never)

export function* headers(): Generator<Item> {
  const known = {
    path: '/a',
    interface: 'a.b',
    member: 'M',
    errorName: 'a.b',
    replySerial: 7,
    destination: ':1.2',
    sender: 'a.b',
    unixFds: 0,
  }
  for (const type of [0, 1, 2, 3, 4, 5, 255]) {
    for (const without of ['', ...Object.keys(known)]) {
      const message = { ...HEADER, ...known, type, ...(without === '' ? {} : { [without]: undefined }) }
      for (const serial of [0, 1, 0xffffffff, 1]) yield refusing('', [], { ...message, serial })
      yield refusing('s', ['x'], message)
    }
  }
  // A header that is kept, and then has a serial of 0.
  for (const serial of [3, 4, 0, 5]) yield refusing('s', ['kept'], { serial, member: 'Kept' })
  for (const field of ['path', 'interface', 'member', 'destination', 'sender', 'errorName']) {
    for (const name of ['\0', 'a\0', '/a\0', 'a.b\0c', `a.${'b'.repeat(60)}\0`]) yield refusing('', [], { [field]: name })
  }
  // A field array that is known, in a message that is wrong all the same.
  for (const path of ['/known', '/knownAsWell']) {
    const good = signalOf('s', textOf('x'), { path })
    for (const [at, value] of [
      [8, 0],
      [8, 1],
      [3, 2],
      [3, 1],
      [1, 0],
      [1, 1],
      [1, 4],
      [2, 255],
      [0, 0x42],
      [4, 9],
      [good.length - 1, 1],
      [12, 1],
    ]) {
      const bytes = good.slice()
      bytes[at] = value
      yield* reading(`${path}, ${value} at ${at}`, good, 3)
      yield* reading(`${path}, ${value} at ${at}`, bytes, 1)
    }
  }
  for (const replySerial of [0, 1, 0xffffffff]) yield refusing('', [], { type: 2, replySerial })
  for (const unixFds of [0, 3]) yield refusing('ah', [[0]], { unixFds })
  for (const field of ['path', 'interface', 'member', 'destination', 'sender', 'errorName']) {
    for (const name of [
      'é',
      'a.é',
      '/é',
      'org.freedesktop.DBus.Local',
      '/org/freedesktop/DBus/Local',
      '/org/freedesktop/DBus/Locals',
      'x'.repeat(300),
      `/${'x'.repeat(300)}`,
    ]) {
      yield refusing('', [], { [field]: name })
    }
  }
  for (const [type, name] of [
    ['s', 'org.freedesktop.DBus.Local'],
    ['o', '/org/freedesktop/DBus/Local'],
    ['s', 'org.freedesktop.DBus.Locam'],
    ['o', '/org/freedesktop/DBus/Locam'],
  ]) {
    for (const field of [1, 2, 3]) {
      const base = Buffer.from(signalOf('', '', { unsigned: true }))
      const fields = Buffer.concat([Buffer.from([field, 1, type.charCodeAt(0), 0]), textOf(name)])
      const others = [1, 2, 3]
        .filter((other) => other !== field)
        .map((other) =>
          Buffer.concat([
            Buffer.from([other, 1, other === 1 ? 0x6f : 0x73, 0]),
            textOf(other === 1 ? '/a' : other === 2 ? 'a.b' : 'M'),
          ]),
        )
      const all = [fields, ...others].reduce(
        (sum, one) => Buffer.concat([sum, Buffer.alloc(-sum.length & 7), one]),
        Buffer.alloc(0),
      )
      base.writeUInt32LE(all.length, 12)
      yield* reading(
        `field ${field}: ${name}`,
        new Uint8Array(Buffer.concat([base.subarray(0, 16), all, Buffer.alloc(-all.length & 7)])),
        3,
      )
    }
  }
  // Fields that cross the window's edge, and values that are wrong there.
  for (const length of [65_400, 65_480, 65_488, 65_496, 65_500, 65_504, 65_508, 65_512, 65_520, 65_600, 131_000]) {
    for (const name of [
      'a.b',
      'a',
      `a.${'b'.repeat(253)}`,
      `a.${'b'.repeat(254)}`,
      'x'.repeat(70_000),
      'org.freedesktop.DBus.Local',
    ]) {
      const signal = Buffer.from(signalOf('', '', { unsigned: true, path: `/${'p'.repeat(length)}` }))
      const sender = Buffer.concat([Buffer.from([7, 1, 0x73, 0]), textOf(name)])
      const fields = signal.subarray(16, 16 + signal.readUInt32LE(12))
      const all = Buffer.concat([fields, Buffer.alloc(-fields.length & 7), sender])
      signal.writeUInt32LE(all.length, 12)
      yield* reading(
        `a sender after a path of ${length}`,
        new Uint8Array(Buffer.concat([signal.subarray(0, 16), all, Buffer.alloc(-all.length & 7)])),
        1,
      )
    }
  }
}

export function* limits(): Generator<Item> {
  for (const word of EDGES) {
    for (const at of [4, 12]) {
      const bytes = signalOf('', Buffer.alloc(0)).slice()
      bytes.set(wordOf(word), at)
      yield* reading(`claim of ${word} at ${at}`, bytes, 1)
    }
  }
  for (const levels of [62, 63, 64, 65]) yield refusing('v', [nested(levels)])
  for (const depth of [31, 32, 33]) {
    yield refusing(`${'a'.repeat(depth)}y`, [[]])
    yield refusing(`${'('.repeat(depth)}y${')'.repeat(depth)}`, [[]])
  }
  for (const length of [254, 255, 256]) {
    yield refusing('y'.repeat(length), Array(length).fill(1))
    yield refusing('g', ['y'.repeat(length)])
    yield refusing('', [], {
      member: 'M'.repeat(length),
      interface: `a.${'b'.repeat(length - 2)}`,
      destination: `:1.${'2'.repeat(length - 3)}`,
    })
  }
  for (const length of [60, 63, 64, 65, 68, 79, 80, 81, 84, 500, 504, 508, 512, 1000]) {
    const message = signalOf('s', textOf('x'.repeat(length)), { path: `/${'p'.repeat(length)}` })
    yield* reading(`text and path of ${length}`, message, 3)
    yield* writing(`text and path of ${length}`, message)
  }
  for (const length of [65_400, 65_440, 65_450, 65_456, 65_457, 65_464, 65_465, 65_528, 65_536, 65_537, 131_072]) {
    for (const type of ['s', 'o']) {
      const content = type === 's' ? 'é'.repeat(length >> 1) : `/${'p'.repeat(length - 1)}`
      yield* reading(`${type} of ${length}`, signalOf(type, textOf(content)), 1)
      yield* writing(`${type} of ${length}`, signalOf(type, textOf(content)))
    }
    yield* reading(
      `au of ${length}`,
      signalOf('au', Buffer.concat([wordOf(length & -4, 'big'), Buffer.alloc(length & -4, 1)]), { byteOrder: 'big' }),
      1,
    )
    yield* reading(
      `ab of ${length}`,
      signalOf('ab', Buffer.concat([wordOf(length & -4), Buffer.alloc((length & -4) - 4), wordOf(2)])),
      1,
    )
  }
  for (const values of [1, 2, 4, 5, 6, 7])
    yield* reading(`${values} values`, signalOf('y'.repeat(values), Buffer.alloc(values)), 1)
  for (const fields of [
    HEADER_VALUES / 2 - 4,
    HEADER_VALUES / 2 - 3,
    HEADER_VALUES / 2 - 2,
    HEADER_VALUES / 2 - 1,
    HEADER_VALUES / 2,
  ]) {
    yield {
      name: `${fields} values in a field`,
      run: () => createCodec({ engine: ENGINE, maxValues: 1 }).validate(withField(fields)).error?.code ?? '',
    }
  }
  // More plans than there is room for, of either kind.
  for (const [count, length] of [
    [PLAN_CAPACITY - 1, 5],
    [PLAN_CAPACITY, 5],
    [PLAN_CAPACITY + 1, 5],
    [64, 250],
    [70, 250],
  ]) {
    const variants = Array.from({ length: count }, (_, i) => {
      const signature = `a${signatureNumber(i, length)}`
      const head = Buffer.concat([Buffer.from([signature.length]), Buffer.from(`${signature}\0`)])
      const padding = -head.length & 3
      return Buffer.concat([head, Buffer.alloc(padding + 4 + (-(head.length + padding + 4) & 7))])
    })
    const message = variantsOf(Buffer.concat(variants))
    yield* reading(`${count} signatures of ${length}`, message, 2)
    yield {
      name: `${count} signatures of ${length}, written`,
      run: ({ full }) => {
        const decoded = full.decode(message)
        return told(() => hex(full.encode(decoded)))
      },
    }
  }
  // Plans that have no room in the table, in one another: a body's, and variants in a struct, with members behind them.
  const empty = (n: number): Neutral => ['v', `a${signatureNumber(n, 5)}`, ['a', signatureNumber(n, 5), []]]
  const full = Array.from({ length: PLAN_CAPACITY }, (_, n) => empty(n))
  const inner: Neutral = ['v', '(vqt)', ['(', [empty(900), ['q', 0x1234], ['t', '81985529216486895']]]]
  const outer: Neutral = ['v', '((vq)iv)', ['(', [['(', [inner, ['q', 0x5678]]], ['i', 0x1234567], empty(901)]]]
  const inArrays: Neutral = [
    'v',
    'aa(vq)',
    ['a', 'a(vq)', [['a', '(vq)', [902, 903].map((n): Neutral => ['(', [empty(n), ['q', n]]])]]],
  ]
  for (const byteOrder of ['little', 'big'] as const) {
    const overfull = referenceEncode(HEADER, 'av', [['a', 'v', [...full, outer, outer, inArrays]]], { byteOrder })
    yield* reading(`signatures in one another, ${byteOrder}-endian`, overfull)
    // After a message that overflows the table it starts anew: the second fills it exactly.
    const filling = referenceEncode(HEADER, 'av', [['a', 'v', full.slice(1)]], { byteOrder })
    const loose = referenceEncode(
      HEADER,
      '(vq)x',
      [
        ['(', [outer, ['q', 0x1234]]],
        ['x', '81985529216486895'],
      ],
      { byteOrder },
    )
    yield {
      name: `a body's signature for which there is no room, ${byteOrder}-endian`,
      run: (codecs) => {
        codecs.full.validate(overfull)
        codecs.full.validate(filling)
        const swapped = told(() => hex(codecs.full.swap(loose)))
        codecs.full.validate(overfull)
        codecs.full.validate(filling)
        return `${swapped} ${codecs.full.validate(byteOrder === 'big' ? loose : withUnknownField(loose)).error?.code}`
      },
    }
  }
  for (const size of [67_108_864, 67_108_865]) {
    yield {
      name: `${size} bytes`,
      run: ({ full }) =>
        told(() => String(full.encodeSegments({ ...HEADER, signature: 'ay', body: [zeros.subarray(0, size)] }).length)),
    }
    yield {
      name: `an array of ${size} bytes`,
      run: ({ full }) =>
        told(() => String(full.encodeSegments({ ...HEADER, signature: 'aay', body: [[zeros.subarray(0, size - 4)]] }).length)),
    }
  }
  yield refusing('', [], { path: `/${'a'.repeat(67_108_870)}` })
  for (const more of [-1, 0, 1]) {
    yield {
      name: `a message of 128 MiB and ${more}`,
      run: ({ full }) => {
        const length = (rest: number) => {
          const body: [Uint8Array, Uint8Array, Uint8Array] = [
            zeros.subarray(0, 67_000_000),
            zeros.subarray(0, 67_000_000),
            zeros.subarray(0, rest),
          ]
          return full.encodeSegments({ ...HEADER, signature: 'ayayay', body }).reduce((sum, piece) => sum + piece.length, 0)
        }
        return told(() => String(length(MAX_MESSAGE_LENGTH - length(0) + more)))
      },
    }
  }
}

const zeros = new Uint8Array(67_108_870)

/** A little-endian message with a last field that nobody knows, whose signature has not been seen. */
function withUnknownField(bytes: Uint8Array): Uint8Array {
  const message = Buffer.from(bytes)
  const end = 16 + message.readUInt32LE(12)
  const head = Buffer.concat([message.subarray(0, end), Buffer.alloc(-end & 7)])
  const signature = `a${signatureNumber(902, 5)}`
  const start = Buffer.concat([head, Buffer.from([200, signature.length]), Buffer.from(`${signature}\0`)])
  const counted = Buffer.concat([start, Buffer.alloc((-start.length & 3) + 4)])
  const whole = Buffer.concat([counted, Buffer.alloc(-counted.length & 7)])
  whole.writeUInt32LE(whole.length - 16, 12)
  return new Uint8Array(Buffer.concat([whole, message.subarray(end + (-end & 7))]))
}

function withField(count: number): Uint8Array {
  const content = Buffer.concat(Array(count).fill(Buffer.from([1, 0x79, 0, 7])))
  const signal = Buffer.from(signalOf('', '', { unsigned: true }))
  const array = Buffer.concat([Buffer.from([200, 2, 0x61, 0x76, 0, 0, 0, 0]), wordOf(content.length), content])
  const fields = Buffer.concat([array, Buffer.alloc(-array.length & 7), signal.subarray(16, 16 + signal.readUInt32LE(12))])
  const head = Buffer.from(signal.subarray(0, 16))
  head.writeUInt32LE(fields.length, 12)
  return new Uint8Array(Buffer.concat([head, fields, Buffer.alloc(-fields.length & 7)]))
}
