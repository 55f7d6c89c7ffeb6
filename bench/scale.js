// Does it stay straight? Time against message size, number of values, distinct strings, distinct signatures and nesting; and the
// peak memory of a process against message size.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { interleave, under } from './drive/local.js'
import { options } from './drive/options.js'
import { context, save } from './drive/results.js'
import { duration, printTable } from './drive/table.js'
import { Random } from './messages/random.js'
import { Typed, toForm, typesOf } from './messages/types.js'
import { write } from './messages/write.js'
import { open } from './peers/ours.js'

const chosen = options(['peak'])
under(chosen.node)

const MEBI = 1 << 20
const FOLDER = new URL('../build/bench/', import.meta.url).pathname
const FILE = `${FOLDER}peak.bin`
mkdirSync(FOLDER, { recursive: true })
const MAKE = {
  ay: (n) => Buffer.alloc(n, 7),
  s: (n) => 'x'.repeat(n),
  au: (n) => new Uint32Array(n / 4).fill(7),
  as: (n) => Array.from({ length: n / 32 }, (_, i) => `item ${String(i).padStart(18, '0')}`),
}

const signal = (signature, body) => ({
  type: 4,
  flags: 0,
  serial: 1,
  path: '/a',
  interface: 'a.b',
  member: 'C',
  signature,
  body,
})

if (chosen.peak) {
  await peak(...chosen.peak.split(','))
  process.exit()
}

/** In a process of its own: the most memory resident after ten runs over what the message itself took. */
async function peak(signature, size, operation) {
  const library = await open()
  const form = operation === 'encode' ? signal(signature, [MAKE[signature](Number(size))]) : undefined
  // From a file: making the bytes here would raise the peak before we look.
  const bytes = form ? undefined : readFileSync(FILE)
  const run = { decode: library.decode, view: library.decodeView, validate: library.validate, encode: library.encode }[operation]
  run(form ?? write(signal('y', [7])))
  const before = highWater()
  let result
  for (let i = 0; i < 10; i++) result = run(form ?? bytes)
  if (!result) throw new Error('no result')
  console.log(highWater() - before)
}

/** The most bytes resident so far. Not resourceUsage().maxRSS, which starts at what the parent had. */
function highWater() {
  const [, kibi] = readFileSync('/proc/self/status', 'latin1').match(/VmHWM:\s+(\d+)/) ?? [0, 0]
  return kibi * 1024
}

const library = await open()
const figures = { size: [], memory: [], values: [], strings: [], signatures: [], nesting: [] }
const timing = chosen.timing

function timed(message) {
  const body = typesOf(message.signature).map((type, i) => toForm(type, message.body[i], library.shape))
  const form = { ...message, body }
  const bytes = write(message)
  const runs = {
    decode: () => library.decode(bytes),
    encode: () => library.encode(form),
    validate: () => library.validate(bytes),
  }
  if (message.signature === 'ay') runs.view = () => library.decodeView(bytes)
  return { bytes: bytes.length, ...interleave(runs, timing) }
}

const table = (name, label) =>
  printTable(
    [label, 'decode ns', 'encode ns', 'validate ns', 'view ns'],
    figures[name].map((each) => [
      each.label,
      duration(each.decode),
      duration(each.encode),
      duration(each.validate),
      duration(each.view),
    ]),
  )

const SIZES = [64, 1024, 16384, 262144, 4 * MEBI, 64 * MEBI]
for (const signature of Object.keys(MAKE)) {
  for (const size of SIZES.slice(0, signature === 'as' ? 5 : 6)) {
    const message = signal(signature, [MAKE[signature](size)])
    figures.size.push({ signature, size, label: `${signature} ${size}`, ...timed(message) })
  }
}
table('size', 'body bytes')

for (const [signature, operations] of [
  ['ay', ['decode', 'view', 'encode', 'validate']],
  ['s', ['validate', 'decode']],
  ['as', ['validate']],
]) {
  for (const operation of operations) {
    for (const size of SIZES.slice(1, signature === 'as' ? 5 : 6)) {
      if (operation !== 'encode') writeFileSync(FILE, write(signal(signature, [MAKE[signature](size)])))
      const script = new URL(import.meta.url).pathname
      const { stdout, stderr, status } = spawnSync(process.execPath, [script, '--peak', `${signature},${size},${operation}`], {
        encoding: 'utf8',
      })
      if (status !== 0) throw new Error(stderr)
      figures.memory.push({ signature, operation, size, bytes: Number(stdout) })
    }
  }
}
printTable(
  ['peak memory', 'message bytes', 'MiB beyond the message'],
  figures.memory.map(({ signature, operation, size, bytes }) => [`${signature} ${operation}`, size, (bytes / MEBI).toFixed(1)]),
)

for (const n of [1, 10, 100, 1000, 10_000, 100_000]) {
  const pairs = Array.from({ length: n }, (_, i) => [i % 10, i, -i])
  figures.values.push({ n, label: n, ...timed(signal('a(iii)', [pairs])) })
}
table('values', 'structs (iii)')

/** Some messages in turn, each with a string of its own: what happens when the strings no longer fit the cache. */
for (const n of [1, 10, 100, 1000, 10_000, 100_000]) {
  const random = new Random(n)
  const messages = Array.from({ length: n }, () => signal('s', [random.text(24)]))
  figures.strings.push({ n, label: n, ...inTurn(messages) })
}
table('strings', 'distinct strings')

for (const n of [1, 10, 100, 1000, 10_000]) {
  const random = new Random(n)
  const messages = Array.from({ length: n }, () => {
    const codes = Array.from({ length: 12 }, () => random.pick('ynqiu'.split(''))).join('')
    return signal(
      codes,
      Array.from(codes, () => 7),
    )
  })
  figures.signatures.push({ n, label: n, ...inTurn(messages) })
}
table('signatures', 'distinct signatures')

for (const n of [1, 2, 4, 8, 16, 32, 63]) {
  let value = new Typed('y', 7)
  for (let i = 1; i < n; i++) value = new Typed('v', value)
  figures.nesting.push({ n, label: n, ...timed(signal('v', [value])) })
}
table('nesting', 'nested variants')

function inTurn(messages) {
  const wires = messages.map((message) => write(message))
  const forms = messages.map((message) => ({ ...message }))
  const turn = (list, run) => {
    let at = 0
    return () => {
      at = at + 1 === list.length ? 0 : at + 1
      return run(list[at])
    }
  }
  return interleave(
    {
      decode: turn(wires, library.decode),
      encode: turn(forms, library.encode),
      validate: turn(wires, library.validate),
    },
    timing,
  )
}

if (!chosen.partial) save('scale', { context: context(), figures })
