// What applications of @jellybrick/dbus-next rely on, over the adapter.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accelerate } from '../../js/adapters/jellybrick.ts'
import { createCodec } from '../../js/index.ts'
import { startServer } from './streams.ts'

const require = createRequire(import.meta.url)
const dbus = require('@jellybrick/dbus-next')
const codec = createCodec()

let folder: string
let server: Server
let busAddress: string
let sockets: Socket[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dbus-codec-jellybrick-'))
  sockets = []
  ;({ server, address: busAddress } = await startServer(folder, (socket) => {
    sockets.push(socket)
    // The bus's greeting is answered, the rest is the test's matter.
    socket.write(
      codec.encode({ type: 2, serial: 1, replySerial: 1, sender: 'org.freedesktop.DBus', signature: 's', body: [':1.1'] }),
    )
    socket.on('data', (bytes) => socket.emit('message', bytes))
  }))
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
  rmSync(folder, { recursive: true, force: true })
})

// Both builds: each has a class Message and a class Variant of its own.
const BUILDS = { cjs: async () => dbus, esm: async () => import('@jellybrick/dbus-next') } as Record<
  string,
  () => Promise<typeof dbus>
>

const signal = (serial: number, type = 4) =>
  codec.encode({
    type,
    serial,
    path: '/a',
    interface: 'a.b',
    member: 'S',
    sender: ':1.5',
    signature: 'v',
    body: [{ signature: 's', value: 'x' }],
  })

/** The next message that is not one of the greeting. */
function nextSignal(bus: { on: (event: 'message', listener: (message: { type: number }) => void) => void }): Promise<object> {
  return new Promise((resolve) => {
    bus.on('message', (message) => {
      if (message.type === 4) resolve(message)
    })
  })
}

test.each(Object.keys(BUILDS))('gives messages that differ in nothing from the peer’s own (%s)', async (build) => {
  const library = await BUILDS[build]()
  const untouched = library.sessionBus({ busAddress })
  await once(untouched, 'connect')
  const bus = accelerate(library.sessionBus({ busAddress })) as typeof untouched
  await once(bus, 'connect')
  const both = Promise.all([nextSignal(untouched), nextSignal(bus)])
  for (const socket of sockets) socket.write(signal(7))
  const [expected, actual] = await both
  expect(actual).toBeInstanceOf(library.Message)
  expect(actual).toEqual(expected)
  expect(Object.keys(actual)).toEqual(Object.keys(expected))
  expect((actual as { body: unknown[] }).body[0]).toBeInstanceOf(library.Variant)
  expect((actual as { serial: number }).serial).toBe(7)
})

test('comes into a connection that is up, between two messages', async () => {
  const bus = dbus.sessionBus({ busAddress })
  await once(bus, 'connect')
  expect(accelerate(bus)).toBe(bus)
  expect(accelerate(bus)).toBe(bus)
  const waiting = nextSignal(bus)
  sockets[0].write(signal(8))
  expect(await waiting).toMatchObject({ serial: 8 })
})

test('leaves what a tracing tool has put on the connection and its stream', async () => {
  const bus = dbus.sessionBus({ busAddress })
  await once(bus, 'connect')
  const connection = bus._connection
  const { emit } = connection
  const { read } = connection.stream
  const seen: unknown[] = []
  connection.emit = (...given: unknown[]) => {
    seen.push(given[0])
    return emit.apply(connection, given)
  }
  connection.stream.read = (...given: unknown[]) => {
    seen.push('read')
    return read.apply(connection.stream, given)
  }
  accelerate(bus)
  const waiting = nextSignal(bus)
  sockets[0].write(signal(8))
  await waiting
  expect(seen).toContain('message')
  expect(seen).toContain('read')
})

test('comes into a connection in the middle of a message after that message', async () => {
  const bus = dbus.sessionBus({ busAddress })
  await once(bus, 'connect')
  sockets[0].write(signal(8).subarray(0, 40))
  await new Promise((resolve) => setTimeout(resolve, 30))
  accelerate(bus)
  const first = nextSignal(bus)
  sockets[0].write(signal(8).subarray(40))
  expect(await first).toMatchObject({ serial: 8 })
  const second = nextSignal(bus)
  sockets[0].write(signal(9))
  expect(await second).toMatchObject({ serial: 9 })
  // Now it is the codec that reads: the untouched peer would take this.
  const failed = once(bus, 'error')
  const bad = Buffer.from(signal(10))
  bad[bad.length - 1] = 1
  sockets[0].write(bad)
  expect((await failed)[0]).toMatchObject({ code: 'ERR_DBUS_STRING_NUL' })
})

test('sends a message as it is, and again', async () => {
  const bus = accelerate(dbus.sessionBus({ busAddress }))
  await once(bus, 'connect')
  const message = new dbus.Message({
    path: '/a',
    member: 'M',
    signature: 'vay',
    body: [new dbus.Variant('u', 5), Buffer.from([1])],
  })
  for (let i = 0; i < 2; i++) {
    const sent = once(sockets[0], 'message')
    bus.send(message)
    const { body, serial } = codec.decode((await sent)[0])
    expect(body).toEqual([{ signature: 'u', value: 5 }, new Uint8Array([1])])
    expect(serial).toBe(message.serial)
  }
})

test('refuses in the peer’s words', async () => {
  const bus = accelerate(dbus.sessionBus({ busAddress }))
  await once(bus, 'connect')
  const send = (signature: string, ...body: unknown[]) => bus.send(new dbus.Message({ path: '/a', member: 'M', signature, body }))
  expect(() => send('x', -(2n ** 63n))).toThrow('data was out of range (less than min int64)')
  expect(() => send('v', 'x')).toThrow('Expected a Variant() argument for position 1')
  expect(() => send('o', 'no path')).toThrow(expect.objectContaining({ code: 'ERR_DBUS_OBJECT_PATH' }))
})

test('tells of a message type that the peer does not know as the peer does', async () => {
  const bus = accelerate(dbus.sessionBus({ busAddress }))
  await once(bus, 'connect')
  const failed = once(bus, 'error')
  sockets[0].write(signal(9, 9))
  expect((await failed)[0].message).toBe('Got unknown message type: 9')
})

test('says what it takes', () => {
  expect(() => accelerate({})).toThrow('accelerate() takes a bus of @jellybrick/dbus-next')
})
