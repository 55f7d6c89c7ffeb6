// One recipe for every JavaScript library: the operations of a row as functions, checked before they are timed.

import { withoutNumericKeys } from '../messages/objects.js'
import { read } from '../messages/read.js'
import { messagesOf, rowNamed } from '../messages/rows.js'
import { canonical, fromForm, toForm, typesOf } from '../messages/types.js'
import { write } from '../messages/write.js'
import { timeFor } from './clock.js'

const HEADER = ['type', 'serial', 'path', 'interface', 'member', 'errorName', 'replySerial', 'destination', 'sender']

/** dbus-next refuses numeric dict keys on encode; its figure is then for the reply without those properties. */
const NO_NUMERIC_KEYS = new Set(['dbus-next'])

/** Operations of one library on one row: `time(operation, milliseconds)` and `check(operation)`. */
export class Measure {
  #library
  #name
  #row
  #rotation
  #messages
  #lists = new Map()

  constructor(library, name, row, rotation) {
    this.#library = library
    this.#name = name
    this.#row = rowNamed(row)
    this.#rotation = rotation
  }

  get #neutral() {
    this.#messages ??= messagesOf(this.#row, this.#rotation).map((message) => this.#fit(message))
    return this.#messages
  }

  #fit(message) {
    if (this.#row.name !== 'gmo' || !NO_NUMERIC_KEYS.has(this.#name)) return message
    return { ...message, body: [withoutNumericKeys(message.body[0])] }
  }

  /** The inputs of an operation, made once: message objects in the library's form, or bytes that lie in one big buffer. */
  #inputs(operation) {
    const kind = operation === 'encode' ? 'form' : operation.endsWith('_be') ? 'big' : 'little'
    let list = this.#lists.get(kind)
    if (list === undefined) {
      if (kind === 'form') list = this.#neutral.map((message) => this.#formOf(message))
      else list = packed(messagesOf(this.#row, this.#rotation).map((message) => write(message, { byteOrder: kind })))
      this.#lists.set(kind, list)
    }
    return list
  }

  #formOf(message) {
    const { shape } = this.#library
    return { ...message, body: typesOf(message.signature).map((type, i) => toForm(type, message.body[i], shape)) }
  }

  #function(operation) {
    const library = this.#library
    if (operation === 'encode') return library.encode
    if (operation === 'decode' || operation === 'decode_be') return library.decode
    if (operation === 'decode_view') return library.decodeView
    if (operation === 'validate' || operation === 'validate_be') return library.validate
    throw new Error(`no operation "${operation}"`)
  }

  supports(operation) {
    return this.#function(operation) !== undefined
  }

  /** Throws unless the library's answer is the right one; looks at every message of the row, or at 100 of a rotation. */
  check(operation) {
    const run = this.#function(operation)
    const inputs = this.#inputs(operation)
    const messages = operation === 'encode' ? this.#neutral : messagesOf(this.#row, this.#rotation)
    const step = Math.max(1, Math.floor(inputs.length / 100))
    for (let i = 0; i < inputs.length; i += step) {
      const answer = run(inputs[i])
      if (operation.startsWith('validate')) {
        if (answer.valid !== true) throw new Error(`found a valid message invalid: ${answer.error}`)
      } else if (operation === 'encode') same(read(answer), messages[i])
      else same(this.#neutralOf(answer), messages[i])
    }
  }

  #neutralOf(message) {
    const types = typesOf(message.signature ?? '')
    return { ...message, body: types.map((type, i) => fromForm(type, message.body[i], this.#library.shape)) }
  }

  /** The operation on the row's one message, for benchmark.js. */
  once(operation) {
    const run = this.#function(operation)
    const [input] = this.#inputs(operation)
    return () => run(input)
  }

  /** Nanoseconds an operation, over as many operations as fill the time; inputs in turn. */
  time(operation, milliseconds) {
    const run = this.#function(operation)
    const inputs = this.#inputs(operation)
    const n = inputs.length
    let at = this.#cursors.get(operation) ?? 0
    const result = timeFor(milliseconds, (batch) => {
      let answer
      for (let i = 0; i < batch; i++) {
        answer = run(inputs[at])
        at = at + 1 === n ? 0 : at + 1
      }
      return answer
    })
    this.#cursors.set(operation, at)
    return result
  }

  #cursors = new Map()
}

/** Messages as they come off a socket: pieces of one buffer, at any offset. */
function packed(list) {
  const whole = Buffer.concat(list)
  let at = 0
  return list.map(({ length }) => {
    at += length
    return whole.subarray(at - length, at)
  })
}

function same(got, wanted) {
  for (const name of HEADER) {
    if (got[name] !== wanted[name]) throw new Error(`${name} is ${got[name]}, not ${wanted[name]}`)
  }
  if ((got.signature ?? '') !== wanted.signature) throw new Error(`signature is ${got.signature}, not ${wanted.signature}`)
  const [a, b] = [canonical(wanted.signature, got.body), canonical(wanted.signature, wanted.body)]
  if (a !== b) throw new Error(`body differs: ${a.slice(0, 200)} is not ${b.slice(0, 200)}`)
}
