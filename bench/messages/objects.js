// A GetManagedObjects reply as BlueZ gives it to a home-automation hub: some 560 objects, some 2 500 properties, some 240 kB.
// The shape (which interfaces, which properties, how often) follows a real reply; every value is made from the seed.
import { Random } from './random.js'
import { Typed } from './types.js'

const DEVICES = 63
const SERVICES = 47
const CHARACTERISTICS = 222
const DESCRIPTORS = 216
const FLAGS = ['read', 'write', 'notify', 'indicate', 'write-without-response', 'broadcast', 'authenticated-signed-writes']
const BASE = '-0000-1000-8000-00805f9b34fb'

const s = (text) => new Typed('s', text)
const b = (value) => new Typed('b', value)

function uuid(random) {
  if (random.below(3) > 0) return `0000${random.hex(4, '0123456789abcdef')}${BASE}`
  const part = (n) => random.hex(n, '0123456789abcdef')
  return `${part(8)}-${part(4)}-${part(4)}-${part(4)}-${part(12)}`
}

const uuids = (random, n) => Array.from({ length: n }, () => uuid(random))

function adapter(random) {
  return [
    ['org.freedesktop.DBus.Introspectable', []],
    [
      'org.bluez.Adapter1',
      [
        ['Address', s('00:1A:7D:DA:71:04')],
        ['AddressType', s('public')],
        ['Name', s('hub')],
        ['Alias', s('hub')],
        ['Class', new Typed('u', 2883584)],
        ['Powered', b(true)],
        ['Discoverable', b(false)],
        ['DiscoverableTimeout', new Typed('u', 180)],
        ['Pairable', b(false)],
        ['PairableTimeout', new Typed('u', 0)],
        ['Discovering', b(true)],
        ['UUIDs', new Typed('as', uuids(random, 10))],
        ['Modalias', s('usb:v1D6Bp0246d053F')],
        ['Roles', new Typed('as', ['central', 'peripheral'])],
      ],
    ],
    ['org.freedesktop.DBus.Properties', []],
    ['org.bluez.GattManager1', []],
    ['org.bluez.Media1', []],
    ['org.bluez.NetworkServer1', []],
    [
      'org.bluez.LEAdvertisingManager1',
      [
        ['ActiveInstances', new Typed('y', 0)],
        ['SupportedInstances', new Typed('y', 5)],
        ['SupportedIncludes', new Typed('as', ['tx-power', 'appearance', 'local-name'])],
      ],
    ],
  ]
}

function device(random, address, i) {
  const properties = [
    ['Address', s(address)],
    ['AddressType', s(random.below(2) ? 'random' : 'public')],
  ]
  const name = i % 2 ? `Sensor ${random.hex(4)}` : undefined
  if (name) properties.push(['Name', s(name)])
  properties.push(
    ['Alias', s(name ?? address.replaceAll(':', '-'))],
    ['Paired', b(false)],
    ['Trusted', b(random.below(4) === 0)],
    ['Blocked', b(false)],
    ['LegacyPairing', b(false)],
    ['RSSI', new Typed('n', -40 - random.below(60))],
    ['Connected', b(random.below(6) === 0)],
    ['UUIDs', new Typed('as', uuids(random, i % 3 ? 0 : random.below(10)))],
    ['Adapter', new Typed('o', '/org/bluez/hci0')],
  )
  if (i % 16) {
    const data = [[random.below(65536), new Typed('ay', random.bytes(4 + random.below(24)))]]
    properties.push(['ManufacturerData', new Typed('a{qv}', data)])
  }
  if (i % 5 === 0) properties.push(['TxPower', new Typed('n', random.below(20))])
  if (i % 4 === 1) {
    properties.push(['ServiceData', new Typed('a{sv}', [[uuid(random), new Typed('ay', random.bytes(12))]])])
  }
  properties.push(['ServicesResolved', b(false)])
  return properties
}

const object = (interfaceName, properties) => [
  ['org.freedesktop.DBus.Introspectable', []],
  [interfaceName, properties],
  ['org.freedesktop.DBus.Properties', []],
]

const path = (text) => new Typed('o', text)

/** The one argument of the reply, an `a{oa{sa{sv}}}` in neutral form. */
export function managedObjects(seed) {
  const random = new Random(seed)
  const objects = [
    [
      '/org/bluez',
      [
        ['org.freedesktop.DBus.Introspectable', []],
        ['org.bluez.AgentManager1', []],
        ['org.bluez.ProfileManager1', []],
      ],
    ],
    ['/org/bluez/hci0', adapter(random)],
  ]
  const devices = []
  for (let i = 0; i < DEVICES; i++) {
    const address = Array.from({ length: 6 }, () => random.hex(2)).join(':')
    const at = `/org/bluez/hci0/dev_${address.replaceAll(':', '_')}`
    devices.push(at)
    objects.push([at, object('org.bluez.Device1', device(random, address, i))])
  }
  const handle = (n) => n.toString(16).padStart(4, '0')
  const services = Array.from({ length: SERVICES }, (_, i) => {
    const owner = devices[i % 9]
    const at = `${owner}/service${handle(i * 6)}`
    const properties = [
      ['UUID', s(uuid(random))],
      ['Device', path(owner)],
      ['Primary', b(true)],
      ['Includes', new Typed('ao', [])],
    ]
    objects.push([at, object('org.bluez.GattService1', properties)])
    return at
  })
  const characteristics = Array.from({ length: CHARACTERISTICS }, (_, i) => {
    const owner = services[i % SERVICES]
    const at = `${owner}/char${handle(i)}`
    const properties = [
      ['UUID', s(uuid(random))],
      ['Service', path(owner)],
      ['Value', new Typed('ay', random.bytes(i % 4 ? 0 : random.below(20)))],
    ]
    if (i % 5 === 0) properties.push(['Notifying', b(false)])
    const flags = FLAGS.filter(() => random.below(3) === 0)
    properties.push(['Flags', new Typed('as', flags.length ? flags : ['read'])])
    objects.push([at, object('org.bluez.GattCharacteristic1', properties)])
    return at
  })
  for (let i = 0; i < DESCRIPTORS; i++) {
    const owner = characteristics[i % CHARACTERISTICS]
    const properties = [
      ['UUID', s(uuid(random))],
      ['Characteristic', path(owner)],
      ['Value', new Typed('ay', random.bytes(i % 8 ? 0 : 2))],
    ]
    objects.push([`${owner}/desc${handle(i)}`, object('org.bluez.GattDescriptor1', properties)])
  }
  return objects
}

/** The same reply without its `a{qv}` properties: dbus-next refuses numeric dict keys on encode. */
export function withoutNumericKeys(objects) {
  return objects.map(([at, interfaces]) => [
    at,
    interfaces.map(([name, properties]) => [name, properties.filter(([, value]) => value.signature !== 'a{qv}')]),
  ])
}
