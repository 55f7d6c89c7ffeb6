// Byte streams that a well-behaved peer never sends, each with what the untouched peers make of it (PEERS.md, "measured").

const LITTLE = 0x6c
const BIG = 0x42

type Field = [code: number, signature: string, value: string | number]

function aligned(length: number, boundary: number): number {
  return Math.ceil(length / boundary) * boundary
}

/** A message written by hand, so that every part of it can be wrong. */
export function message(options: {
  type?: number
  serial?: number
  version?: number
  order?: number
  fields?: Field[]
  signature?: string
  body?: Buffer
  bodyLength?: number
  fieldsLength?: number
}): Buffer {
  const { type = 4, serial = 7, version = 1, order = LITTLE, body = Buffer.alloc(0), signature } = options
  const word = (value: number) => {
    const bytes = Buffer.alloc(4)
    if (order === BIG) bytes.writeUInt32BE(value)
    else bytes.writeUInt32LE(value)
    return bytes
  }
  const fields: Field[] = options.fields ?? [
    [1, 'o', '/a'],
    [2, 's', 'org.dbuscodec.Hostile'],
    [3, 's', 'Signal'],
  ]
  if (signature !== undefined) fields.push([8, 'g', signature])
  let array = Buffer.alloc(0)
  for (const [code, fieldSignature, value] of fields) {
    array = Buffer.concat([array, Buffer.alloc(aligned(array.length, 8) - array.length)])
    const start = Buffer.concat([array, Buffer.from([code, 1]), Buffer.from(`${fieldSignature}\0`)])
    if (typeof value === 'number') array = Buffer.concat([start, word(value)])
    else if (fieldSignature === 'g') array = Buffer.concat([start, Buffer.from([value.length]), Buffer.from(`${value}\0`)])
    else array = Buffer.concat([start, word(Buffer.byteLength(value)), Buffer.from(`${value}\0`)])
  }
  return Buffer.concat([
    Buffer.from([order, type, 0, version]),
    word(options.bodyLength ?? body.length),
    word(serial),
    word(options.fieldsLength ?? array.length),
    array,
    Buffer.alloc(aligned(array.length, 8) - array.length),
    body,
  ])
}

const hex = (digits: string) => Buffer.from(digits.replaceAll(' ', ''), 'hex')

/** A variant in a variant in a variant …, `depth` of them, around a byte. */
function nested(depth: number): Buffer {
  return Buffer.concat([Buffer.from('\x01v\0'.repeat(depth - 1)), Buffer.from('\x01y\0\x07')])
}

/** Streams of which no message may come out: name, bytes, what the untouched peers do. */
export const HOSTILE: [name: string, bytes: Buffer, untouched: string][] = [
  [
    'an array of empty structs',
    message({ signature: 'a()', body: hex('08000000 00000000 0000000000000000') }),
    'never ends, memory grows until it is gone',
  ],
  [
    'an array of the unknown type r',
    message({ signature: 'ar', body: hex('08000000 00000000 0000000000000000') }),
    'never ends, memory grows until it is gone',
  ],
  ['a header that claims 200 MiB', message({ bodyLength: 200 << 20, signature: 'ay' }), 'waits and buffers; dbus-native refuses'],
  [
    'a header that claims 1 GiB and more',
    message({ bodyLength: 0x40000100, signature: 'ay' }),
    'the process dies; dbus-native refuses',
  ],
  ['fields of 0xfffffff0 bytes', message({ fieldsLength: 0xfffffff0 }), 'waits for ever; dbus-native refuses'],
  ['a message of 16 bytes', message({ fields: [] }), 'waits for ever; dbus-native delivers it'],
  ['bytes that are no UTF-8', message({ signature: 's', body: hex('02000000 c328 00') }), 'delivers U+FFFD'],
  ['an encoded surrogate', message({ signature: 's', body: hex('03000000 eda080 00') }), 'delivers U+FFFD'],
  ['a NUL inside a string', message({ signature: 's', body: hex('03000000 610062 00') }), 'delivers it'],
  ['a string without its NUL', message({ signature: 's', body: hex('01000000 61 62') }), 'delivers it'],
  [
    'a string past the end',
    message({ signature: 's', body: hex('ff000000 6100') }),
    'delivers a short string; dbus-native refuses',
  ],
  ['bytes past the end', message({ signature: 'ay', body: hex('00001004 6100') }), 'delivers short bytes; dbus-native refuses'],
  ['numbers past the end', message({ signature: 'au', body: hex('00001000 01000000') }), 'the process dies; dbus-native refuses'],
  ['a boolean of 2', message({ signature: 'b', body: hex('02000000') }), 'delivers true'],
  ['a bad object path', message({ signature: 'o', body: hex('02000000 612f 00') }), 'delivers it'],
  ['padding that is not zero', message({ signature: 'yu', body: hex('01 ffffff 02000000') }), 'delivers it'],
  ['bytes behind the last value', message({ signature: 'y', body: hex('01 02') }), 'delivers it'],
  ['a body without a signature', message({ body: hex('01') }), 'delivers it'],
  ['a serial of 0', message({ serial: 0 }), 'delivers it'],
  ['protocol version 2', message({ version: 2 }), 'delivers it; dbus-native refuses'],
  ['a byte order of x', message({ order: 0x78 }), 'delivers or waits; dbus-native refuses'],
  [
    'a path that is a string',
    message({
      fields: [
        [1, 's', '/a'],
        [2, 's', 'a.b'],
        [3, 's', 'C'],
      ],
    }),
    'delivers it',
  ],
  ['a thousand variants in each other', message({ signature: 'v', body: nested(1000) }), 'delivers it'],
  [
    'a hundred thousand variants in each other',
    message({ signature: 'v', body: nested(100_000) }),
    'the process dies; dbus-native refuses',
  ],
  ['garbage', Buffer.alloc(4096, 0xa5), 'the process dies; dbus-native refuses'],
]

const good = message({ signature: 'su', body: hex('04000000 676f6f64 00 000000 07000000') })

/** The end of a stream: a program that reads this far stops. */
export const LAST = message({
  fields: [
    [1, 'o', '/a'],
    [2, 's', 'a.b'],
    [3, 's', 'Last'],
  ],
})

/** Streams that are well formed: name, chunks, the bodies that have to come out, canonically. */
export const WELL_FORMED: [name: string, chunks: Buffer[], bodies: string[]][] = [
  ['three messages in one chunk', [Buffer.concat([good, good, good])], ['["good",7]', '["good",7]', '["good",7]']],
  ['a message byte by byte', Array.from(good, (_, i) => good.subarray(i, i + 1)), ['["good",7]']],
  [
    'a big-endian message',
    [message({ order: BIG, signature: 'su', body: hex('00000004 676f6f64 00 000000 00000007') })],
    ['["good",7]'],
  ],
]

/** Both 64-bit types, big-endian: the untouched dbus-next and its fork swap the halves. */
export const BIG_ENDIAN_64 = message({ order: BIG, signature: 'xt', body: hex('fffffffffffffffe 0000000000000005') })
