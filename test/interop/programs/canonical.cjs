'use strict'
// A value as text that keeps what an application can tell apart: class, kind of number, order of keys, tags of dbus-native.

const VARIANT = Symbol.for('dbus.variant')
const DICT = Symbol.for('dbus.dict')

function canonical(value) {
  switch (typeof value) {
    case 'undefined':
      return '~'
    case 'bigint':
      return `${value}n`
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value)
    case 'string':
      return JSON.stringify(value)
    case 'boolean':
      return String(value)
    case 'function':
      return 'function'
    case 'symbol':
      return String(value)
  }
  if (value === null) return 'null'
  if (value instanceof Error) return `${value.constructor.name}(${JSON.stringify(value.message)})`
  if (ArrayBuffer.isView(value)) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    return `${value.constructor.name}<${bytes.toString('hex')}>`
  }
  if (value instanceof Map) {
    return `Map{${[...value].map(([k, v]) => `${canonical(k)}=>${canonical(v)}`).join(',')}}`
  }
  if (Array.isArray(value)) {
    const tag = value[VARIANT] === true ? '#variant' : value[DICT] === true ? '#dict' : ''
    const name = value.constructor === Array ? '' : value.constructor.name
    const extra = name === 'JSBI' ? `${value.sign}` : ''
    return `${tag}${name}${extra}[${value.map(canonical).join(',')}]`
  }
  const proto = Object.getPrototypeOf(value)
  const name = proto === Object.prototype ? '' : proto === null ? 'null:' : value.constructor.name
  const members = Object.keys(value).map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
  return `${name}{${members.join(',')}}`
}

module.exports = { canonical }
