// The README's examples, run as they stand there.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { createCodec, type Message, Variant } from '../js/index.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code as string)
const entry = fileURLToPath(new URL('../js/index.ts', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'dbus-codec-readme-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs an example between two pieces of code, as a module of its own. */
function runExample(number: number, before: string, after: string): Promise<Record<string, unknown>> {
  const path = join(folder, `example${number}.ts`)
  const code = (examples[number] as string).replaceAll("'dbus-codec'", JSON.stringify(entry))
  writeFileSync(path, `${before}\n${code}\n${after}\n`)
  return import(path)
}

const RSSI = ['org.bluez.Device1', { RSSI: new Variant('n', -67) }, []]

describe('the example', () => {
  test('of encoding and decoding gives what its comments say', async () => {
    const { bytes, message } = (await runExample(0, '', 'export { bytes, message }')) as { bytes: Uint8Array; message: Message }
    expect(message.member).toBe('PropertiesChanged')
    expect(message.body).toEqual(RSSI)
    expect(createCodec().validate(bytes)).toEqual({ valid: true })
  })

  test('of a socket gets messages whatever the chunks', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const before = "import { EventEmitter } from 'node:events'\nexport const socket = new EventEmitter()"
    const { socket } = (await runExample(1, before, '')) as { socket: { emit(name: string, chunk: Uint8Array): void } }
    const header = { type: 4, serial: 7, path: '/a', interface: 'a.b', member: 'M', signature: 'sa{sv}as' as const }
    const bytes = createCodec().encode({ ...header, body: RSSI } as never)
    for (const byte of bytes) socket.emit('data', Uint8Array.of(byte))
    expect(log.mock.calls).toEqual([['a.b', 'M', RSSI]])
    log.mockRestore()
  })

  test('of a verdict prints code and offset', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const bytes = createCodec().encode({
      type: 4,
      serial: 7,
      path: '/a',
      interface: 'a.b',
      member: 'M',
      signature: 'yu',
      body: [1, 2],
    })
    const at = bytes.length - 7
    bytes[at] = 0xff
    const before = [
      `import { createCodec } from ${JSON.stringify(entry)}`,
      `const codec = createCodec()`,
      `const bytes = Uint8Array.of(${bytes.join()})`,
    ]
    await runExample(2, before.join('\n'), 'export {}')
    expect(log.mock.calls).toEqual([['ERR_DBUS_PADDING', at]])
    log.mockRestore()
  })
})

test('every example is run', () => {
  expect(examples).toHaveLength(3)
})
