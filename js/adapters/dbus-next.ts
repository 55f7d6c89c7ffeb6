// dbus-next 0.10.x over this codec: its two codec functions, exchanged before its connection module takes hold of them.
import Module from 'node:module'
import type { Message } from '../types.ts'
import {
  type ByteStream,
  type Marshalled,
  NextCodec,
  type OutgoingMessage,
  type ReadOptions,
  readMessages,
  type VariantClass,
} from './next-family.ts'

/** Loads a module of dbus-next by its name, such as `dbus-next/lib/message`. */
export type Load = (name: string) => unknown

interface MarshallCompat {
  marshallMessage(message: OutgoingMessage): Marshalled
  messageToJsFmt(message: object): object
}

interface MessageModule {
  unmarshalMessages(stream: ByteStream, onMessage: (message: Message) => void, options?: ReadOptions): void
  unmarshall(bytes: Buffer): { body: unknown[] }
}

type Assert = (name: unknown) => void

interface Validators {
  assertBusNameValid: Assert
  assertInterfaceNameValid: Assert
  assertObjectPathValid: Assert
}

interface LibraryOptions {
  getBigIntCompat(): boolean
}

interface NodeModule {
  readonly id: string
  readonly filename: string | null
  require(id: string): unknown
}

// Node's own loader, in the part that has been the same since Node 0.x and that every tracing tool relies on.
const loader = Module as unknown as {
  _load(request: string, parent: NodeModule | undefined, isMain: boolean): unknown
  _cache: Record<string, unknown>
}

const INSTALLED = Symbol.for('dbus-codec.adapter.dbus-next')

/** lib/connection.js of a copy of dbus-next, wherever that lies. */
const CONNECTION = /[\\/]lib[\\/]connection\.js$/
const MESSAGE_TYPE = /[\\/]lib[\\/]message-type\.js$/

let waiting = false

/**
 * Lets dbus-next encode and decode with this codec. Call it before the application loads dbus-next; every copy that is loaded
 * later uses the codec. `node -r dbus-codec/adapters/dbus-next/register` does it for an application as it is.
 *
 * With `load` (a `require` that finds dbus-next) the copy that it finds is changed at once: for environments that do not use
 * Node's own loader, such as jest.
 *
 * @throws Error when a copy of dbus-next has been loaded already: its connections would go on without the codec.
 */
export function install(load?: Load): void {
  if (load) {
    const { resolve, cache } = load as { resolve?: (name: string) => string; cache?: Record<string, unknown> }
    const connection = resolve?.('dbus-next/lib/connection')
    // A loader of its own has a table of its own; a plain function has none that could be asked.
    if (connection !== undefined && (cache?.[connection] ?? loader._cache[connection]) !== undefined) tooLate(connection)
    remember(load('dbus-next/lib/validators') as Validators)
    exchange((name) => load(`dbus-next/lib/${name}`))
    return
  }
  if (waiting) return
  for (const filename of Object.keys(loader._cache)) {
    const module = loader._cache[filename] as NodeModule
    if (CONNECTION.test(filename) && isDBusNext(module) && !isInstalled(module)) tooLate(filename)
  }
  waiting = true
  const proceed = loader._load
  // connection.js takes marshallMessage out of marshall-compat when it is loaded, and message-type.js the names' checks out of
  // validators, so that is the last moment to exchange them.
  loader._load = function (request, parent, isMain) {
    if (request === './marshall-compat' && isModule(parent, CONNECTION)) {
      exchange((name) => proceed.call(this, `./${name}`, parent, false))
    } else if (request === './validators' && isModule(parent, MESSAGE_TYPE)) {
      remember(proceed.call(this, request, parent, isMain) as Validators)
    }
    return proceed.call(this, request, parent, isMain)
  }
}

function isModule(parent: NodeModule | undefined, place: RegExp): boolean {
  return parent?.filename != null && place.test(parent.filename) && isDBusNext(parent)
}

function tooLate(where: string): never {
  throw new Error(
    `dbus-next has been loaded already (${where}): call install() of dbus-codec/adapters/dbus-next before the first ` +
      `require('dbus-next'), or start with node -r dbus-codec/adapters/dbus-next/register`,
  )
}

function isDBusNext(module: NodeModule): boolean {
  try {
    return (module.require('../package.json') as { name?: unknown }).name === 'dbus-next'
  } catch {
    return false
  }
}

function isInstalled(module: NodeModule): boolean {
  return INSTALLED in (module.require('./marshall-compat') as object)
}

/** Exchanges the functions of one copy. `load` finds its modules in lib/ by their names. */
function exchange(load: (name: string) => unknown): void {
  const compat = load('marshall-compat') as MarshallCompat
  if (INSTALLED in compat) return
  const message = load('message') as MessageModule
  const options = load('library-options') as LibraryOptions
  const { Variant } = load('variant') as { Variant: VariantClass }
  const { marshallMessage, messageToJsFmt } = compat

  let jsbi: { BigInt(digits: string): unknown } | undefined
  const codec = new NextCodec(Variant, () => {
    if (!options.getBigIntCompat()) return undefined
    jsbi ??= jsbiOf(message)
    return (digits) => jsbi?.BigInt(digits)
  })

  compat.marshallMessage = (outgoing) => codec.encode(outgoing, marshallMessage)
  // Messages of this codec are in that form already; those of anyone else are recognised by the field that ours do not have.
  compat.messageToJsFmt = (decoded) => ('unixFds' in decoded ? decoded : messageToJsFmt(decoded))
  message.unmarshalMessages = (stream, onMessage, readOptions) => {
    readMessages(stream, codec, onMessage, readOptions)
  }
  Object.defineProperty(compat, INSTALLED, { value: true })
}

/** Against senders that make up names: what is remembered is forgotten then. */
const MOST_NAMES = 1000

/**
 * Every message that arrives is checked once more by the class Message, name by name. Names repeat, and whether one is valid does
 * not change: remembering the valid ones saves a fifth of what a signal costs (bench/adapters).
 */
function remember(validators: Validators): void {
  for (const name of ['assertBusNameValid', 'assertInterfaceNameValid', 'assertObjectPathValid'] as const) {
    const check = validators[name]
    if (INSTALLED in check) continue
    const valid = new Set<unknown>()
    const remembered: Assert = (text) => {
      if (valid.has(text)) return
      check(text)
      if (valid.size === MOST_NAMES) valid.clear()
      valid.add(text)
    }
    validators[name] = Object.defineProperty(remembered, INSTALLED, { value: true })
  }
}

/** A message with an int64, to see which class the peer makes of it. */
const INT64_MESSAGE = Buffer.from(
  '6c020001' + '08000000' + '01000000' + '0f000000' + '0501750001000000' + '08016700017800' + '00' + '0000000000000000',
  'hex',
)

/** The JSBI that this copy of dbus-next uses; another copy's values would be of another class. */
function jsbiOf(message: MessageModule): { BigInt(digits: string): unknown } {
  const [value] = message.unmarshall(INT64_MESSAGE).body
  return (value as { constructor: { BigInt(digits: string): unknown } }).constructor
}
