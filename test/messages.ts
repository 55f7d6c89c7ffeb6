// Messages made by hand, so that a test says what its bytes are without asking any codec.
import type { ByteOrder } from './reference/index.ts'

/** The order in which `encode` writes header fields: dbus-daemon's usual one, what frames the body next to it. */
export const WRITTEN_ORDER: readonly number[] = [1, 6, 2, 3, 4, 5, 9, 8, 7]

export interface SignalOptions {
  byteOrder?: ByteOrder
  path?: string
  /** No SIGNATURE field at all. */
  unsigned?: boolean
}

/** A signal from `/a`, `a.b.M`, whose body is these bytes. */
export function signalOf(signature: string, body: Uint8Array | string, options: SignalOptions = {}): Uint8Array {
  const { byteOrder = 'little', path = '/a', unsigned = false } = options
  const content = typeof body === 'string' ? Buffer.from(body, 'hex') : body
  const fields: Buffer[] = []
  const add = (field: Buffer) => {
    const length = fields.reduce((sum, { length }) => sum + length, 0)
    fields.push(Buffer.alloc(-length & 7), field)
  }
  add(Buffer.concat([Buffer.from([1, 1, 0x6f, 0]), textOf(path, byteOrder)]))
  add(Buffer.concat([Buffer.from([2, 1, 0x73, 0]), textOf('a.b', byteOrder)]))
  add(Buffer.concat([Buffer.from([3, 1, 0x73, 0]), textOf('M', byteOrder)]))
  if (!unsigned) add(Buffer.from([8, 1, 0x67, 0, signature.length, ...Buffer.from(`${signature}\0`)]))
  const array = Buffer.concat(fields)
  const fixed = Buffer.from([byteOrder === 'little' ? 0x6c : 0x42, 4, 0, 1])
  const lengths = [content.length, 1, array.length].map((word) => wordOf(word, byteOrder))
  return new Uint8Array(Buffer.concat([fixed, ...lengths, array, Buffer.alloc(-array.length & 7), content]))
}

/** A 32-bit word. */
export function wordOf(value: number, byteOrder: ByteOrder = 'little'): Buffer {
  const word = Buffer.alloc(4)
  if (byteOrder === 'little') word.writeUInt32LE(value)
  else word.writeUInt32BE(value)
  return word
}

/** A string or object path on the wire. */
export function textOf(text: string | Uint8Array, byteOrder: ByteOrder = 'little'): Buffer {
  const bytes = Buffer.from(text as string)
  return Buffer.concat([wordOf(bytes.length, byteOrder), bytes, Buffer.alloc(1)])
}

/** Where the body of a message begins. */
export function bodyStart(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  return 16 + Math.ceil(view.getUint32(12, bytes[0] === 0x6c) / 8) * 8
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
