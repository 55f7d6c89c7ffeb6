// Wire to values: specification, "Marshaling (Wire Format)"; order of checks: VALIDATION section 3.
import { ReferenceFault } from './fault.ts'
import { findObjectPathFault } from './names.ts'
import type { Neutral } from './neutral.ts'
import { alignmentOf, checkSignature, fixedSizeOf, parseTypes, type Type } from './signature.ts'
import { charactersOf, findUtf8Fault, textOf } from './utf8.ts'

const MAX_DEPTH = 64
const MAX_ARRAY_LENGTH = 64 * 1024 * 1024

export interface ReaderOptions {
  little: boolean
  /** Where to begin, and the end of the section (header or body). */
  position?: number
  end?: number
  /** Where byte 0 lies in the message that is aligned: only its remainder by 8 matters. */
  base?: number
  /** Validation 'structure': no check of text, names, padding and booleans. */
  structure?: boolean
  /** false: check only; the values returned mean nothing. */
  keep?: boolean
}

const NOTHING: Neutral = ['y', 0]

export class Reader {
  readonly bytes: Uint8Array
  readonly view: DataView
  readonly little: boolean
  readonly end: number
  readonly base: number
  readonly structure: boolean
  readonly keep: boolean
  position: number

  constructor(bytes: Uint8Array, options: ReaderOptions) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.little = options.little
    this.position = options.position ?? 0
    this.end = options.end ?? bytes.length
    this.base = options.base ?? 0
    this.structure = options.structure ?? false
    this.keep = options.keep ?? true
  }

  /** The values of all types, one after another, inside `depth` containers. */
  readAll(types: Type[], depth: number): Neutral[] {
    if (depth > MAX_DEPTH) throw new ReferenceFault('ERR_DBUS_DEPTH', this.position)
    return types.map((type) => this.readValue(type, depth))
  }

  private readOne(type: Type, depth: number): Neutral {
    if (depth > MAX_DEPTH) throw new ReferenceFault('ERR_DBUS_DEPTH', this.position)
    return this.readValue(type, depth)
  }

  private notEnough(): never {
    throw new ReferenceFault('ERR_DBUS_NOT_ENOUGH_DATA', this.end)
  }

  /** Moves to the next multiple of `alignment`; `size` bytes must be there before the padding is looked at. */
  align(alignment: number, size: number): void {
    let target = this.position
    while ((target + this.base) % alignment !== 0) target++
    if (target + size > this.end) this.notEnough()
    for (; this.position < target; this.position++) {
      if (this.bytes[this.position] !== 0 && !this.structure) {
        throw new ReferenceFault('ERR_DBUS_PADDING', this.position)
      }
    }
  }

  private readValue(type: Type, depth: number): Neutral {
    if (this.position === this.end) this.notEnough()
    switch (type.code) {
      case 's':
      case 'o':
        return this.readString(type.code)
      case 'g':
        return ['g', this.readSignature()]
      case 'v':
        return this.readVariant(depth)
      case 'a':
        return this.readArray(type.members[0], depth)
      case '(':
        this.align(8, 0)
        return ['(', this.readAll(type.members, depth + 1)]
      case '{': {
        this.align(8, 0)
        const [key, value] = this.readAll(type.members, depth + 1)
        return ['{', key, value]
      }
      default: {
        // One byte after the padding suffices for the padding to be judged; then the whole value must be there.
        const size = fixedSizeOf(type)
        this.align(size, 1)
        if (this.position + size > this.end) this.notEnough()
        return this.readFixed(type.code)
      }
    }
  }

  private readFixed(code: string): Neutral {
    const at = this.position
    const { view, little } = this
    switch (code) {
      case 'y':
        this.position += 1
        return ['y', view.getUint8(at)]
      case 'n':
        this.position += 2
        return ['n', view.getInt16(at, little)]
      case 'q':
        this.position += 2
        return ['q', view.getUint16(at, little)]
      case 'i':
        this.position += 4
        return ['i', view.getInt32(at, little)]
      case 'u':
      case 'h':
        this.position += 4
        return [code, view.getUint32(at, little)]
      case 'b': {
        const value = view.getUint32(at, little)
        if (value > 1 && !this.structure) throw new ReferenceFault('ERR_DBUS_BOOLEAN', at)
        this.position += 4
        return ['b', value !== 0]
      }
      case 'x':
        this.position += 8
        return ['x', String(view.getBigInt64(at, little))]
      case 't':
        this.position += 8
        return ['t', String(view.getBigUint64(at, little))]
      case 'd':
        this.position += 8
        return ['d', view.getBigUint64(at, little).toString(16).padStart(16, '0')]
      default:
        throw new Error(`not a fixed-size type: ${code}`)
    }
  }

  private readString(code: 's' | 'o'): Neutral {
    this.align(4, 4)
    const lengthAt = this.position
    const length = this.view.getUint32(lengthAt, this.little)
    const start = lengthAt + 4
    const stop = start + length
    if (stop > this.end) throw new ReferenceFault('ERR_DBUS_LENGTH_OUT_OF_BOUNDS', lengthAt)
    if (!this.structure && code === 's') {
      const fault = findUtf8Fault(this.bytes, start, stop)
      if (fault >= 0) throw new ReferenceFault('ERR_DBUS_UTF8', fault)
    }
    if (!this.structure && code === 'o') {
      const fault = findObjectPathFault(charactersOf(this.bytes.subarray(start, stop)))
      if (fault >= 0) throw new ReferenceFault('ERR_DBUS_OBJECT_PATH', start + fault)
    }
    if (stop === this.end) this.notEnough()
    if (this.bytes[stop] !== 0) throw new ReferenceFault('ERR_DBUS_STRING_NUL', stop)
    this.position = stop + 1
    return [code, this.keep ? textOf(this.bytes.subarray(start, stop)) : '']
  }

  private readSignature(): string {
    const lengthAt = this.position
    const start = lengthAt + 1
    const stop = start + this.bytes[lengthAt]
    if (stop + 1 > this.end) throw new ReferenceFault('ERR_DBUS_SIGNATURE_LENGTH', lengthAt)
    const signature = charactersOf(this.bytes.subarray(start, stop))
    try {
      checkSignature(signature)
    } catch (fault) {
      throw new ReferenceFault((fault as ReferenceFault).code, start + (fault as ReferenceFault).offset)
    }
    if (this.bytes[stop] !== 0) throw new ReferenceFault('ERR_DBUS_SIGNATURE_NUL', stop)
    this.position = stop + 1
    return signature
  }

  private readVariant(depth: number): Neutral {
    const lengthAt = this.position
    const start = lengthAt + 1
    const stop = start + this.bytes[lengthAt]
    if (stop + 1 > this.end) throw new ReferenceFault('ERR_DBUS_VARIANT_SIGNATURE_LENGTH', lengthAt)
    const signature = charactersOf(this.bytes.subarray(start, stop))
    try {
      checkSignature(signature)
    } catch (fault) {
      throw new ReferenceFault('ERR_DBUS_VARIANT_SIGNATURE', start + (fault as ReferenceFault).offset)
    }
    if (this.bytes[stop] !== 0) throw new ReferenceFault('ERR_DBUS_VARIANT_SIGNATURE_NUL', stop)
    if (signature === '') throw new ReferenceFault('ERR_DBUS_VARIANT_EMPTY', lengthAt)
    this.position = stop + 1

    const types = parseTypes(signature)
    this.align(alignmentOf(types[0]), 0)
    const value = this.readOne(types[0], depth + 1)
    if (types.length > 1) {
      throw new ReferenceFault('ERR_DBUS_VARIANT_MULTIPLE', start + types[0].signature.length)
    }
    return ['v', signature, value]
  }

  private readArray(element: Type, depth: number): Neutral {
    this.align(4, 4)
    const lengthAt = this.position
    const length = this.view.getUint32(lengthAt, this.little)
    this.position += 4
    // The padding to the first element is there even when the array is empty, and is not part of its length.
    this.align(alignmentOf(element), 0)
    const stop = this.position + length
    if (stop > this.end) throw new ReferenceFault('ERR_DBUS_LENGTH_OUT_OF_BOUNDS', lengthAt)
    if (length > MAX_ARRAY_LENGTH) throw new ReferenceFault('ERR_DBUS_ARRAY_TOO_LONG', lengthAt)

    const size = fixedSizeOf(element)
    if (size > 0) {
      if (length % size !== 0) throw new ReferenceFault('ERR_DBUS_ARRAY_LENGTH', lengthAt)
      return this.readFixedArray(element, stop)
    }
    // An element may read past the array's end, up to the section's: only afterwards is the end compared (3.13).
    const elements: Neutral[] = []
    while (this.position < stop) {
      const value = this.readOne(element, depth + 1)
      if (this.keep) elements.push(value)
    }
    if (this.position !== stop) throw new ReferenceFault('ERR_DBUS_ARRAY_LENGTH', lengthAt)
    return ['a', element.signature, elements]
  }

  private readFixedArray(element: Type, stop: number): Neutral {
    if (!this.keep && element.code !== 'b') {
      this.position = stop
      return NOTHING
    }
    if (element.code === 'y') {
      const hex = Array.from(this.bytes.subarray(this.position, stop), (byte) => byte.toString(16).padStart(2, '0'))
      this.position = stop
      return ['ay', hex.join('')]
    }
    const elements: Neutral[] = []
    while (this.position < stop) elements.push(this.readFixed(element.code))
    return ['a', element.signature, elements]
  }
}
