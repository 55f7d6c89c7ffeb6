// The oracle has to be right before it may judge others: what it says is compared with what was recorded with the vectors.
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { openOracle } from './oracle/oracle.ts'

interface Row {
  name: string
  hex: string
  valid: boolean
  verdicts?: { libdbus: boolean }
}

const read = (file: string) =>
  readFileSync(new URL(`vectors/${file}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
const bytesOf = (row: Row) => Buffer.from(row.hex, 'hex')

const libdbus = openOracle('libdbus')
const gdbus = openOracle('gdbus')
afterAll(() => {
  libdbus?.close()
  gdbus?.close()
})

const FILES = [
  'capture-clients.jsonl',
  'capture-driver-errors-fds.jsonl',
  'capture-types-gdbus.jsonl',
  'hostile.jsonl',
  'hostile-mutants.jsonl',
  'random-valid.jsonl',
]

// A signal with UNIX_FDS 2 as its last field, after an unknown field of type "ay" whose bytes look just like it.
const DISGUISED = Buffer.from(
  [
    '6c040001 00000000 01000000 50000000',
    '01016f00 02000000 2f61000000000000',
    '02017300 03000000 612e620000000000',
    '03017300 01000000 4d00000000000000',
    '3f026179 00000000 0c000000 00000000 0901750002000000',
    '09017500 02000000',
  ]
    .join('')
    .replaceAll(' ', ''),
  'hex',
)

describe.skipIf(libdbus === undefined)('the libdbus oracle', () => {
  it.each(FILES)('gives the verdict recorded in %s', async (file) => {
    const rows: Row[] = read(file)
    const answers = await libdbus!.ask(rows.map(bytesOf))
    const differing = rows.filter((row, i) => {
      const accepted = answers[i].verdict === 'ok' && answers[i].left === 0
      return accepted !== (row.verdicts?.libdbus ?? row.valid)
    })
    expect(differing.map((row) => row.name)).toEqual([])
  })

  it('gives a reason with every refusal', async () => {
    const answers = await libdbus!.ask(read('hostile-mutants.jsonl').map(bytesOf))
    for (const { verdict, reason } of answers) expect(verdict === 'bad').toBe(reason !== '')
  })

  it('tells a cut message from a bad one, and what follows a message', async () => {
    const bytes = bytesOf(read('random-valid.jsonl')[0])
    const [whole, cut, short, twice, bad] = await libdbus!.ask([
      bytes,
      bytes.subarray(0, -1),
      bytes.subarray(0, 15),
      Buffer.concat([bytes, Buffer.alloc(20, 255)]),
      Buffer.alloc(16),
    ])
    expect([whole, cut, short, twice, bad].map((answer) => answer.verdict)).toEqual(['ok', 'more', 'more', 'ok', 'bad'])
    expect(twice.left).toBe(20)
    expect(bad.reason).toBe('Bad byte order')
  })

  it('counts no descriptors, whatever an unknown field looks like', async () => {
    const bytes = Buffer.from(DISGUISED)
    const [{ verdict, payload }] = await libdbus!.ask([bytes], 'values')
    expect(verdict).toBe('ok')
    expect(JSON.parse(String(payload)).unix_fds).toBe(2)
    bytes[1] = 0
    expect((await libdbus!.ask([bytes]))[0].reason).toBe('Bad message type')
  })

  it('judges signatures and names', async () => {
    const ask = async (kind: 'signature' | 'path' | 'interface' | 'member' | 'busName', texts: string[]) =>
      (
        await libdbus!.ask(
          texts.map((text) => Buffer.from(text, 'latin1')),
          kind,
        )
      ).map((answer) => answer.verdict === 'ok')
    expect(await ask('signature', ['', 'a{sv}', 'a', '(a{sv)}', 's\0s'])).toEqual([true, true, false, false, false])
    expect(await ask('path', ['/', '/a/b', '/a/', ''])).toEqual([true, true, false, false])
    expect(await ask('interface', ['a.b', 'a', 'a.b\0'])).toEqual([true, false, false])
    expect(await ask('member', ['M', '1', 'a.b'])).toEqual([true, false, false])
    expect(await ask('busName', [':1.2', 'a.b-c', ':'])).toEqual([true, true, true])
  })

  it('swaps a message to the order of this machine', async () => {
    const bytes = read('capture-types-gdbus.jsonl').map(bytesOf)
    const values = async (messages: Uint8Array[]) =>
      (await libdbus!.ask(messages, 'values')).map((answer) => JSON.parse(String(answer.payload)).body)
    const native = (await libdbus!.ask(bytes, 'native')).map((answer) => answer.payload!)
    expect(new Set(bytes.map((message) => message[0])).size).toBe(2)
    expect(new Set(native.map((message) => message[0])).size).toBe(1)
    expect(await values(native)).toEqual(await values(bytes))
  })
})

describe('the values', () => {
  const files = new Map<string, Map<string, Row>>()
  for (const file of FILES) files.set(file, new Map(read(file).map((row: Row) => [row.name, row])))
  const rows: { file: string; name: string; value: object }[] = read('values.jsonl').filter((row) => files.has(row.file))
  const bytes = rows.map((row) => bytesOf(files.get(row.file)!.get(row.name)!))

  it.skipIf(libdbus === undefined)('of libdbus are those recorded, but for what its API does not show', async () => {
    const answers = await libdbus!.ask(bytes, 'values')
    rows.forEach((row, i) => {
      const recorded = JSON.stringify(row.value)
        .replaceAll(/\["h",\d+\]/g, '["h",null]')
        .replace('"unix_fds":0', '"unix_fds":null')
      expect(JSON.stringify(JSON.parse(String(answers[i].payload)))).toBe(recorded)
    })
  })

  it.skipIf(gdbus === undefined)('of GDBus are those recorded', async () => {
    const answers = await gdbus!.ask(bytes, 'values')
    rows.forEach((row, i) => {
      expect(JSON.parse(String(answers[i].payload))).toEqual(row.value)
    })
  })
})
