// @homebridge/dbus-native at its codec seam.
import { createRequire } from 'node:module'
import { treeShape } from './shapes.js'
import { OneMessage } from './stream.js'

const require = createRequire(import.meta.url)

export function open() {
  const { marshall, unmarshalMessages } = require('@homebridge/dbus-native/lib/message')
  const stream = new OneMessage()
  let message
  unmarshalMessages(
    stream,
    (raw) => {
      message = raw
    },
    {},
  )
  return {
    shape: treeShape,
    encode: marshall,
    decode(bytes) {
      stream.push(bytes)
      return message
    },
  }
}
