// @jellybrick/dbus-next 0.11.x over this codec. The package is one bundle that exports none of its codec, so the exchange is made
// on a connection, at run time.
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

interface Stream extends ByteStream {
  writable?: boolean
  write(data: unknown): unknown
  listeners(event: 'readable'): (() => void)[]
}

interface Connection {
  stream?: Stream | undefined
  _opts?: ReadOptions | undefined
  _write(message: OutgoingMessage): void
  once(event: 'connect', listener: () => void): unknown
  emit(event: string, ...args: unknown[]): boolean
  state?: string | undefined
}

type MessageClass = new (fields: object) => object

/** The classes of the peer that the connection belongs to: its CommonJS and its ESM build have each their own. */
interface Classes {
  Message: MessageClass
  Variant: VariantClass
  /** A message as the peer makes it. */
  sample: object
}

const ACCELERATED = Symbol.for('dbus-codec.adapter.jellybrick')

/**
 * Lets a bus of `@jellybrick/dbus-next` encode and decode with this codec. Call it right after `sessionBus()` or `systemBus()`;
 * later is possible as well.
 *
 * @returns the bus
 * @throws TypeError when `bus` is not a bus of that package
 */
export function accelerate<Bus extends object>(bus: Bus): Bus {
  const connection = (bus as { _connection?: Connection })._connection
  if (typeof connection?._write !== 'function' || typeof connection.emit !== 'function') {
    throw new TypeError('accelerate() takes a bus of @jellybrick/dbus-next')
  }
  if (ACCELERATED in connection) return bus
  Object.defineProperty(connection, ACCELERATED, { value: true })

  if (connection.state === 'connected') exchange(connection)
  // The parser is attached right after the event, in the same turn.
  else connection.once('connect', () => queueMicrotask(() => exchange(connection)))
  return bus
}

function exchange(connection: Connection): void {
  const stream = connection.stream as Stream
  for (const listener of stream.listeners('readable')) {
    const classes = classesOf(listener, stream, connection)
    if (!classes) continue
    stream.removeListener('readable', listener)
    attach(connection, stream, classes)
    return
  }
  // Called late, while the peer waits for the rest of a message: after that one.
  const retry = () => {
    stream.removeListener('readable', retry)
    exchange(connection)
  }
  stream.on('readable', retry)
}

function attach(connection: Connection, stream: Stream, { Message, Variant, sample }: Classes): void {
  const codec = new NextCodec(Variant)
  const Received = receivedClass(Message, sample)
  const deliver = (decoded: Message) => {
    // As the peer: what the class refuses and what a listener throws are errors of the connection.
    try {
      connection.emit('message', decoded.type <= SIGNAL ? new Received(decoded) : new Message(decoded))
    } catch (error) {
      connection.emit('error', error)
    }
  }
  readMessages(stream, codec, deliver, connection._opts)

  const write = connection._write
  connection._write = (message) => {
    if (!stream.writable) throw new Error('Cannot send message, stream is closed')
    const [data, fds] = codec.encode(message, (outgoing) => captured(write, outgoing))
    if (stream.supportsUnixFd) {
      stream.write({ data, fds })
      return
    }
    if (fds.length > 0) console.warn('Sending file descriptors is not supported in current bus connection')
    stream.write(data)
  }
}

const SIGNAL = 4

/**
 * The peer's Message without its constructor, which checks names and fields that the codec has checked by stricter rules, and
 * defines every property one by one: together a third of what a signal costs (bench/adapters). The same properties in the same order.
 */
function receivedClass(Message: MessageClass, sample: object): new (decoded: Message) => object {
  function Received(this: Record<string, unknown>, decoded: Message) {
    this.type = decoded.type
    this._sent = false
    this._serial = decoded.serial
    this.path = decoded.path
    this.interface = decoded.interface
    this.member = decoded.member
    this.errorName = decoded.errorName
    this.replySerial = decoded.replySerial
    this.destination = decoded.destination
    this.sender = decoded.sender
    this.signature = decoded.signature
    this.body = decoded.body
    this.flags = decoded.flags
  }
  Received.prototype = Message.prototype
  const received = Received as unknown as new (decoded: Message) => object
  const same = Object.keys(new received({} as Message)).join() === Object.keys(sample).join()
  // Another version, with other properties: its constructor knows them.
  return same ? received : (Message as new (decoded: Message) => object)
}

/** What the peer would write. */
function captured(write: Connection['_write'], message: OutgoingMessage): Marshalled {
  let written: { data: Buffer; fds: unknown[] } | undefined
  const stream = {
    writable: true,
    supportsUnixFd: true,
    write: (chunk: { data: Buffer; fds: unknown[] }) => {
      written = chunk
    },
  }
  write.call({ stream } as unknown as Connection, message)
  const { data, fds } = written as unknown as { data: Buffer; fds: unknown[] }
  return [data, fds]
}

/** A method return with a variant in its body: the peer's parser turns it into its own Message and Variant. */
const PROBE = Buffer.from(
  '6c020001' + '04000000' + '01000000' + '0f000000' + '0501750001000000' + '08016700017600' + '00' + '01790007',
  'hex',
)

/**
 * Asks a listener for the classes, by letting it parse the probe. Undefined when it is another listener, or the parser in the
 * middle of a message: those do not ask for a header.
 */
function classesOf(listener: () => void, stream: Stream, connection: Connection): Classes | undefined {
  const reads: (Buffer | null)[] = [PROBE.subarray(0, 16), PROBE.subarray(16)]
  let found: Classes | undefined
  const read = (size: number): Buffer | null => {
    const part = reads[0]
    if (!part || part.length !== size) return null
    reads.shift()
    return part
  }
  const emit = (event: string, message: unknown): boolean => {
    if (event === 'message')
      found = {
        Message: classOf(message) as MessageClass,
        Variant: classOf((message as Message).body[0]) as VariantClass,
        sample: message as object,
      }
    return true
  }
  instead(stream, 'read', read, () => instead(connection, 'emit', emit, listener))
  return found
}

/** Calls `run` while an object has another method of this name; what it had of its own, of a tracing tool for one, it has again then. */
function instead(object: object, name: string, method: unknown, run: () => void): void {
  const own = Object.getOwnPropertyDescriptor(object, name)
  Object.defineProperty(object, name, { value: method, configurable: true })
  try {
    run()
  } finally {
    if (own === undefined) delete (object as Record<string, unknown>)[name]
    else Object.defineProperty(object, name, own)
  }
}

function classOf(value: unknown): unknown {
  return (value as object).constructor
}
