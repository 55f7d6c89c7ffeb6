// What applications and the tests of dbus-next rely on, over the adapter.
import { spawnSync } from 'node:child_process'
import { fstatSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { install } from '../../js/adapters/dbus-next.ts'
import { buildAdapters } from '../interop/adapters.ts'
import { DescriptorStream } from './streams.ts'

const require = createRequire(import.meta.url)

install()
const dbus = require('dbus-next')
const { Message, Variant } = dbus
const { marshallMessage, messageToJsFmt } = require('dbus-next/lib/marshall-compat')
const { unmarshalMessages } = require('dbus-next/lib/message')

const CALL = { serial: 1, path: '/a', interface: 'a.b', member: 'M', destination: 'a.b' }
const call = (signature: string, ...body: unknown[]) => new Message({ ...CALL, signature, body })
const write = (signature: string, ...body: unknown[]): Buffer => marshallMessage(call(signature, ...body))[0]

interface Read {
  bodies: unknown[][]
  error: Error | undefined
}

async function read(chunks: Uint8Array[], options?: object): Promise<Read> {
  const stream = new PassThrough()
  const bodies: unknown[][] = []
  let error: Error | undefined
  stream.on('error', (reason) => {
    error = reason
  })
  unmarshalMessages(stream, (message: object) => bodies.push(new Message(messageToJsFmt(message)).body), options)
  for (const chunk of chunks) stream.write(chunk)
  await new Promise((resolve) => setTimeout(resolve, 5))
  return { bodies, error }
}

describe('writing', () => {
  test('leaves the message as it was: it can be sent again', () => {
    const make = () => call('a{sv}v', { k: new Variant('ay', Buffer.from([1])) }, new Variant('s', 'x'))
    const message = make()
    expect(marshallMessage(message)).toEqual(marshallMessage(message))
    expect(message).toEqual(make())
    // What the codec refuses goes by the peer, which writes into what it is given.
    const refused = call('vu', new Variant('s', 'x'), 'no number')
    expect(() => marshallMessage(refused)).toThrow('was not of type number')
    expect(refused.body).toEqual([new Variant('s', 'x'), 'no number'])
  })

  test('refuses the least int64 as its tests have it', () => {
    expect(() => write('x', -(2n ** 63n))).toThrow('data was out of range (less than min int64)')
    expect(write('x', -(2n ** 63n) + 1n)).toBeInstanceOf(Buffer)
  })

  test.each([
    ['a{uv}', { 4000000000: new Variant('s', 'x') }],
    ['a{ts}', { '9007199254740993': 'exact' }],
    ['a{bs}', { true: 'yes' }],
    ['a{ds}', { '-1.5': 'half' }],
    ['a{ss}', JSON.parse('{"__proto__":"own"}')],
  ])('sends %s as %o and reads it back', async (signature, dict) => {
    expect((await read([write(signature, dict)])).bodies).toEqual([[dict]])
  })

  test('takes Maps and typed arrays', async () => {
    const { bodies } = await read([write('a{qs}ad', new Map([[7, 'seven']]), new Float64Array([0.5]))])
    expect(bodies).toEqual([[{ 7: 'seven' }, [0.5]]])
    expect(() => write('ad', new Float64Array([Number.NaN]))).toThrow()
  })

  test('takes anything with digits as 64-bit integer', async () => {
    expect((await read([write('xtx', '-5', 7, { toString: () => '9' })])).bodies).toEqual([[-5n, 7n, 9n]])
  })

  test('gives the descriptors and writes their indexes', async () => {
    const [bytes, fds] = marshallMessage(call('hsv', 33, 'x', new Variant('ah', [34, 33])))
    expect(fds).toEqual([33, 34, 33])
    const stream = new DescriptorStream()
    const bodies: unknown[] = []
    unmarshalMessages(stream, (message: { body: unknown[] }) => bodies.push(message.body))
    stream.receive(bytes, [53, 54, 55])
    expect(bodies).toEqual([[53, 'x', new Variant('ah', [54, 55])]])
  })

  test('refuses a descriptor that is undefined in the peer’s words', () => {
    expect(() => write('h', undefined)).toThrow('expected value for signature')
    expect(marshallMessage(call('h', 33))[1]).toEqual([33])
  })

  test('a getter that sends another message does not mix its descriptors in', () => {
    const inner: unknown[][] = []
    const body = [
      new Variant('a{sv}', {
        get a() {
          inner.push(marshallMessage(call('h', 99)).slice(1))
          return new Variant('h', 5)
        },
      }),
      6,
    ]
    expect(marshallMessage(call('vh', ...body))[1]).toEqual([5, 6])
    expect(inner[0]).toEqual([[99]])
  })
})

describe('reading', () => {
  test('gives bytes as Buffer, or as numbers with ayBuffer: false', async () => {
    const bytes = write('ayv', Buffer.from([1, 2]), new Variant('ay', Buffer.from([3])))
    expect((await read([bytes])).bodies).toEqual([[Buffer.from([1, 2]), new Variant('ay', Buffer.from([3]))]])
    expect((await read([bytes], { ayBuffer: false })).bodies).toEqual([[[1, 2], new Variant('ay', [3])]])
  })

  test('gives bigint, or JSBI after setBigIntCompat(true), from one message to the next', async () => {
    const JSBI = createRequire(require.resolve('dbus-next'))('jsbi')
    const bytes = write('xtax', -5n, 2n ** 64n - 1n, [-1n, 2n ** 40n])
    const jsbi = (text: string) => JSBI.BigInt(text)
    dbus.setBigIntCompat(true)
    const { bodies } = await read([bytes])
    expect(bodies).toEqual([[jsbi('-5'), jsbi('18446744073709551615'), [jsbi('-1'), jsbi('1099511627776')]]])
    expect((bodies[0][0] as object).constructor).toBe(JSBI)
    expect(write('x', bodies[0][0])).toEqual(write('x', -5n))
    dbus.setBigIntCompat(false)
    expect((await read([bytes])).bodies[0][0]).toBe(-5n)
  })

  test('hands over each message with its own descriptors, though they come at once', () => {
    const stream = new DescriptorStream()
    const bodies: unknown[] = []
    unmarshalMessages(stream, (message: { body: unknown[] }) => bodies.push(message.body))
    const [first] = marshallMessage(call('h', 1))
    const [second] = marshallMessage(call('hh', 1, 2))
    stream.receive(Buffer.concat([first, write('s', 'none'), second.subarray(0, 20)]), [10, 11, 12])
    stream.receive(second.subarray(20))
    expect(bodies).toEqual([[10], ['none'], [11, 12]])
  })

  test('ends the connection when descriptors are missing', async () => {
    const stream = new DescriptorStream()
    unmarshalMessages(stream, () => {})
    const errors: unknown[] = []
    stream.on('error', (error) => errors.push(error))
    stream.receive(marshallMessage(call('h', 1))[0])
    expect(errors).toMatchObject([{ code: 'ERR_DBUS_FD_COUNT' }])
    expect(stream.destroyed).toBe(true)
    expect((await read([marshallMessage(call('h', 1))[0]])).error?.message).toContain('No FDs available')
  })

  test('closes the descriptors of a message that is refused, and those behind', async () => {
    const stream = new DescriptorStream()
    stream.on('error', () => {})
    unmarshalMessages(stream, () => {})
    const fds = Array.from({ length: 3 }, () => openSync('/dev/null', 'r'))
    const bad: Buffer = marshallMessage(call('hb', 1, true))[0]
    bad[bad.length - 4] = 2
    stream.receive(bad, fds)
    await new Promise((resolve) => setTimeout(resolve, 20))
    for (const fd of fds) expect(() => fstatSync(fd)).toThrow('EBADF')
  })

  test('goes on behind a handler’s exception', async () => {
    const stream = new PassThrough()
    const seen: number[] = []
    unmarshalMessages(stream, ({ serial }: { serial: number }) => seen.push(serial) === 1 && fail())
    const fail = () => {
      throw new Error('from the handler')
    }
    const [listener] = stream.listeners('readable')
    stream.removeListener('readable', listener as () => void)
    stream.write(Buffer.concat([write('s', 'a'), write('s', 'b')]))
    expect(() => listener()).toThrow('from the handler')
    stream.write(write('s', 'c'))
    listener()
    expect(seen.length).toBe(3)
    expect(stream.destroyed).toBe(false)
  })

  test('leaves messages of the peer’s own form to the peer', () => {
    const raw = { type: 2, replySerial: 1, signature: 'v', body: [[[{ type: 's', child: [] }], ['x']]] }
    expect(new Message(messageToJsFmt(raw)).body).toEqual([new Variant('s', 'x')])
  })
})

test('the names’ checks still refuse', () => {
  for (let i = 0; i < 2; i++) {
    expect(() => new Message({ ...CALL, interface: 'none' })).toThrow('Invalid interface name: none')
    expect(() => new Message({ ...CALL, path: 'none' })).toThrow('Invalid object path: none')
    expect(() => new Message({ ...CALL, destination: 'none' })).toThrow('Invalid bus name: none')
  }
  for (let i = 0; i < 3000; i++) new Message({ ...CALL, path: `/a/${i}` })
})

describe('installing', () => {
  let folder: string
  let adapters: string
  beforeAll(async () => {
    adapters = await buildAdapters()
    folder = mkdtempSync(join(tmpdir(), 'dbus-codec-install-'))
  }, 60_000)
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
    rmSync(adapters, { recursive: true, force: true })
  })

  function run(source: string, flags: string[] = [], extension = 'cjs'): string {
    const file = join(folder, `app.${extension}`)
    writeFileSync(file, source)
    const { stdout, stderr } = spawnSync(process.execPath, [...flags, file], { encoding: 'utf8', cwd: process.cwd() })
    return (stdout + stderr).trim()
  }
  const root = JSON.stringify(join(process.cwd(), 'package.json'))
  const load = `const load = require('node:module').createRequire(${root})\n`
  const report = `console.log(Symbol.for('dbus-codec.adapter.dbus-next') in load('dbus-next/lib/marshall-compat'))\n`

  test('node -r registers it for an application as it is', () => {
    expect(run(`${load}load('dbus-next')\n${report}`, ['-r', join(adapters, 'dbus-next-register.cjs')])).toBe('true')
    expect(run(`${load}load('dbus-next')\n${report}`)).toBe('false')
  })

  test('node --import registers it for an application of modules', () => {
    const source = `
      import { createRequire } from 'node:module'
      const load = createRequire(${root})
      await import(load.resolve('dbus-next'))
      ${report}`
    expect(run(source, ['--import', join(adapters, 'dbus-next-register.cjs')], 'mjs')).toBe('true')
  })

  test('asks a loader that is not Node’s what it has loaded', () => {
    const file = '/somewhere/dbus-next/lib/connection.js'
    const load = Object.assign(() => ({}), { resolve: () => file, cache: { [file]: {} } })
    expect(() => install(load)).toThrow('dbus-next has been loaded already')
  })

  test('comes with a clear error when dbus-next has been loaded already', () => {
    const late = `${load}load('dbus-next')\nrequire(${JSON.stringify(join(adapters, 'dbus-next.cjs'))}).install()`
    expect(run(late)).toContain('dbus-next has been loaded already')
    expect(run(late.replace('install()', 'install(load)'))).toContain('dbus-next has been loaded already')
  })

  test('takes a require of its own, and may be called again', () => {
    const twice = `${load}const { install } = require(${JSON.stringify(join(adapters, 'dbus-next.cjs'))})
      install(load); install(load); install(); install(); load('dbus-next')\n${report}`
    expect(run(twice)).toBe('true')
  })
})
