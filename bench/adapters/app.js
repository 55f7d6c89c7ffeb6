// The application that is measured: node app.js PEER TASK COUNT. The same code with and without the adapter; prints microseconds
// a message, of CPU time and by the clock, as JSON. DBUS_CODEC_ADAPTERS names the folder of built adapters.
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(import.meta.url)
const [peer, task, countText] = process.argv.slice(2)
const count = Number(countText)
const adapters = process.env.DBUS_CODEC_ADAPTERS
const adapter = (name) => require(join(adapters, `${name}.cjs`))

if (adapters && peer === 'dbus-next') adapter('dbus-next').install()
if (adapters && peer.endsWith('dbus-native')) adapter('dbus-native').install(require(`${peer}/lib/message`))
const dbus = require(peer)
const bus = dbus.sessionBus({})
if (adapters && peer === '@jellybrick/dbus-next') adapter('jellybrick').accelerate(bus)

const target = { destination: 'org.bluez', path: '/', interface: 'org.dbuscodec.Bench' }
const next = peer.includes('next')

function call(member, signature, body) {
  if (next) return bus.call(new dbus.Message({ ...target, member, signature, body }))
  return new Promise((resolve, reject) => {
    bus.invoke({ ...target, member, signature, body }, (error, result) => (error ? reject(error) : resolve(result)))
  })
}

const messages = next ? bus : bus.connection

/** Resolves when so many signals have come. */
function flood(signals) {
  return new Promise((resolve) => {
    let left = signals
    const listener = (message) => {
      if (message.member !== 'PropertiesChanged' || --left > 0) return
      messages.off('message', listener)
      resolve()
    }
    messages.on('message', listener)
    // The reply never comes.
    void call('Flood', 'u', [signals])
  })
}

const bytes = Buffer.alloc(65536, 7)
const TASKS = {
  flood: { warm: 20_000, run: flood },
  objects: {
    warm: 20,
    async run(calls) {
      for (let i = 0; i < calls; i++) await call('GetManagedObjects', '', [])
    },
  },
  small: {
    warm: 2000,
    async run(calls) {
      for (let i = 0; i < calls; i++) await call('Take', 'su', ['a short text', i])
    },
  },
  bytes: {
    warm: 20,
    async run(calls) {
      for (let i = 0; i < calls; i++) await call('Take', 'ay', [bytes])
    },
  },
}

if (task === 'start') {
  // The first reply: everything that a cold start does has been done.
  await call('Take', 's', ['x'])
  const { user, system } = process.cpuUsage()
  console.log(JSON.stringify({ wall: performance.now() * 1000, cpu: user + system }))
} else {
  const { warm, run } = TASKS[task]
  await run(warm)
  const before = process.cpuUsage()
  const start = performance.now()
  await run(count)
  const { user, system } = process.cpuUsage(before)
  console.log(JSON.stringify({ cpu: (user + system) / count, wall: ((performance.now() - start) * 1000) / count }))
}
process.exit(0)
