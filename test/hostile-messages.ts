// Messages that are made to cost: each family in any size, so that a test can see how cost grows with length.
import { signalOf, textOf, wordOf } from './messages.ts'

export interface Family {
  readonly name: string
  /** A message of about this many bytes. */
  make(bytes: number): Uint8Array
  /** The code when it is not valid. */
  readonly code?: string
}

const repeated = (piece: Uint8Array | readonly number[], times: number): Buffer => {
  const one = Buffer.from(piece)
  return Buffer.alloc(one.length * Math.max(0, Math.floor(times)), one)
}

/** An array of this element type; `pad`: the bytes between its length and its first element. */
const arrayOf = (element: string, content: Uint8Array, pad = 0) =>
  signalOf(`a${element}`, Buffer.concat([wordOf(content.length), Buffer.alloc(pad), content]))

const variantOf = (signature: string, content: Uint8Array | readonly number[]) =>
  Buffer.concat([Buffer.from([signature.length]), Buffer.from(`${signature}\0`), Buffer.from(content)])

/** The n-th of very many signatures of exactly `length` characters: a struct of basic types. */
export function signatureNumber(n: number, length: number): string {
  const types = 'ybnqiuxtdsogh'
  let digits = ''
  for (let rest = n; digits.length < length - 2; rest = Math.floor(rest / types.length)) digits += types[rest % types.length]
  return `(${digits})`
}

/** Variants from an offset that is a multiple of 8 on. */
export const variantsOf = (content: Uint8Array) => signalOf('uav', Buffer.concat([wordOf(0), wordOf(content.length), content]))

/** Variants of an empty array of an element type that is different, and long, in each. */
export function distinctVariants(bytes: number, length: number): Buffer {
  const parts: Buffer[] = []
  for (let at = 0, n = 0; at < bytes; n++) {
    const head = Buffer.concat([Buffer.from([length]), Buffer.from(`a${signatureNumber(n, length - 1)}\0`)])
    const padding = -(at + head.length) & 3
    const lengthEnd = at + head.length + padding + 4
    const part = Buffer.concat([head, Buffer.alloc(padding + 4 + (-lengthEnd & 7))])
    parts.push(part)
    at += part.length
  }
  return Buffer.concat(parts)
}

/** Header fields that no one knows, and then what a signal needs. */
function withUnknownFields(field: Uint8Array, times: number): Uint8Array {
  const signal = Buffer.from(signalOf('', '', { unsigned: true }))
  const fields = Buffer.concat([repeated(field, times), signal.subarray(16, 16 + signal.readUInt32LE(12))])
  const head = Buffer.from(signal.subarray(0, 16))
  head.writeUInt32LE(fields.length, 12)
  return new Uint8Array(Buffer.concat([head, fields, Buffer.alloc(-fields.length & 7)]))
}

