// dbus-next at its codec seam: what its connection calls for each message.
import { createRequire } from 'node:module'
import { variantShape } from './shapes.js'
import { OneMessage } from './stream.js'

const require = createRequire(import.meta.url)

export function open() {
  const { marshallMessage, messageToJsFmt } = require('dbus-next/lib/marshall-compat.js')
  const { unmarshalMessages } = require('dbus-next/lib/message.js')
  const { Variant } = require('dbus-next/lib/variant.js')
  return seam({ marshallMessage, messageToJsFmt, unmarshalMessages, Variant })
}

/** The seam is the same in dbus-next and in its fork. */
export function seam({ marshallMessage, messageToJsFmt, unmarshalMessages, Variant }) {
  const stream = new OneMessage()
  let message
  unmarshalMessages(
    stream,
    (raw) => {
      message = messageToJsFmt(raw)
    },
    {},
  )
  return {
    shape: variantShape(Variant),
    // A copy of the message's own properties, since the seam replaces body and signature: a second encode would throw.
    encode: (form) => marshallMessage({ ...form })[0],
    decode(bytes) {
      stream.push(bytes)
      return message
    },
  }
}
