// The rows of every table in bench/: which messages are measured. Small and medium rows come twice, as one message again and
// again and as a rotation of seeded messages of the same shape and length with other paths, strings, keys and numbers.
import { managedObjects } from './objects.js'
import { flat, Random } from './random.js'
import { Typed } from './types.js'

/** More than a busy bus shows at a time, and more than any cache of the codec holds. */
export const ROTATION = 10_000

const MEBI = 1 << 20

/** Interfaces and members come from a vocabulary, as on a real bus; paths, strings, keys and numbers are all different. */
const words = new Random(41)
const INTERFACES = Array.from({ length: 64 }, () => `org.${words.name(6).toLowerCase()}.${words.name(6)}`)
const MEMBERS = Array.from({ length: 256 }, () => words.name(5))
const SHORT_MEMBERS = Array.from({ length: 256 }, () => words.name(3))

const put = (signature, body) => ({
  type: 1,
  flags: 0,
  serial: 1042,
  path: '/org/example/Bench',
  interface: 'org.example.Bench',
  member: 'Put',
  destination: 'org.example.Service',
  signature,
  body,
})

function putOther(random, signature, body) {
  return {
    type: 1,
    flags: 0,
    serial: 1 + random.below(4_000_000_000),
    path: flat(`/${random.name(8)}/${random.name(8)}`),
    interface: random.pick(INTERFACES),
    member: random.pick(SHORT_MEMBERS),
    destination: flat(`:1.${random.digits(16)}`),
    signature,
    body,
  }
}

function hello(random) {
  if (!random) {
    return {
      type: 1,
      flags: 0,
      serial: 1,
      path: '/org/freedesktop/DBus',
      interface: 'org.freedesktop.DBus',
      member: 'Hello',
      destination: 'org.freedesktop.DBus',
      signature: '',
      body: [],
    }
  }
  return {
    type: 1,
    flags: 0,
    serial: 1 + random.below(4_000_000_000),
    path: flat(`/org/example/${random.name(8)}`),
    interface: random.pick(INTERFACES),
    member: random.pick(MEMBERS),
    destination: flat(`:1.${random.digits(17)}`),
    signature: '',
    body: [],
  }
}

function rssi(random) {
  const message = (path, serial, sender, name, key, level) => ({
    type: 4,
    flags: 1,
    serial,
    path,
    interface: 'org.freedesktop.DBus.Properties',
    member: 'PropertiesChanged',
    sender,
    signature: 'sa{sv}as',
    body: [name, [[key, new Typed('n', level)]], []],
  })
  if (!random) {
    return message('/org/bluez/hci0/dev_08_3A_F2_1E_2B_61', 25777122, ':1.4', 'org.bluez.Device1', 'RSSI', -89)
  }
  const address = Array.from({ length: 6 }, () => random.hex(2)).join('_')
  return message(
    flat(`/org/bluez/hci0/dev_${address}`),
    1 + random.below(4_000_000_000),
    flat(`:1.${random.below(10)}`),
    flat(`org.bluez.${random.name(6)}${random.below(10)}`),
    random.name(4),
    -random.below(32000),
  )
}

const single = (signature, make, shared) => (random) =>
  random ? putOther(random, signature, [make(random)]) : put(signature, [make(new Random(shared))])

/** As many different keys as a rotation has messages; a dict takes a hundred that stand apart, so that none comes twice. */
const KEYS = Array.from({ length: ROTATION }, (_, i) => flat(words.name(4) + String(i).padStart(5, '0').slice(2)))
const dict = (random) => {
  const first = random.below(ROTATION)
  return Array.from({ length: 100 }, (_, i) => [KEYS[(first + i * 97) % ROTATION], random.text(12 + random.below(4))])
}

const doubles = (random) => Float64Array.from({ length: 10_000 }, () => random.next() / 977 - 1e6)
const words32 = (random) => Uint32Array.from({ length: 10_000 }, () => random.next())

/** A long text cut from a random pool: writing 10 000 texts of 8 kB character by character would take longer than the bench. */
const pool = new Random(97).text(MEBI + 65536)
const text = (n) => (random) => flat(pool.slice((random.next() >>> 16) & 0xffff).slice(0, n))
const blobs = new Random(98).bytes(MEBI + 65536)
const blob = (n) => (random) => blobs.subarray((random.next() >>> 16) & 0xffff).subarray(0, n)

const gmo = () => ({
  type: 2,
  flags: 1,
  serial: 7079282,
  replySerial: 2,
  destination: ':1.1736',
  sender: ':1.4',
  signature: 'a{oa{sa{sv}}}',
  body: [managedObjects(7)],
})

const su = (random) => (random ? putOther(random, 'su', [random.text(16), random.next()]) : put('su', ['sixteen letters!', 42]))

/** name, title, size: small and medium rows have a rotation. */
export const ROWS = [
  { name: 'hello', title: 'Hello', size: 'small', make: hello },
  { name: 'su', title: '`su`, s of 16', size: 'small', make: su },
  { name: 'rssi', title: 'BlueZ RSSI `sa{sv}as`', size: 'small', make: rssi },
  { name: 'gmo', title: 'GetManagedObjects', size: 'large', make: gmo },
  { name: 'ay256', title: '`ay` 256', size: 'small', make: single('ay', blob(256), 11) },
  { name: 'ay8192', title: '`ay` 8192', size: 'medium', make: single('ay', blob(8192), 12) },
  { name: 'ay1m', title: '`ay` 1 MiB', size: 'large', make: single('ay', blob(MEBI), 13) },
  { name: 's256', title: '`s` 256', size: 'small', make: single('s', text(256), 14) },
  { name: 's8192', title: '`s` 8192', size: 'medium', make: single('s', text(8192), 15) },
  { name: 's1m', title: '`s` 1 MiB', size: 'large', make: single('s', text(MEBI), 16) },
  { name: 'ad10k', title: '`ad` 10 000', size: 'large', make: single('ad', doubles, 17) },
  { name: 'au10k', title: '`au` 10 000', size: 'large', make: single('au', words32, 18) },
  { name: 'ass100', title: '`a{ss}` of 100', size: 'medium', make: single('a{ss}', dict, 19) },
]

export const rowNamed = (name) => {
  const row = ROWS.find((candidate) => candidate.name === name)
  if (row === undefined) throw new Error(`no row "${name}"; there are ${ROWS.map((each) => each.name).join(', ')}`)
  return row
}

/** The row's messages, neutral: one, or a rotation. */
export function messagesOf(row, rotation) {
  if (!rotation) return [row.make()]
  if (row.size === 'large') throw new Error(`${row.name} has no rotation`)
  const random = new Random(row.name.length * 7919 + row.name.charCodeAt(0))
  return Array.from({ length: ROTATION }, () => row.make(random))
}
