// dbus-codec demo: decodes captures, shows them, encodes every message again, and says how fast that went.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Codec, createCodec, isDBusCodecError, type Message } from '../index.ts'
import { bytesOfHex, type Capture, type Packet, readCapture } from './capture.ts'
import { type Comparison, compareAgain } from './compare.ts'
import { describeMessage, describeRefusal, MESSAGE_COLUMNS } from './describe.ts'
import { type Decoded, measureRates } from './rates.ts'
import { type Cell, formatTable } from './table.ts'
import { escapeText, grouped, paint, type Terminal } from './terminal.ts'
import { numberOption, wordOption } from './usage.ts'

export const DEMO_HELP = `dbus-codec demo [FILE | HEX]…

Decodes D-Bus messages, shows them in a table, encodes each again and compares, and measures messages per second.
FILE: pcap or pcapng (link type 231), messages back to back, one message in hexadecimal, or .jsonl test vectors.
Without one: the captures that the tests use.

  --all              every message, not only the first of each file
  --rows N           the first N messages of each file (12)
  --engine NAME      simd, baseline or js
  --seconds N        how long each rate is measured (0.5; 0 leaves the rates out)
  --strict           exit code 1 when a file has a cut record or garbage, or a message is refused
`

/** One file per kind of container and of writer. */
const DEFAULT_CAPTURES = [
  'captures/mock-bluez5.pcap',
  'captures/mock-networkmanager.pcap',
  'captures/mock-notifications.busctl-full.pcapng',
  'captures/dbus-broker.pcap',
  'captures/driver-errors-fds.pcap',
  'captures/types-gdbus.monitor-binary.bin',
  'capture-clients.jsonl',
]
const ENGINES = ['simd', 'baseline', 'js'] as const
const ROWS = 12
const SECONDS = 0.5
/** A file is read whole; nobody reads a table of a larger one. */
const MAX_FILE_LENGTH = 1 << 30
const MAX_PROBLEMS_SHOWN = 10

interface Options {
  readonly rows: number
  readonly seconds: number
}

/** What is known after all files. */
interface Totals {
  readonly mapped: Codec
  packets: number
  bytes: number
  problems: number
  cut: number
  readonly decoded: Decoded[]
  readonly comparisons: Comparison[]
  readonly refused: Map<string, number>
  readonly failures: string[]
}

/** Runs the command; the result is the exit code. */
export function demo(args: readonly string[], terminal: Terminal): number {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      all: { type: 'boolean', default: false },
      rows: { type: 'string', default: String(ROWS) },
      engine: { type: 'string' },
      seconds: { type: 'string', default: String(SECONDS) },
      strict: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) {
    terminal.write(DEMO_HELP)
    return 0
  }
  const options: Options = {
    rows: values.all ? Number.POSITIVE_INFINITY : numberOption('--rows', values.rows),
    seconds: numberOption('--seconds', values.seconds),
  }
  const engine = values.engine === undefined ? {} : { engine: wordOption('--engine', values.engine, ENGINES) }
  const codec = createCodec(engine)
  const inputs = positionals.length > 0 ? positionals : defaultCaptures()
  if (inputs.length === 0) {
    terminal.warn(`the test captures are not here; name a file\n\n${DEMO_HELP}`)
    return 2
  }

  const totals: Totals = {
    mapped: createCodec({ ...engine, dict: 'map' }) as unknown as Codec,
    packets: 0,
    bytes: 0,
    problems: 0,
    cut: 0,
    decoded: [],
    comparisons: [],
    refused: new Map(),
    failures: [],
  }
  let unreadable = 0
  for (const input of inputs) {
    const read = openCapture(codec, input)
    if (typeof read === 'string') {
      terminal.warn(`${escapeText(input)}: ${escapeText(read)}\n`)
      unreadable++
    } else showCapture(terminal, codec, basename(input), read, options, totals)
  }
  if (totals.packets > 0) showTotals(terminal, codec, totals, options)
  if (unreadable > 0 || totals.failures.length > 0) return 1
  return values.strict && totals.problems + totals.cut + totals.refused.size > 0 ? 1 : 0
}

/** Beside the bundle in a checkout, or two folders up from the source; an installed package has none. */
function defaultCaptures(): string[] {
  const folder = ['../test/vectors', '../../test/vectors']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path))
  return folder === undefined ? [] : DEFAULT_CAPTURES.map((name) => join(folder, name)).filter((path) => existsSync(path))
}

