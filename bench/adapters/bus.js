// What the bench talks to: a process that authenticates anyone, answers calls with replies made beforehand and sends floods of
// signals. It spends as little as it can, so that the application at the other end is what is measured.
//   node bus.js SOCKET

import { createRequire } from 'node:module'
import { createServer } from 'node:net'

const { marshall } = createRequire(import.meta.url)('dbus-native/lib/message')

const DEVICES = 20
const OBJECTS = 100

/** Signals as BlueZ sends them while it scans: RSSI and ManufacturerData of some devices, turn and turn about. */
function signals() {
  const messages = []
  for (let i = 0; i < 4 * DEVICES; i++) {
    const path = `/org/bluez/hci0/dev_${(0x10 + (i % DEVICES)).toString(16).toUpperCase()}_22_33_44_55_66`
    const changed =
      i % 2 === 0
        ? [['RSSI', ['n', -40 - (i % 50)]]]
        : [['ManufacturerData', ['a{qv}', [[76, ['ay', Buffer.from(Array.from({ length: 22 }, (_, k) => (i * k) & 0xff))]]]]]]
    messages.push(
      marshall({
        type: 4,
        serial: 1000 + i,
        flags: 1,
        path,
        interface: 'org.freedesktop.DBus.Properties',
        member: 'PropertiesChanged',
        sender: ':1.5',
        signature: 'sa{sv}as',
        body: ['org.bluez.Device1', changed, []],
      }),
    )
  }
  return Buffer.concat(messages)
}

/** GetManagedObjects of a hundred devices. */
function managedObjects() {
  const objects = []
  for (let i = 0; i < OBJECTS; i++) {
    const address = `AA:BB:CC:DD:EE:${i.toString(16).padStart(2, '0').toUpperCase()}`
    objects.push([
      `/org/bluez/hci0/dev_${address.replaceAll(':', '_')}`,
      [
        ['org.freedesktop.DBus.Introspectable', []],
        [
          'org.bluez.Device1',
          [
            ['Address', ['s', address]],
            ['AddressType', ['s', 'random']],
            ['Name', ['s', `Sensor ${i}`]],
            ['Alias', ['s', `Sensor ${i}`]],
            ['Icon', ['s', 'audio-card']],
            ['Class', ['u', 0x240404]],
            ['Paired', ['b', false]],
            ['Trusted', ['b', i % 3 === 0]],
            ['Blocked', ['b', false]],
            ['Connected', ['b', i % 5 === 0]],
            ['ServicesResolved', ['b', false]],
            ['UUIDs', ['as', Array.from({ length: 6 }, (_, k) => `0000180${k}-0000-1000-8000-00805f9b34fb`)]],
            ['ManufacturerData', ['a{qv}', [[76, ['ay', Buffer.alloc(18, i)]]]]],
            ['ServiceData', ['a{sv}', [['0000fe9f-0000-1000-8000-00805f9b34fb', ['ay', Buffer.alloc(16, i)]]]]],
            ['RSSI', ['n', -40 - (i % 50)]],
            ['TxPower', ['n', 8]],
            ['Adapter', ['o', '/org/bluez/hci0']],
          ],
        ],
        ['org.freedesktop.DBus.Properties', []],
      ],
    ])
  }
  return objects
}

/** A reply whose REPLY_SERIAL can be patched: where its four bytes stand is found by marshalling it with two serials. */
function reply(signature, body) {
  const make = (replySerial) => marshall({ type: 2, serial: 9, replySerial, sender: ':1.5', signature, body })
  const [one, two] = [make(0x01010101), make(0x02020202)]
  return { bytes: one, at: one.findIndex((byte, i) => byte !== two[i]) }
}

const FLOOD = signals()
const FLOOD_SIGNALS = 4 * DEVICES
const REPLIES = {
  Hello: reply('s', [':1.7']),
  GetManagedObjects: reply('a{oa{sa{sv}}}', [managedObjects()]),
  other: reply('', []),
}

function answer(socket, frame) {
  const serial = frame.readUInt32LE(8)
  const fields = frame.toString('latin1', 16, 16 + frame.readUInt32LE(12))
  if (fields.includes('Flood')) {
    flood(socket, frame.readUInt32LE(frame.length - 4))
    return
  }
  const { bytes, at } = fields.includes('GetManagedObjects')
    ? REPLIES.GetManagedObjects
    : fields.includes('Hello')
      ? REPLIES.Hello
      : REPLIES.other
  const copy = Buffer.from(bytes)
  copy.writeUInt32LE(serial, at)
  socket.write(copy)
}

function flood(socket, count) {
  let left = Math.ceil(count / FLOOD_SIGNALS)
  const more = () => {
    while (left > 0) {
      left--
      if (!socket.write(FLOOD)) {
        socket.once('drain', more)
        return
      }
    }
  }
  more()
}

createServer((socket) => {
  let authenticated = false
  let pending = Buffer.alloc(0)
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    pending = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk
    while (!authenticated) {
      const end = pending.indexOf('\r\n')
      if (end < 0) return
      const line = pending.toString('latin1', 0, end)
      pending = pending.subarray(end + 2)
      if (line.includes('AUTH')) socket.write('OK 0123456789abcdef0123456789abcdef\r\n')
      else if (line.includes('NEGOTIATE')) socket.write('ERROR\r\n')
      else authenticated = line.startsWith('BEGIN')
    }
    while (pending.length >= 16) {
      const length = 16 + Math.ceil(pending.readUInt32LE(12) / 8) * 8 + pending.readUInt32LE(4)
      if (pending.length < length) return
      answer(socket, pending.subarray(0, length))
      pending = pending.subarray(length)
    }
  })
}).listen(process.argv[2], () => console.log('READY'))
