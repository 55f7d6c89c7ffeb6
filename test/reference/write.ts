// Values to wire: specification, "Marshaling (Wire Format)". The writer writes what it is told, valid or not; tests that
// need a broken message hand it one, or change bytes at the places it has marked.
import type { Neutral, NeutralField } from './neutral.ts'
import { alignmentOf, fixedSizeOf, parseTypes, type Type } from './signature.ts'
import { bytesOfText } from './utf8.ts'

export type MarkKind =
  | 'padding'
  | 'boolean'
  | 'length' // of a string, object path or array
  | 'array' // the length of an array whose elements are not bytes
  | 'text' // the bytes of a string
  | 'path' // the characters of an object path
  | 'nul' // the terminator of a string, object path or signature
  | 'signature' // the characters of a signature value
  | 'variant' // the characters of a variant's signature
  | 'signature-length' // of either
  | 'field' // the code byte of a header field

/** Where something stands in the bytes written. */
export interface Mark {
  kind: MarkKind
  offset: number
  size: number
}

export class Writer {
  readonly bytes: number[] = []
  readonly marks: Mark[] = []
  readonly little: boolean
  readonly base: number

  constructor(little: boolean, base = 0) {
    this.little = little
    this.base = base
  }

  private mark(kind: MarkKind, offset: number, size: number): void {
    this.marks.push({ kind, offset, size })
  }

  align(alignment: number): void {
    const start = this.bytes.length
    while ((this.bytes.length + this.base) % alignment !== 0) this.bytes.push(0)
    if (this.bytes.length > start) this.mark('padding', start, this.bytes.length - start)
  }

  /** The low `size` bytes of an integer, aligned to its size. */
  writeInteger(value: bigint, size: number): void {
    this.align(size)
    for (let i = 0; i < size; i++) {
      const place = this.little ? i : size - 1 - i
      this.bytes.push(Number((value >> BigInt(8 * place)) & 0xffn))
    }
  }

  /** Overwrites the four bytes written for a length. */
  patchLength(at: number, value: number): void {
    for (let i = 0; i < 4; i++) {
      const place = this.little ? i : 3 - i
      this.bytes[at + i] = Math.floor(value / 256 ** place) % 256
    }
  }

  writeAll(types: Type[], values: Neutral[]): void {
    if (types.length !== values.length) throw new Error(`${values.length} values for ${types.length} types`)
    for (let i = 0; i < types.length; i++) this.writeValue(types[i], values[i])
  }

  writeValue(type: Type, value: Neutral): void {
    const size = fixedSizeOf(type)
    if (size > 0) {
      this.writeFixed(type, value, size)
    } else if (type.code === 's' || type.code === 'o') {
      this.writeString(type.code === 's' ? 'text' : 'path', value[1] as string)
    } else if (type.code === 'g') {
      this.writeSignature('signature', value[1] as string)
    } else if (type.code === 'v') {
      const [, signature, content] = value as ['v', string, Neutral]
      this.writeSignature('variant', signature)
      this.writeValue(parseTypes(signature)[0], content)
    } else if (type.code === '(') {
      this.align(8)
      this.writeAll(type.members, value[1] as Neutral[])
    } else if (type.code === '{') {
      this.align(8)
      this.writeAll(type.members, value.slice(1) as Neutral[])
    } else {
      this.writeArray(type.members[0], value)
    }
  }

  private writeFixed(type: Type, value: Neutral, size: number): void {
    const [, content] = value
    let number: bigint
    if (type.code === 'd') number = BigInt(`0x${content}`)
    else if (type.code === 'b') number = content ? 1n : 0n
    else number = BigInt(content as string | number)
    this.writeInteger(number, size)
    if (type.code === 'b') this.mark('boolean', this.bytes.length - 4, 4)
  }

  private writeString(kind: 'text' | 'path', text: string): void {
    const bytes = bytesOfText(text)
    this.writeInteger(BigInt(bytes.length), 4)
    this.mark('length', this.bytes.length - 4, 4)
    this.mark(kind, this.bytes.length, bytes.length)
    for (const byte of bytes) this.bytes.push(byte)
    this.mark('nul', this.bytes.length, 1)
    this.bytes.push(0)
  }

  writeSignature(kind: 'signature' | 'variant', signature: string): void {
    this.mark('signature-length', this.bytes.length, 1)
    this.bytes.push(signature.length)
    this.mark(kind, this.bytes.length, signature.length)
    for (const character of signature) this.bytes.push(character.charCodeAt(0))
    this.mark('nul', this.bytes.length, 1)
    this.bytes.push(0)
  }

  private writeArray(element: Type, value: Neutral): void {
    this.align(4)
    const lengthAt = this.bytes.length
    this.bytes.push(0, 0, 0, 0)
    this.mark('length', lengthAt, 4)
    if (element.code !== 'y') this.mark('array', lengthAt, 4)
    this.align(alignmentOf(element))
    const start = this.bytes.length
    if (value[0] === 'ay') {
      for (let i = 0; i < value[1].length; i += 2) this.bytes.push(Number.parseInt(value[1].slice(i, i + 2), 16))
    } else {
      for (const content of value[2] as Neutral[]) this.writeValue(element, content)
    }
    this.patchLength(lengthAt, this.bytes.length - start)
  }

  /** The array of header fields, with its length. */
  writeFields(fields: NeutralField[]): void {
    const lengthAt = this.bytes.length
    this.bytes.push(0, 0, 0, 0)
    this.align(8)
    const start = this.bytes.length
    for (const [code, signature, value] of fields) {
      this.align(8)
      this.mark('field', this.bytes.length, 1)
      this.bytes.push(code)
      this.writeSignature('variant', signature)
      this.writeValue(parseTypes(signature)[0], value)
    }
    this.patchLength(lengthAt, this.bytes.length - start)
  }
}