function openCapture(codec: Codec, input: string): Capture | string {
  const messageLength = (bytes: Uint8Array): number | undefined => codec.messageLength(bytes)
  let bytes: Uint8Array
  try {
    if (statSync(input).size > MAX_FILE_LENGTH) return `longer than ${MAX_FILE_LENGTH} bytes`
    bytes = readFileSync(input)
  } catch (error) {
    const hex = bytesOfHex(input)
    if (hex === undefined) return (error as Error).message
    return { format: 'hex', packets: [{ bytes: hex, offset: 0, length: hex.length }], problems: [] }
  }
  return readCapture(bytes, messageLength) ?? 'neither pcap, pcapng, D-Bus messages, hexadecimal text nor vectors'
}

function showCapture(t: Terminal, codec: Codec, name: string, capture: Capture, options: Options, totals: Totals): void {
  const { packets, problems } = capture
  const rows: Cell[][] = []
  const before = totals.comparisons.length
  let refused = 0
  packets.forEach((packet, index) => {
    const shown = index < options.rows
    const row = (cells: () => Cell[]) => shown && rows.push(cells())
    if (packet.length > packet.bytes.length) {
      totals.cut++
      row(() => describeCut(codec, index + 1, packet, t.columns))
      return
    }
    const message = decodeOrCount(codec, packet, totals)
    if (message instanceof Error) {
      refused++
      row(() => describeRefusal(index + 1, packet.name, message.message))
      return
    }
    row(() => describeMessage(index + 1, message, t.columns))
    totals.decoded.push({ bytes: packet.bytes, message })
    try {
      totals.comparisons.push(compareAgain(codec, totals.mapped, packet.bytes, message))
    } catch (error) {
      totals.failures.push(`${name} message ${index + 1}: ${(error as Error).message}`)
    }
  })

  const bytes = packets.reduce((sum, packet) => sum + packet.bytes.length, 0)
  const span = timeSpan(packets)
  const facts = [capture.format, `${grouped(packets.length)} messages`, `${grouped(bytes)} bytes`, ...(span ? [span] : [])]
  t.write(`\n${paint(t, 'bold', escapeText(name))}  ${paint(t, 'dim', facts.join(', '))}\n`)
  for (const line of formatTable(t, MESSAGE_COLUMNS, rows)) t.write(`${line}\n`)
  const hidden = packets.length - rows.length
  if (hidden > 0) t.write(`${paint(t, 'dim', `… ${grouped(hidden)} more (--all)`)}\n`)

  const compared = totals.comparisons.slice(before)
  const cut = packets.filter((packet) => packet.length > packet.bytes.length).length
  const verdicts = [`${grouped(packets.length - refused - cut)} valid`]
  if (refused > 0) verdicts.push(paint(t, 'red', `${grouped(refused)} refused`))
  if (cut > 0) verdicts.push(paint(t, 'yellow', `${grouped(cut)} cut by the snap length`))
  if (compared.length > 0) verdicts.push(`encoded again: ${describeComparisons(compared)}`)
  t.write(`${verdicts.join(', ')}\n`)
  for (const { offset, text } of problems.slice(0, MAX_PROBLEMS_SHOWN)) {
    t.write(`${paint(t, 'yellow', `at byte ${grouped(offset)} of the file: ${escapeText(text)}`)}\n`)
  }
  if (problems.length > MAX_PROBLEMS_SHOWN) t.write(`${problems.length - MAX_PROBLEMS_SHOWN} more problems\n`)

  totals.packets += packets.length
  totals.bytes += bytes
  totals.problems += problems.filter(({ harmless }) => !harmless).length
}

/** Validated and decoded: the two must agree, and a disagreement is a failure of the codec, not of the message. */
function decodeOrCount(codec: Codec, { bytes }: Packet, totals: Totals): Message | Error {
  const verdict = codec.validate(bytes)
  try {
    const message = codec.decode(bytes) as Message
    if (!verdict.valid) totals.failures.push(`decoded, but not valid: ${verdict.error.message}`)
    return message
  } catch (error) {
    if (!isDBusCodecError(error)) throw error
    if (verdict.valid) totals.failures.push(`valid, but not decoded: ${error.message}`)
    totals.refused.set(error.code, (totals.refused.get(error.code) ?? 0) + 1)
    return error
  }
}

