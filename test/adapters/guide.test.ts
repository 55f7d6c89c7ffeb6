// The worked example of docs/adapters.md, run as it stands there.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { createCodec, type Message, type MessageInput } from '../../js/index.ts'

const guide = readFileSync(new URL('../../docs/adapters.md', import.meta.url), 'utf8')
const [example, ...others] = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code)
const entry = fileURLToPath(new URL('../../js/index.ts', import.meta.url))

const folder = mkdtempSync(join(tmpdir(), 'dbus-codec-guide-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, 'example.ts')
writeFileSync(file, example.replaceAll("'dbus-codec'", JSON.stringify(entry)))

interface Example {
  Typed: new (type: string, value: unknown) => object
  ObjectPath: new (text: string) => object
  send(stream: Duplex, message: object): void
  receive(stream: Duplex, onMessage: (message: Message) => void): void
}
const { Typed, ObjectPath, send, receive } = (await import(file)) as Example

/** A stream of which a test sees what is written and says what is read. */
function stream(): Duplex & { written: Buffer[] } {
  const written: Buffer[] = []
  const duplex = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk)
      done()
    },
  })
  return Object.assign(duplex, { written })
}

const SIGNAL = { type: 4, serial: 7, path: '/a', interface: 'a.b', member: 'M' }
const BODY = [
  '-5',
  '18446744073709551615',
  new ObjectPath('/b'),
  new Map<string, object>([['k', new Typed('ay', Buffer.from([1, 2]))]]),
]

test('is the only example', () => {
  expect(others).toEqual([])
})

test('gives and takes the values of its library', async () => {
  const out = stream()
  send(out, { ...SIGNAL, signature: 'xtoa{sv}', body: BODY })
  const seen: Message[] = []
  const back = stream()
  receive(back, (message) => seen.push(message))
  for (const byte of Buffer.concat(out.written)) back.push(Buffer.of(byte))
  await new Promise((resolve) => setImmediate(resolve))
  expect(seen).toMatchObject([SIGNAL])
  expect(seen[0].body).toEqual(BODY)
})

test('refuses what is not of its library with its own error', () => {
  expect(() => send(stream(), { ...SIGNAL, signature: 'v', body: ['text'] })).toThrow(new TypeError('a variant must be a Typed'))
})

test('ends the stream at a broken message', async () => {
  const bytes = Buffer.from(createCodec().encode({ ...SIGNAL, signature: 'b', body: [true] } as MessageInput))
  bytes[bytes.length - 4] = 2
  const back = stream()
  receive(back, () => expect.unreachable())
  const error = new Promise((resolve) => back.once('error', resolve))
  back.push(bytes)
  expect(await error).toMatchObject({ code: 'ERR_DBUS_BOOLEAN' })
})
