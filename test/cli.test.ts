import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { runCommand } from '../js/cli/commands.ts'
import { compareAgain } from '../js/cli/compare.ts'
import { describeBody, describeMessage } from '../js/cli/describe.ts'
import { measureRates } from '../js/cli/rates.ts'
import { fitColumns, formatTable } from '../js/cli/table.ts'
import { clip, escapeText, grouped, type Terminal, textWidth, wantsColour } from '../js/cli/terminal.ts'
import { type Codec, createCodec, type Message, Variant } from '../js/index.ts'
import { ENGINES } from './engines.ts'

interface Recorder extends Terminal {
  out: string
  err: string
}

function recorder(columns = 160, colour = false): Recorder {
  const terminal: Recorder = {
    out: '',
    err: '',
    columns,
    colour,
    write(text) {
      terminal.out += text
    },
    warn(text) {
      terminal.err += text
    },
  }
  return terminal
}

async function run(args: readonly string[], terminal = recorder()): Promise<{ code: number; out: string; err: string }> {
  const code = await runCommand(args, terminal)
  return { code, out: terminal.out, err: terminal.err }
}

const vector = (name: string): string => fileURLToPath(new URL(`vectors/${name}`, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'dbus-codec-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const codec = createCodec()
const signal = (signature: string, body: unknown[], more: Partial<Message> = {}): Uint8Array =>
  codec.encode({ type: 4, serial: 9, path: '/a', interface: 'a.b', member: 'M', signature, body, ...more } as never)

describe('text for a terminal', () => {
  test('has no control character, direction mark, lone surrogate or unassigned character left', () => {
    expect(escapeText('\x1b]52;c;QQ==\x07')).toBe('\\x1b]52;c;QQ==\\x07')
    expect(escapeText('a\u202eb\u2066\u200b\u2028\u0085\x7f')).toBe('a\\u{202e}b\\u{2066}\\u{200b}\\u{2028}\\x85\\x7f')
    expect(escapeText('\ud83d \n\t\r\ue000')).toBe('\\u{d83d} \\n\\t\\r\\u{e000}')
    expect(escapeText('Grüße 世界 😀')).toBe('Grüße 世界 😀')
  })

  test('is measured and cut by columns, not by code units', () => {
    expect(['abc', '世界', '😀', 'e\u0301'].map(textWidth)).toEqual([3, 4, 2, 1])
    expect(clip('abcdef', 4)).toBe('abc…')
    expect(clip('abcdef', 4, 'end')).toBe('…def')
    expect(clip('世界世界', 4)).toBe('世…')
    expect(clip('abc', 3)).toBe('abc')
    expect(clip('abc', 0)).toBe('')
    expect([7, 1234, 1234567.4].map(grouped)).toEqual(['7', '1 234', '1 234 567'])
  })

  test('is coloured as NO_COLOR, FORCE_COLOR, TERM and the kind of stream say', () => {
    expect(wantsColour({}, true)).toBe(true)
    expect(wantsColour({}, false)).toBe(false)
    expect(wantsColour({ NO_COLOR: '1' }, true)).toBe(false)
    expect(wantsColour({ NO_COLOR: '' }, true)).toBe(true)
    expect(wantsColour({ FORCE_COLOR: '1', NO_COLOR: '1' }, false)).toBe(true)
    expect(wantsColour({ FORCE_COLOR: '' }, false)).toBe(true)
    expect(wantsColour({ FORCE_COLOR: '0' }, true)).toBe(false)
    expect(wantsColour({ TERM: 'dumb' }, true)).toBe(false)
  })
})

describe('a table', () => {
  const columns = [
    { title: 'n', least: 2, most: 4, align: 'right' as const },
    { title: 'name', least: 4, most: 20 },
    { title: 'body', least: 4, most: 1000 },
  ]
  const rows = [
    [{ text: '1' }, { text: 'short' }, { text: 'x'.repeat(300) }],
    [{ text: '22' }, { text: 'a name that is long' }, { text: 'y' }],
  ]

  test('takes no more columns than cells need, and no more than there are', () => {
    expect(fitColumns(columns, rows, 1000)).toEqual([2, 19, 300])
    expect(fitColumns(columns, rows, 60)).toEqual([2, 19, 35])
    expect(fitColumns(columns, rows, 20)).toEqual([2, 7, 7])
  })

  test.each([5, 12, 20, 40, 80, 200])('has no line longer than %d columns', (width) => {
    for (const colour of [false, true]) {
      for (const line of formatTable(recorder(width, colour), columns, rows)) {
        expect(textWidth(stripVTControlCharacters(line))).toBeLessThanOrEqual(width)
      }
    }
  })
})

describe('a body in short', () => {
  test('shows each type as a person writes it', () => {
    const shown = (signature: string, value: unknown): string => describeBody(signature, [value], 200)
    expect(shown('s', 'a "b"\n')).toBe('"a "b"\\n"')
    expect(shown('o', '/a/b')).toBe('/a/b')
    expect(shown('g', 'a{sv}')).toBe('a{sv}')
    expect(shown('t', 18446744073709551615n)).toBe('18446744073709551615')
    expect(shown('d', -0.5)).toBe('-0.5')
    expect(shown('b', true)).toBe('true')
    expect(shown('h', 2)).toBe('fd 2')
    expect(shown('v', new Variant('v', new Variant('s', 'x')))).toBe('"x"')
    expect(
      shown('(sa(ii)v)', [
        'x',
        [
          [1, 2],
          [3, 4],
        ],
        new Variant('y', 7),
      ]),
    ).toBe('("x", [(1, 2), (3, 4)], 7)')
    expect(shown('a{sv}', { RSSI: new Variant('n', -67), Name: new Variant('s', 'x') })).toBe('{RSSI: -67, Name: "x"}')
    expect(shown('a{ta{ss}}', new Map([[5n, { a: 'b' }]]))).toBe('{5: {a: "b"}}')
    expect(shown('ai', new Int32Array([1, -2]))).toBe('[1, -2]')
    expect(shown('aas', [['a'], []])).toBe('[["a"], []]')
    expect(shown('ay', new Uint8Array([1, 255]))).toBe('<01 ff>')
    expect(shown('ay', new Uint8Array(300))).toBe(`<${Array(12).fill('00').join(' ')} … 300 bytes>`)
    expect(shown('ay', new TextEncoder().encode('eduroam\0'))).toBe('b"eduroam"')
    expect(shown('ay', new Uint8Array())).toBe('<>')
    expect(describeBody('sas', ['a', ['b']], 200)).toBe('"a", ["b"]')
    expect(describeBody('', [], 200)).toBe('')
  })

  test('looks at no more of a large body than it shows', () => {
    let read = 0
    const endless = {
      *[Symbol.iterator]() {
        for (;;) {
          read++
          yield 'item'
        }
      },
    }
    expect(describeBody('as', [endless], 100).length).toBeLessThan(120)
    expect(read).toBeLessThan(30)
    expect(describeBody('s', ['x'.repeat(1e6)], 100).length).toBeLessThan(110)
    expect(describeBody('sss', ['x'.repeat(1e6), 'y', 'z'], 100)).not.toContain('y')
  })
})

describe('a row', () => {
  const texts = (message: Partial<Message>): string[] =>
    describeMessage(1, { type: 1, flags: 0, serial: 5, signature: '', body: [], ...message } as Message, 100).map(
      ({ text }) => text,
    )

  test('says who asked whom for what', () => {
    const call = { sender: ':1.2', destination: 'org.bluez', path: '/', interface: 'a.b', member: 'Get' }
    expect(texts(call)).toEqual(['1', 'call', '5', ':1.2 → org.bluez', '/', 'a.b.Get', '', ''])
    expect(texts({ ...call, interface: undefined })[5]).toBe('Get')
  })

  test('says what a reply replies to, and the name of an error', () => {
    const error = { type: 3, replySerial: 4, errorName: 'a.Failed', signature: 's', body: ['no'] }
    expect(texts(error)).toEqual(['1', 'error', '5 ↩ 4', '? → ?', '', 'a.Failed', 's', '"no"'])
  })

  test('says that a signal without a destination goes to all, and passes unknown types', () => {
    expect(texts({ type: 4, sender: ':1.1' })[3]).toBe(':1.1 → *')
    expect(texts({ type: 77 })[1]).toBe('type 77')
  })
})

describe.each(ENGINES)('encoding again, engine %s', (engine) => {
  const own = createCodec({ engine })
  const mapped = createCodec({ engine, dict: 'map' }) as unknown as Codec
  // Made by hand: fields in any order, of any code.
  function message(fields: [code: number, value: Variant][], body: Uint8Array = new Uint8Array()): Uint8Array {
    const head = own.marshal('yyyyuua(yv)', [0x6c, 4, 0, 1, body.length, 9, fields])
    return Buffer.concat([head, Buffer.alloc(-head.length & 7), body])
  }
  const path: [number, Variant] = [1, new Variant<string>('o', '/a')]
  const name: [number, Variant] = [2, new Variant<string>('s', 'a.b')]
  const member: [number, Variant] = [3, new Variant<string>('s', 'M')]
  const compare = (bytes: Uint8Array) => compareAgain(own, mapped, bytes, own.decode(bytes) as Message)

  test('gives the same bytes for what it wrote itself, in both byte orders', () => {
    for (const byteOrder of ['little', 'big'] as const) {
      const input = { type: 4, serial: 9, path: '/a', interface: 'a.b', member: 'M', signature: 'sa{sv}', body: ['x', {}] }
      const result = compare(own.encode(input as never, { byteOrder }))
      expect(result).toMatchObject({ identical: true, bodyIdentical: true, reasons: [] })
    }
  })

  test("names the writer's order of fields as the reason when it is the only one", () => {
    const result = compare(message([member, name, path]))
    expect(result.reasons).toEqual(["field order: the writer's is not ours"])
    expect(result.order).toBe('member interface path')
    expect(result.bodyIdentical).toBe(true)
  })

  test('names unknown fields and empty signatures that are left out', () => {
    expect(compare(message([path, name, member, [99, new Variant<string>('s', 'x')]])).reasons).toEqual([
      'an unknown field is left out',
    ])
    const empty = compare(message([path, name, member, [8, new Variant<string>('g', '')]]))
    if (!empty.identical) expect(empty.reasons).toEqual(['an empty signature field is left out'])
  })

  test('names a body of the same values in other bytes, and why', () => {
    const dict = (...entries: [string, string][]) => {
      const body = own.marshal('a(ss)', [entries])
      return compare(message([path, name, member, [8, new Variant<string>('g', 'a{ss}')]], body))
    }
    // The last value of a key counts, and is written once.
    const twice = dict(['k', 'a'], ['k', 'b'])
    expect(twice.bodyIdentical).toBe(false)
    expect(twice.reasons).toEqual([expect.stringContaining('a dict has a key twice')])
    const ordered = dict(['b', 'x'], ['1', 'y'])
    if (!ordered.bodyIdentical) expect(ordered.reasons).toEqual([expect.stringContaining('integer-like keys')])
  })
})

describe('dbus-codec', () => {
  test('lists its commands, and explains each', async () => {
    for (const args of [[], ['help'], ['--help'], ['-h']]) {
      const { code, out } = await run(args)
      expect(code).toBe(0)
      expect(out).toContain('demo')
    }
    expect((await run(['help', 'demo'])).out).toBe((await run(['demo', '--help'])).out)
  })

  test('answers wrong use with 2, a sentence and the help', async () => {
    for (const args of [
      ['nonsense'],
      ['constructor'],
      ['demo', '--nonsense'],
      ['demo', '--rows', 'x'],
      ['demo', '--seconds', '-1'],
      ['demo', '--engine', 'x'],
    ]) {
      const { code, out, err } = await run(args)
      expect([code, out]).toEqual([2, ''])
      expect(err).toContain('dbus-codec')
    }
  })
})

describe('dbus-codec demo', () => {
  const quick = ['demo', '--seconds', '0']

  test('shows the real captures: none refused, every difference explained', async () => {
    const { code, out, err } = await run(quick)
    expect([code, err]).toEqual([0, ''])
    for (const name of [
      'mock-bluez5.pcap',
      'mock-networkmanager.pcap',
      'mock-notifications',
      'dbus-broker.pcap',
      'capture-clients.jsonl',
    ]) {
      expect(out).toContain(name)
    }
    expect(out).toContain('0 refused')
    expect(out).not.toContain('other values')
    expect(out).not.toContain('failed')
    const bodies = /bodies: ([\d ]+) of ([\d ]+) identical/.exec(out)
    const [same, all] = (bodies ?? []).slice(1).map((text) => Number(text.replaceAll(' ', '')))
    // One signal of types-gdbus has the key "0" in the middle of a dict.
    expect(all - same).toBeLessThanOrEqual(1)
    expect(out).not.toContain('key twice')
    expect(out).toMatch(/byte for byte identical/)
    expect(out).toContain(`engine         ${codec.engine.name}`)
  })

  test.each(ENGINES)('measures on engine %s', async (engine) => {
    const { code, out } = await run(['demo', '--seconds', '0.001', '--engine', engine, vector('capture-clients.jsonl')])
    expect(code).toBe(0)
    expect(out).toContain(`engine         ${engine}`)
    for (const verb of ['decode', 'encode', 'validate']) expect(out).toMatch(new RegExp(`^${verb} +[\\d ]+ messages/s`, 'm'))
    expect(measureRates(codec, [], 0)).toHaveLength(3)
  })

  test('shows the first rows of a file, or as many as asked for, or all', async () => {
    const rows = async (...args: string[]): Promise<number> => {
      const { out } = await run([...quick, ...args, vector('capture-clients.jsonl')])
      return out.split('\n').filter((line) => /^ *\d+ {2}(call|return|error|signal)/.test(line)).length
    }
    expect(await rows()).toBe(12)
    expect(await rows('--rows', '3')).toBe(3)
    expect(await rows('--all')).toBe(77)
  })

  test.each([60, 80, 120, 200])('fits a terminal of %d columns', async (columns) => {
    const { out } = await run([...quick, vector('captures/mock-bluez5.pcap')], recorder(columns))
    for (const line of out.split('\n').filter((text) => /^ {0,3}(#|\d+) {2}/.test(text)))
      expect(textWidth(line)).toBeLessThanOrEqual(columns)
  })

  test('has colours when the terminal has, and the same text', async () => {
    const plain = await run([...quick, vector('capture-clients.jsonl')])
    const coloured = await run([...quick, vector('capture-clients.jsonl')], recorder(160, true))
    expect(coloured.out).toContain('\x1b[')
    expect(plain.out).not.toContain('\x1b[')
    expect(stripVTControlCharacters(coloured.out)).toBe(plain.out)
  })

  test('takes a hexadecimal argument and a hexadecimal file', async () => {
    const hex = Buffer.from(signal('s', ['by hand'])).toString('hex')
    for (const input of [hex, file('one.hex', `${hex.slice(0, 20)}\n  ${hex.slice(20)}\n`)]) {
      const { code, out } = await run([...quick, input])
      expect(code).toBe(0)
      expect(out).toContain('"by hand"')
    }
  })

  test('lets no escape sequence of a peer through', async () => {
    const bytes = signal('sa{sv}v', [
      '\x1b[2J\x1b]0;gone\x07',
      { '\u202e': new Variant('s', '\x9b31m') },
      new Variant('as', ['\r\x1b']),
    ])
    const { out } = await run([...quick, '--all', file('evil.bin', bytes)])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
    expect(out.replaceAll('\n', '')).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/)
    expect(out).toContain('\\x1b[2J')
  })

  test('says of hostile messages why each is refused, and leaves the exit code to --strict', async () => {
    const path = vector('hostile.jsonl')
    const { code, out } = await run([...quick, '--all', path])
    expect(code).toBe(0)
    expect(out).toMatch(/alignment padding is not zero, at byte \d+/)
    expect(out).toContain('× ERR_DBUS_PADDING')
    expect((await run([...quick, '--strict', path])).code).toBe(1)
  })

  test('marks messages that the snap length cut, with what the header says', async () => {
    const { code, out } = await run([...quick, '--all', vector('captures/mock-notifications.busctl.pcapng')])
    expect(code).toBe(0)
    expect(out).toMatch(/Notifications\.Notify .* cut: 4 096 of [\d ]+ bytes/)
    expect(out).toContain('cut by the snap length')
  })

  test('reports a cut record with its offset; only --strict makes it a failure', async () => {
    const whole = readFileSync(vector('captures/dbus-broker.pcap'))
    const path = file('cut.pcap', whole.subarray(0, whole.length - 5))
    const { code, out } = await run([...quick, path])
    expect(code).toBe(0)
    expect(out).toMatch(/at byte [\d ]+ of the file: the last record is cut/)
    expect((await run([...quick, '--strict', path])).code).toBe(1)
    expect((await run([...quick, '--strict', vector('captures/dbus-broker.pcap')])).code).toBe(0)
  })

  test('goes on after a file that cannot be read, and fails in the end', async () => {
    const { code, out, err } = await run([
      ...quick,
      join(folder, 'missing'),
      file('text', 'hello'),
      vector('capture-clients.jsonl'),
    ])
    expect(code).toBe(1)
    expect(err).toContain('ENOENT')
    expect(err).toContain('neither pcap')
    expect(out).toContain('capture-clients.jsonl')
  })
})