/** A message that the capture tool cut: its header is often there, and is shown. */
function describeCut(codec: Codec, number: number, packet: Packet, limit: number): Cell[] {
  const note = `cut: ${grouped(packet.bytes.length)} of ${grouped(packet.length)} bytes`
  try {
    const header = { ...codec.decodeHeader(headerAlone(codec, packet.bytes)), body: [] } as Message
    const row = describeMessage(number, { ...header, signature: '' }, limit)
    return [...row.slice(0, -2), { text: header.signature, style: 'dim' }, { text: note, style: 'yellow' }]
  } catch (error) {
    if (!isDBusCodecError(error)) throw error
    return describeRefusal(number, packet.name, note)
  }
}

/** The bytes up to the body, which is said to be empty: the header of a cut message can then be decoded. */
function headerAlone(codec: Codec, bytes: Uint8Array): Uint8Array {
  const header = Uint8Array.from(bytes)
  header.fill(0, 4, 8)
  return header.subarray(0, codec.messageLength(header))
}

function timeSpan(packets: readonly Packet[]): string | undefined {
  const from = packets[0]?.time
  const to = packets.at(-1)?.time
  if (from === undefined || to === undefined || to <= from) return undefined
  const seconds = Number((to - from) / 1_000_000n) / 1000
  return seconds < 600 ? `over ${seconds.toFixed(1)} s` : `over ${(seconds / 60).toFixed(0)} min`
}

function tally(texts: Iterable<string>): [text: string, count: number][] {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])
}

function describeComparisons(comparisons: readonly Comparison[]): string {
  const identical = comparisons.filter((comparison) => comparison.identical).length
  const reasons = tally(comparisons.flatMap((comparison) => comparison.reasons))
  const why = reasons.map(([reason, count]) => `${grouped(count)} ${reason}`).join('; ')
  return `${grouped(identical)} of ${grouped(comparisons.length)} byte for byte${why === '' ? '' : ` (${why})`}`
}

function showTotals(t: Terminal, codec: Codec, totals: Totals, { seconds }: Options): void {
  const { comparisons, decoded, refused, failures } = totals
  const line = (name: string, text: string) => t.write(`${paint(t, 'bold', name.padEnd(15))}${text}\n`)
  t.write('\n')
  const notDecoded = totals.packets - decoded.length - totals.cut
  line(
    'messages',
    `${grouped(totals.packets)} in ${grouped(totals.bytes)} bytes: ${grouped(decoded.length)} valid, ${grouped(notDecoded)} refused`,
  )
  for (const [code, count] of [...refused].sort((a, b) => b[1] - a[1])) line('', `${grouped(count)} × ${code}`)

  if (comparisons.length > 0) {
    const same = comparisons.filter(({ identical }) => identical).length
    const bodyBytes = comparisons.reduce((sum, { bodyLength }) => sum + bodyLength, 0)
    const sameBytes = comparisons.reduce((sum, { bodyLength, bodyIdentical }) => sum + (bodyIdentical ? bodyLength : 0), 0)
    const sameBodies = comparisons.filter(({ bodyIdentical }) => bodyIdentical).length
    line('encoded again', `${grouped(same)} of ${grouped(comparisons.length)} messages byte for byte identical`)
    line(
      '',
      `bodies: ${grouped(sameBodies)} of ${grouped(comparisons.length)} identical, ${grouped(sameBytes)} of ${grouped(bodyBytes)} bytes`,
    )
    for (const [reason, count] of tally(comparisons.flatMap(({ reasons }) => reasons))) line('', `${grouped(count)} × ${reason}`)
    const different = comparisons.filter(({ identical }) => !identical)
    for (const [order, count] of tally(different.map(({ order }) => order)).slice(0, 5)) {
      line('', paint(t, 'dim', `${grouped(count)} written as: ${order}`))
    }
  }
  for (const failure of failures) line('failed', paint(t, 'red', escapeText(failure)))

  line('engine', `${codec.engine.name}: ${codec.engine.reason}`)
  if (seconds === 0 || decoded.length === 0) return
  for (const { verb, messagesPerSecond, bytesPerSecond } of measureRates(codec, decoded, seconds)) {
    const megabytes = (bytesPerSecond / 1e6).toFixed(0)
    const each = (1e9 / messagesPerSecond).toFixed(0)
    line(
      verb,
      `${grouped(messagesPerSecond).padStart(10)} messages/s   ${each.padStart(6)} ns each   ${megabytes.padStart(5)} MB/s`,
    )
  }
}
