// The same message in the other byte order: everything written anew, so that padding is zero and lies where it must.
import { encodeMarked } from './encode.ts'
import { readMessage } from './header.ts'

export function swapMessage(bytes: Uint8Array): Uint8Array {
  const { header, body } = readMessage(bytes)
  const byteOrder = header.endian === 'l' ? 'big' : 'little'
  return encodeMarked(header, header.signature, body, { byteOrder, fields: header.fields }).bytes
}
