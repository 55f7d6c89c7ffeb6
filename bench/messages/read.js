// A plain decoder of our own: turns what a library encoded into neutral values, to check it before it is timed.
import { Typed, typesOf } from './types.js'

const FIELDS = ['', 'path', 'interface', 'member', 'errorName', 'replySerial', 'destination', 'sender', 'signature', 'unixFds']

class Reader {
  at = 0

  constructor(bytes) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.little = bytes[0] === 0x6c
  }

  take(alignment, n) {
    const at = Math.ceil(this.at / alignment) * alignment
    if (at + n > this.bytes.length) throw new RangeError(`value at ${at} runs past the end`)
    this.at = at + n
    return at
  }

  u32() {
    return this.view.getUint32(this.take(4, 4), this.little)
  }

  text(n) {
    const at = this.take(1, n + 1)
    return this.bytes.toString('utf8', at, at + n)
  }

  value(type) {
    switch (type.code) {
      case 'y':
        return this.bytes[this.take(1, 1)]
      case 'b':
        return this.u32() !== 0
      case 'n':
        return this.view.getInt16(this.take(2, 2), this.little)
      case 'q':
        return this.view.getUint16(this.take(2, 2), this.little)
      case 'i':
        return this.view.getInt32(this.take(4, 4), this.little)
      case 'u':
      case 'h':
        return this.u32()
      case 'x':
        return this.view.getBigInt64(this.take(8, 8), this.little)
      case 't':
        return this.view.getBigUint64(this.take(8, 8), this.little)
      case 'd':
        return this.view.getFloat64(this.take(8, 8), this.little)
      case 's':
      case 'o':
        return this.text(this.u32())
      case 'g':
        return this.text(this.bytes[this.take(1, 1)])
      case 'v': {
        const signature = this.value({ code: 'g' })
        return new Typed(signature, this.value(typesOf(signature)[0]))
      }
      case 'a':
        return this.array(type.items[0])
      default:
        this.take(8, 0)
        return type.items.map((item) => this.value(item))
    }
  }

  array(item) {
    const length = this.u32()
    this.take('xtd({'.includes(item.code) ? 8 : 1, 0)
    if (item.code === 'y') {
      const at = this.take(1, length)
      return this.bytes.subarray(at, at + length)
    }
    const list = []
    for (const end = this.at + length; this.at < end; ) list.push(this.value(item))
    return list
  }
}

/** A neutral message from its bytes. */
export function read(bytes) {
  const reader = new Reader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const message = { type: bytes[1], flags: bytes[2], signature: '' }
  reader.at = 8
  message.serial = reader.u32()
  for (const [code, field] of reader.array(typesOf('(yv)')[0])) message[FIELDS[code]] = field.value
  reader.take(8, 0)
  message.body = typesOf(message.signature).map((type) => reader.value(type))
  return message
}