export const FAMILIES: readonly Family[] = [
  { name: 'empty arrays of bytes', make: (n) => arrayOf('ay', Buffer.alloc(n & -4)) },
  { name: 'empty arrays of arrays', make: (n) => arrayOf('aai', Buffer.alloc(n & -4)) },
  { name: 'empty dicts', make: (n) => arrayOf('a{sv}', Buffer.alloc((n & -8) + 4)) },
  {
    name: 'structs in structs, 32 deep, round one byte',
    make: (n) => arrayOf(`${'('.repeat(32)}y${')'.repeat(32)}`, Buffer.alloc((n & -8) + 1), 4),
  },
  {
    name: 'structs of 250 bytes',
    make: (n) => arrayOf(`(${'y'.repeat(250)})`, repeated(Buffer.alloc(256), n / 256).subarray(0, -6), 4),
  },
  { name: 'structs of 120 empty arrays', make: (n) => arrayOf(`(${'ay'.repeat(120)})`, repeated(Buffer.alloc(480), n / 480), 4) },
  {
    name: 'variants in variants, 62 deep',
    make: (n) => arrayOf('v', repeated(Buffer.concat([repeated(variantOf('v', []), 62), variantOf('y', [1])]), n / 190)),
  },
  { name: 'variants of one byte', make: (n) => arrayOf('v', repeated(variantOf('y', [1]), n / 4)) },
  { name: 'the same signature of 255 characters', make: (n) => variantsOf(repeated(distinctVariants(1, 255), n / 264)) },
  { name: 'signatures of 255 characters, none twice', make: (n) => variantsOf(distinctVariants(n, 255)) },
  { name: 'signatures of 8 characters, none twice', make: (n) => variantsOf(distinctVariants(n, 8)) },
  {
    name: 'signatures as values',
    make: (n) => arrayOf('g', repeated([255, ...Buffer.from(signatureNumber(7, 255)), 0], n / 257)),
  },
  { name: 'a dict with one key after the other', make: (n) => arrayOf('{uy}', numberedEntries(n), 4) },
  {
    name: 'a dict with the same key',
    make: (n) => arrayOf('{yv}', repeated([1, 1, 0x79, 0, 1, 0, 0, 0], n / 8).subarray(0, -3), 4),
  },
  { name: 'a dict of texts, none twice', make: (n) => arrayOf('{sy}', textEntries(n), 4) },
  { name: 'empty texts', make: (n) => arrayOf('s', repeated([0, 0, 0, 0, 0, 0, 0, 0], n / 8).subarray(0, -3)) },
  { name: 'the same short text', make: (n) => arrayOf('s', repeated(aligned(textOf('Interface')), n / 16).subarray(0, -2)) },
  { name: 'one long text of four-byte characters', make: (n) => signalOf('s', textOf('😀'.repeat(n / 4))) },
  { name: 'one long text of ASCII and others by turns', make: (n) => signalOf('s', textOf('aé'.repeat(n / 3))) },
  {
    name: 'texts of 33 000 bytes, two to a window',
    make: (n) => arrayOf('s', repeated(aligned(textOf('x'.repeat(33_003))), n / 33_008)),
  },
  { name: 'one long path', make: (n) => signalOf('o', textOf(`/${'a/'.repeat(n / 2)}a`)) },
  { name: 'paths, none twice', make: (n) => arrayOf('o', pathsOf(n)) },
  { name: 'booleans', make: (n) => arrayOf('b', repeated([1, 0, 0, 0], n / 4)) },
  {
    name: 'big-endian numbers',
    make: (n) =>
      signalOf('at', Buffer.concat([wordOf(n & -8, 'big'), Buffer.alloc(4), Buffer.alloc(n & -8)]), { byteOrder: 'big' }),
  },
  {
    name: 'arrays of a few big-endian numbers',
    make: (n) =>
      signalOf('aau', Buffer.concat([wordOf(n & -8, 'big'), repeated([0, 0, 0, 4, 0, 0, 0, 1], n / 8)]), { byteOrder: 'big' }),
  },
  { name: 'unknown header fields', make: (n) => withUnknownFields(Buffer.from([200, 1, 0x79, 0, 1, 0, 0, 0]), n / 8) },
  {
    name: 'an unknown header field of empty arrays',
    make: (n) =>
      withUnknownFields(
        Buffer.concat([Buffer.from([200, 3, 0x61, 0x61, 0x79, 0, 0, 0]), wordOf(n & -8), Buffer.alloc((n & -8) + 4)]),
        1,
      ),
  },
  {
    name: 'text that is wrong at its end',
    make: (n) => signalOf('s', textOf(Buffer.concat([repeated([97], n), Buffer.from([255])]))),
    code: 'ERR_DBUS_UTF8',
  },
  {
    name: 'empty arrays, one byte too many',
    make: (n) => arrayOf('ay', Buffer.alloc((n & -4) + 1)),
    code: 'ERR_DBUS_NOT_ENOUGH_DATA',
  },
]

function aligned(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)])
}

function numberedEntries(bytes: number): Buffer {
  const entries = Buffer.alloc(bytes & -8)
  for (let at = 0; at < entries.length; at += 8) entries.writeUInt32LE(at / 8, at)
  return entries.subarray(0, -3)
}

function textEntries(bytes: number): Buffer {
  const entries = Buffer.alloc(bytes & -16)
  for (let at = 0, n = 0; at < entries.length; at += 16, n++) {
    entries.writeUInt32LE(8, at)
    entries.write(n.toString(16).padStart(8, 'k'), at + 4)
  }
  return entries.subarray(0, -2)
}

function pathsOf(bytes: number): Buffer {
  const paths = Buffer.alloc(bytes & -16)
  for (let at = 0, n = 0; at < paths.length; at += 16, n++) {
    paths.writeUInt32LE(8, at)
    paths.write(`/${n.toString(16).padStart(7, 'k')}`, at + 4)
  }
  return paths.subarray(0, -3)
}
