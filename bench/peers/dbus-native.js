// dbus-native at its codec seam, with variants that keep their type: the fair setting, since every other peer keeps it too.
import { createRequire } from 'node:module'
import { variantShape } from './shapes.js'
import { OneMessage } from './stream.js'

const require = createRequire(import.meta.url)

export function open() {
  const { marshall, unmarshalMessages } = require('dbus-native/lib/message')
  const { Variant } = require('dbus-native')
  const stream = new OneMessage()
  let message
  unmarshalMessages(
    stream,
    (raw) => {
      message = raw
    },
    { variants: 'wrap' },
    (error) => {
      throw error
    },
  )
  const shape = variantShape(Variant)
  return {
    // Dicts with numeric keys stay pairs here, both ways.
    shape: { ...shape, dict: (key, pairs) => ('sog'.includes(key) ? Object.fromEntries(pairs) : pairs) },
    encode: marshall,
    decode(bytes) {
      stream.push(bytes)
      return message
    },
  }
}
