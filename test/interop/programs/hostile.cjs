'use strict'
// node hostile.cjs PEER COUNT: connects COUNT times, one after the other, to a server that sends what it likes each time, and tells
// what became of each connection: one JSON array.
const { once } = require('node:events')
const path = require('node:path')
const { canonical } = require('./canonical.cjs')

const [peer, count] = process.argv.slice(2)
const adapters = process.env.DBUS_CODEC_ADAPTERS
const adapter = (name) => require(path.join(adapters, `${name}.cjs`))
if (adapters && peer === 'dbus-next') adapter('dbus-next').install()
if (adapters && peer === 'dbus-native') adapter('dbus-native').install(require('dbus-native/lib/message'))
if (adapters && peer === '@homebridge/dbus-native') adapter('dbus-native').install(require('@homebridge/dbus-native/lib/message'))
const dbus = require(peer)

const described = (error) => ({
  name: error?.name,
  code: error?.code,
  message: String(error?.message),
  cause: error?.cause?.code,
})

/** What became of one connection. */
function connect() {
  return new Promise((resolve) => {
    const bodies = []
    const end = (outcome) => resolve({ ...outcome, bodies })
    process.removeAllListeners('uncaughtException')
    process.on('uncaughtException', (error) => end({ outcome: 'uncaught', error: described(error) }))
    const bus = dbus.sessionBus({})
    if (adapters && peer === '@jellybrick/dbus-next') adapter('jellybrick').accelerate(bus)
    const connection = bus.connection ?? bus._connection
    connection.on('message', (message) => {
      bodies.push(canonical(message.body ?? []))
      if (message.member !== 'Last') return
      connection.stream.destroy()
      end({ outcome: 'delivered' })
    })
    const emitter = bus.connection ?? bus
    emitter.on('error', (error) => {
      // A later turn: what the peer does to the stream after it told of the error counts as well.
      setTimeout(() => end({ outcome: 'connection error', error: described(error), destroyed: connection.stream.destroyed }), 20)
    })
  })
}

async function main() {
  const outcomes = []
  for (let i = 0; i < Number(count); i++) outcomes.push(await connect())
  process.stdout.write(JSON.stringify(outcomes))
  if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain')
  process.exit(0)
}

void main()
