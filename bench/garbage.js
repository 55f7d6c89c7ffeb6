// How much garbage? Bytes of heap an encodeInto and a decode take, over a million messages, and whether memory stays level over
// ten.
import { under } from './drive/local.js'
import { options } from './drive/options.js'
import { context, save } from './drive/results.js'
import { printTable } from './drive/table.js'
import { messagesOf, rowNamed } from './messages/rows.js'
import { toForm, typesOf } from './messages/types.js'
import { write } from './messages/write.js'
import { open } from './peers/ours.js'

const chosen = options()
under(chosen.node, ['--expose-gc', '--max-semi-space-size=64'])

const MESSAGES = chosen.quick ? 50_000 : 1_000_000
const CHUNK = 1000
const library = await open()
const { Variant } = await import('../build/index.js')

let sink

/** Bytes of heap a call takes: chunks during which no collection ran, less what looking costs. */
function bytesOf(run, messages = MESSAGES) {
  for (let i = 0; i < 20_000; i++) sink = run()
  globalThis.gc()
  let total = 0
  let chunks = 0
  for (let done = 0; done < messages; done += CHUNK) {
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < CHUNK; i++) sink = run()
    const used = process.memoryUsage().heapUsed - before
    if (used < 0) continue
    total += used
    chunks++
  }
  return total / chunks / CHUNK
}

const nothing = bytesOf(() => undefined)
const measured = (run) => Math.max(0, bytesOf(run) - nothing)

/**
 * A message object as decode gives it, made by hand: what a decode cannot do without. Its values are variables, as an array of constants would
 * be shared, and its dict is filled key by key, as keys are the sender's.
 */
const byHand = (fields, body) => ({
  type: fields.type,
  flags: fields.flags,
  serial: fields.serial,
  path: fields.path,
  interface: fields.interface,
  member: fields.member,
  errorName: undefined,
  replySerial: undefined,
  destination: fields.destination,
  sender: fields.sender,
  signature: fields.signature,
  unixFds: undefined,
  body: body(...fields.body),
})
const BODIES = {
  hello: () => [],
  su: (text, number) => [text, number],
  rssi: (name, changed) => {
    const dict = {}
    for (const [key, { signature, value }] of changed) dict[key] = new Variant(signature, value)
    return [name, dict, []]
  },
}

const formOf = (message) => ({
  ...message,
  body: typesOf(message.signature).map((type, i) => toForm(type, message.body[i], library.shape)),
})

const figures = []
for (const [name, body] of Object.entries(BODIES)) {
  const [message] = messagesOf(rowNamed(name), false)
  const form = formOf(message)
  const bytes = write(message)
  const target = Buffer.alloc(1024)
  figures.push({
    row: name,
    encodeInto: measured(() => library.encodeInto(form, target)),
    encode: measured(() => library.encode(form)),
    validate: measured(() => library.validate(bytes)),
    decode: measured(() => library.decode(bytes)),
    byHand: measured(() => byHand(message, body)),
  })
}
printTable(
  ['bytes a call', 'encodeInto', 'encode', 'validate', 'decode', 'the decoded objects made by hand'],
  figures.map(({ row, ...rest }) => [row, ...Object.values(rest).map((value) => value.toFixed(1))]),
)

/** Ten million messages, all different, decoded and encoded: memory after a full collection at each million. */
const rotation = messagesOf(rowNamed('rssi'), true)
const wires = rotation.map((message) => write(message))
const forms = rotation.map(formOf)
const target = Buffer.alloc(1024)
const steady = []
for (let million = 0; million <= 10; million++) {
  globalThis.gc()
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage()
  steady.push({ million, heap: heapUsed, arrayBuffers, rss })
  for (let i = 0; i < MESSAGES; i++) {
    sink = library.decode(wires[i % wires.length])
    library.encodeInto(forms[i % forms.length], target)
  }
}
const mebi = (bytes) => (bytes / 2 ** 20).toFixed(1)
printTable(
  ['millions of messages', 'heap MiB', 'array buffers MiB', 'resident MiB'],
  steady.map(({ million, heap, arrayBuffers, rss }) => [million, mebi(heap), mebi(arrayBuffers), mebi(rss)]),
)
if (sink === undefined) console.error('nothing was measured')
if (!chosen.partial) save('garbage', { context: context(), figures, steady })
