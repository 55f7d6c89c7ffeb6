// How close to the hardware? Bulk rows as multiples of what the machine needs at least: one memcpy of the same bytes, a UTF-8
// check and the making of one string, an empty call into WebAssembly.
import { isUtf8 } from 'node:buffer'
import { interleave, under } from './drive/local.js'
import { options } from './drive/options.js'
import { context, save } from './drive/results.js'
import { duration, printTable, ratio } from './drive/table.js'
import { messagesOf, rowNamed } from './messages/rows.js'
import { toForm, typesOf } from './messages/types.js'
import { write } from './messages/write.js'
import { open } from './peers/ours.js'

const chosen = options()
under(chosen.node)

const library = await open()
const figures = []

function inputs(name) {
  const [message] = messagesOf(rowNamed(name), false)
  const form = { ...message, body: typesOf(message.signature).map((type, i) => toForm(type, message.body[i], library.shape)) }
  return { form, little: write(message), big: write(message, { byteOrder: 'big' }) }
}

/** One row: how long the limit takes, how long we take. */
function add(row, what, limit, limitRun, run) {
  const { ours, least } = interleave({ ours: run, least: limitRun }, chosen.timing)
  figures.push({ row, what, limit, ns: ours, limitNs: least, multiple: ours / least })
}

/** (module (func (export "f"))): what crossing the border costs. */
const EMPTY = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 4, 1, 2, 0, 11,
])
const { f: emptyCall } = new WebAssembly.Instance(new WebAssembly.Module(EMPTY)).exports

for (const name of ['ay8192', 'ay1m', 'au10k', 'ad10k']) {
  const { form, little, big } = inputs(name)
  const target = Buffer.alloc(little.length)
  add(
    name,
    'encode',
    'memcpy into an array of its own',
    () => new Uint8Array(little),
    () => library.encode(form),
  )
  add(
    name,
    'encodeInto',
    'memcpy',
    () => target.set(little),
    () => library.encodeInto(form, target),
  )
  add(
    name,
    'decode',
    'memcpy into an array of its own',
    () => new Uint8Array(little),
    () => library.decode(little),
  )
  add(name, 'decode, view', 'empty Wasm call', emptyCall, () => library.decodeView(little))
  add(name, 'validate', 'empty Wasm call', emptyCall, () => library.validate(little))
  // What has to be looked at must come into linear memory: a view of the head of a long message, and its copy.
  const head = () => target.set(new Uint8Array(little.buffer, little.byteOffset, 1024))
  add(name, 'validate', 'a view of 1 KiB, copied', head, () => library.validate(little))
  if (name.startsWith('ay')) continue
  const swap = name === 'au10k' ? 'swap32' : 'swap64'
  const body = big.subarray(big.length - form.body[0].byteLength)
  const swapped = () => Buffer.from(body)[swap]()
  add(name, 'decode, big-endian', `memcpy and ${swap} in place`, swapped, () => library.decode(big))
}
for (const name of ['s8192', 's1m']) {
  const { form, little } = inputs(name)
  const start = little.length - form.body[0].length - 1
  const text = little.subarray(start, little.length - 1)
  const latin = () => isUtf8(text) && text.latin1Slice()
  const utf8 = () => isUtf8(text) && text.utf8Slice()
  const { latin: a, utf8: b } = interleave({ latin, utf8 }, chosen.timing)
  const [least, how] = a < b ? [latin, 'latin1Slice'] : [utf8, 'utf8Slice']
  const target = Buffer.alloc(little.length)
  add(name, 'decode', `isUtf8 + ${how}`, least, () => library.decode(little))
  add(
    name,
    'encode',
    'latin1Write',
    () => target.latin1Write(form.body[0], start),
    () => library.encode(form),
  )
  add(
    name,
    'encode',
    'Buffer.from',
    () => Buffer.from(form.body[0]),
    () => library.encode(form),
  )
  add(
    name,
    'validate',
    'isUtf8',
    () => isUtf8(text),
    () => library.validate(little),
  )
}
for (const name of ['hello', 'su', 'rssi']) {
  const { form, little } = inputs(name)
  const target = Buffer.alloc(little.length)
  add(name, 'decode', 'empty Wasm call', emptyCall, () => library.decode(little))
  add(
    name,
    'encodeInto',
    'memcpy',
    () => target.set(little),
    () => library.encodeInto(form, target),
  )
  add(name, 'validate', 'empty Wasm call', emptyCall, () => library.validate(little))
}

printTable(
  ['row', 'operation', 'limit', 'ours ns', 'limit ns', 'multiple'],
  figures.map((each) => [each.row, each.what, each.limit, duration(each.ns), duration(each.limitNs), ratio(each.multiple)]),
)
if (!chosen.partial) save('limits', { context: context(), figures })
