// A plain encoder of our own for the benches' input, so that no codec under test makes the bytes it is measured on.
import { typesOf } from './types.js'

const ALIGNMENT = { y: 1, b: 4, n: 2, q: 2, i: 4, u: 4, h: 4, x: 8, t: 8, d: 8, s: 4, o: 4, g: 1, v: 1, a: 4, '(': 8, '{': 8 }
const BYTES = { n: 2, q: 2, i: 4, u: 4, x: 8, t: 8, d: 8 }

/** Field order as dbus-daemon writes it. */
const FIELDS = [
  [1, 'path', 'o'],
  [6, 'destination', 's'],
  [2, 'interface', 's'],
  [3, 'member', 's'],
  [4, 'errorName', 's'],
  [5, 'replySerial', 'u'],
  [8, 'signature', 'g'],
  [7, 'sender', 's'],
]

class Writer {
  buffer = Buffer.alloc(1 << 16)
  length = 0

  constructor(little) {
    this.little = little
  }

  /** Room for n bytes at the next multiple of the alignment; returns where. */
  room(alignment, n) {
    const at = Math.ceil(this.length / alignment) * alignment
    while (at + n > this.buffer.length) this.buffer = Buffer.concat([this.buffer, Buffer.alloc(this.buffer.length)])
    this.buffer.fill(0, this.length, at)
    this.length = at + n
    return at
  }

  u32(value) {
    const at = this.room(4, 4)
    this.patch(at, value)
    return at
  }

  patch(at, value) {
    if (this.little) this.buffer.writeUInt32LE(value, at)
    else this.buffer.writeUInt32BE(value, at)
  }

  number(code, value) {
    const size = BYTES[code]
    const at = this.room(size, size)
    const view = new DataView(this.buffer.buffer, this.buffer.byteOffset, this.buffer.length)
    if (code === 'n') view.setInt16(at, value, this.little)
    else if (code === 'q') view.setUint16(at, value, this.little)
    else if (code === 'i') view.setInt32(at, value, this.little)
    else if (code === 'u') view.setUint32(at, value, this.little)
    else if (code === 'x') view.setBigInt64(at, value, this.little)
    else if (code === 't') view.setBigUint64(at, value, this.little)
    else view.setFloat64(at, value, this.little)
  }

  bytes(value) {
    const at = this.room(1, value.length)
    value.copy(this.buffer, at)
  }

  value(type, value) {
    const { code } = type
    if (code === 'y') this.buffer[this.room(1, 1)] = value
    else if (code === 'b') this.u32(value ? 1 : 0)
    else if (code === 'h') this.u32(value)
    else if (code === 's' || code === 'o') {
      const text = Buffer.from(value)
      this.u32(text.length)
      this.bytes(text)
      this.buffer[this.room(1, 1)] = 0
    } else if (code === 'g') {
      this.buffer[this.room(1, 1)] = value.length
      this.bytes(Buffer.from(value))
      this.buffer[this.room(1, 1)] = 0
    } else if (code === 'v') {
      this.value({ code: 'g' }, value.signature)
      this.value(typesOf(value.signature)[0], value.value)
    } else if (code === 'a') this.array(type.items[0], value)
    else if (code === '(' || code === '{') {
      this.room(8, 0)
      type.items.forEach((item, i) => this.value(item, value[i]))
    } else this.number(code, value)
  }

  array(item, list) {
    const lengthAt = this.u32(0)
    const start = this.room(ALIGNMENT[item.code], 0)
    if (item.code === 'y') this.bytes(list)
    else if (ArrayBuffer.isView(list) && this.little) this.bytes(Buffer.from(list.buffer, list.byteOffset, list.byteLength))
    else for (const inner of list) this.value(item, inner)
    this.patch(lengthAt, this.length - start)
  }
}

/** The bytes of a neutral message. */
export function write(message, { byteOrder = 'little' } = {}) {
  const little = byteOrder === 'little'
  const body = new Writer(little)
  typesOf(message.signature ?? '').forEach((type, i) => body.value(type, message.body[i]))
  const whole = new Writer(little)
  whole.bytes(Buffer.from([little ? 0x6c : 0x42, message.type, message.flags, 1]))
  whole.u32(body.length)
  whole.u32(message.serial)
  const lengthAt = whole.u32(0)
  for (const [code, name, type] of FIELDS) {
    if (message[name] === undefined || message[name] === '') continue
    whole.room(8, 0)
    whole.buffer[whole.room(1, 1)] = code
    whole.value({ code: 'g' }, type)
    whole.value({ code: type }, message[name])
  }
  whole.patch(lengthAt, whole.length - 16)
  whole.room(8, 0)
  whole.bytes(body.buffer.subarray(0, body.length))
  return Buffer.from(whole.buffer.subarray(0, whole.length))
}
