// Where does the time go? Shares of copy, header, walk, text and object building in a decode, and of the type checks in an
// encode, for a small message and a large one. Sampled by V8's profiler; what runs inside WebAssembly is split by timing its
// parts.

import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { SourceMap } from 'node:module'
import { interleave, under } from './drive/local.js'
import { options } from './drive/options.js'
import { context, save } from './drive/results.js'
import { printTable } from './drive/table.js'
import { messagesOf, rowNamed } from './messages/rows.js'
import { toForm, typesOf } from './messages/types.js'
import { write } from './messages/write.js'
import { open } from './peers/ours.js'

const chosen = options()
under(chosen.node)

const SECONDS = chosen.quick ? 0.5 : 3
const library = await open()
let sink

/** What a source file of ours spends its time on. */
const PARTS = {
  strings: 'text',
  reader: 'objects',
  values: 'objects',
  plan: 'objects',
  message: 'message object',
  codec: 'border',
  engine: 'border',
  writer: 'tape',
}

const map = sourceMap()

function sourceMap() {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL('../build/index.js.map', import.meta.url), 'utf8')))
  } catch {
    return undefined
  }
}

/** Self time by part, as shares of the whole. */
async function profile(run) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 100 })
  const end = Date.now() + SECONDS * 1000
  for (let i = 0; i < 20_000 && Date.now() < end; i++) sink = run()
  await session.post('Profiler.start')
  const stop = Date.now() + SECONDS * 1000
  while (Date.now() < stop) for (let i = 0; i < 50; i++) sink = run()
  const { profile: taken } = await session.post('Profiler.stop')
  session.disconnect()
  const hits = new Map()
  const functions = new Map()
  let total = 0
  for (const { callFrame, hitCount = 0 } of taken.nodes) {
    const part = partOf(callFrame)
    if (part === undefined) continue
    total += hitCount
    hits.set(part, (hits.get(part) ?? 0) + hitCount)
    functions.set(callFrame.functionName, (functions.get(callFrame.functionName) ?? 0) + hitCount)
  }
  const shares = Object.fromEntries([...hits].map(([part, count]) => [part, count / total]).sort((a, b) => b[1] - a[1]))
  const top = [...functions]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 12)
    .map(([name, count]) => [name, count / total])
  return { shares, top }
}

function partOf({ functionName, url, lineNumber, columnNumber }) {
  if (functionName === '(idle)' || functionName === '(root)' || functionName === '(program)') return undefined
  if (functionName === '(garbage collector)') return 'garbage collector'
  if (url.startsWith('wasm:')) return 'WebAssembly'
  if (functionName.endsWith('Slice') || functionName.endsWith('Write') || functionName === 'fromCharCode') return 'text'
  if (functionName === 'set' || functionName === 'copy') return 'copy'
  if (!url.includes('/build/')) return 'bench'
  const source = map?.findEntry(lineNumber, columnNumber)?.originalSource
  const file = source?.match(/(\w+)\.ts$/)?.[1]
  return PARTS[file] ?? (map ? 'other' : 'façade')
}

/** The checks an encoder owes each value, and nothing else: kind and range. */
function check(type, value) {
  switch (type.code) {
    case 'v':
      return check(typesOf(value.signature)[0], value.value)
    case '(':
      return type.items.every((item, i) => check(item, value[i]))
    case 'a': {
      const [item] = type.items
      if (ArrayBuffer.isView(value)) return true
      if (item.code !== '{') return Array.isArray(value) && value.every((inner) => check(item, inner))
      if (value instanceof Map)
        return [...value].every(([key, inner]) => check(item.items[0], key) && check(item.items[1], inner))
      for (const key in value) if (!check(item.items[1], value[key])) return false
      return true
    }
    case 's':
    case 'o':
    case 'g':
      return typeof value === 'string'
    case 'b':
      return typeof value === 'boolean'
    case 'n':
      return value === (value << 16) >> 16
    case 'q':
      return value === (value & 0xffff)
    case 'y':
      return value === (value & 0xff)
    default:
      return value === (value | 0) || value === value >>> 0
  }
}

const figures = {}
for (const name of ['rssi', 'gmo']) {
  const [message] = messagesOf(rowNamed(name), false)
  const bytes = write(message)
  const types = typesOf(message.signature)
  const form = { ...message, body: types.map((type, i) => toForm(type, message.body[i], library.shape)) }
  const room = Buffer.alloc(bytes.length)
  const times = interleave(
    {
      copy: () => room.set(bytes),
      header: () => library.decodeHeader(bytes),
      validate: () => library.validate(bytes),
      decode: () => library.decode(bytes),
      encode: () => library.encode(form),
      checks: () => types.every((type, i) => check(type, form.body[i])),
    },
    chosen.timing,
  )
  const decode = await profile(() => library.decode(bytes))
  const encode = await profile(() => library.encode(form))
  figures[name] = { times, decode, encode }
  printTable([`${name}, ns`, ...Object.keys(times)], [['', ...Object.values(times).map(Math.round)]])
  for (const [direction, { shares, top }] of Object.entries({ decode, encode })) {
    printTable(
      [`${name} ${direction}`, 'share'],
      Object.entries(shares).map(([part, share]) => [part, `${(share * 100).toFixed(1)} %`]),
    )
    printTable(
      ['  function', 'share'],
      top.map(([part, share]) => [`  ${part}`, `${(share * 100).toFixed(1)} %`]),
    )
  }
  const percent = (value) => `${((value / times.decode) * 100).toFixed(0)} %`
  printTable(
    [`${name}: of a decode's time`, 'share'],
    [
      ['copying the bytes in', percent(times.copy)],
      ['header (fields read, message object made)', percent(times.header - times.copy)],
      ['validating and walking all of it', percent(times.validate - times.copy)],
      ['text and objects', percent(times.decode - times.validate)],
      ["type checks alone, of an encode's time", `${((times.checks / times.encode) * 100).toFixed(0)} %`],
    ],
  )
}
if (sink === undefined) console.error('nothing was measured')
if (!chosen.partial) save('breakdown', { context: context(), figures })
