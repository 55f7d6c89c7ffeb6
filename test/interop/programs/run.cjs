'use strict'
// node run.cjs ROLE PEER MODE: one end of a conversation. DBUS_CODEC_ADAPTERS names the folder of built adapters; without it the
// peer is untouched. A service prints READY, then what it saw; a client prints what came of each step.
const path = require('node:path')
const { MODES } = require('./modes.cjs')

const [role, peer, mode] = process.argv.slice(2)
const adapters = process.env.DBUS_CODEC_ADAPTERS
const adapter = (name) => require(path.join(adapters, `${name}.cjs`))

if (adapters && peer === 'dbus-next') adapter('dbus-next').install()
if (adapters && peer === 'dbus-native') adapter('dbus-native').install(require('dbus-native/lib/message'))
if (adapters && peer === '@homebridge/dbus-native') adapter('dbus-native').install(require('@homebridge/dbus-native/lib/message'))
const dbus = { ...require(peer) }
if (MODES[peer][mode].jsbi) {
  dbus.setBigIntCompat(true)
  const JSBI = require('jsbi')
  dbus.int64 = (digits) => JSBI.BigInt(digits)
}

const family = peer.includes('next') ? require('./next.cjs') : require('./native.cjs')
// The peers write into the options that they are given.
const bus = dbus.sessionBus({ ...MODES[peer][mode].options })
if (adapters && peer === '@jellybrick/dbus-next') adapter('jellybrick').accelerate(bus)

async function main() {
  await family[role](dbus, bus).then((record) =>
    role === 'client' ? process.stdout.write(`${JSON.stringify(record)}\n`, () => process.exit(0)) : console.log('READY'),
  )
}

main().catch((error) => {
  console.error(error)
  process.exit(1)
})
