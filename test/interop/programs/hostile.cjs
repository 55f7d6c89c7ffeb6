'use strict'
// node hostile.cjs PEER: connects to a server that sends what it likes, and tells what became of it: one JSON line.
const path = require('node:path')
const { canonical } = require('./canonical.cjs')

const [peer] = process.argv.slice(2)
const adapters = process.env.DBUS_CODEC_ADAPTERS
const adapter = name => require(path.join(adapters, `${name}.cjs`))
if (adapters && peer === 'dbus-next') adapter('dbus-next').install()
if (adapters && peer === 'dbus-native') adapter('dbus-native').install(require('dbus-native/lib/message'))
if (adapters && peer === '@homebridge/dbus-native') adapter('dbus-native').install(require('@homebridge/dbus-native/lib/message'))
const dbus = require(peer)

const bodies = []
let ended = false
function end(outcome) {
  if (ended) return
  ended = true
  process.stdout.write(`${JSON.stringify({ ...outcome, bodies })}\n`, () => process.exit(0))
}
const described = error => ({ name: error?.name, code: error?.code, message: String(error?.message), cause: error?.cause?.code })

process.on('uncaughtException', error => end({ outcome: 'uncaught', error: described(error) }))
const bus = dbus.sessionBus({})
if (adapters && peer === '@jellybrick/dbus-next') adapter('jellybrick').accelerate(bus)
const connection = bus.connection ?? bus._connection
connection.on('message', message => {
  bodies.push(canonical(message.body ?? []))
  if (message.member === 'Last') end({ outcome: 'delivered' })
})
const emitter = bus.connection ?? bus
emitter.on('error', error => {
  // A later turn: what the peer does to the stream after it told of the error counts as well.
  setTimeout(() => end({ outcome: 'connection error', error: described(error), destroyed: connection.stream.destroyed }), 20)
})
