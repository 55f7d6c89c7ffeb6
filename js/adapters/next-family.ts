// What dbus-next and its fork @jellybrick/dbus-next have in common: how values look, and how a message goes in and out.
import { close } from 'node:fs'
import { isDBusCodecError } from '../errors.ts'
import { MessageFramer } from '../framer.ts'
import { type Codec, createCodec } from '../index.ts'
import type { Message } from '../types.ts'
import type { Shape } from '../values.ts'

/** The peer's own class of variants: applications compare it, so values must be instances of it. */
export type VariantClass = new (signature: string, value: unknown) => { signature: string; value: unknown }

/** What the peer hands over to be sent: its class Message, with a body in the form that applications use. */
export interface OutgoingMessage {
  type?: number
  flags?: number
  serial?: number | null
  path?: string
  interface?: string
  member?: string
  errorName?: string
  replySerial?: number
  destination?: string
  sender?: string
  signature?: string
  body?: unknown[]
}

/** Bytes and descriptors: what the peer's own encoder gives. */
export type Marshalled = [bytes: Buffer, fds: unknown[]]

/** The options of the peer that decoding depends on. */
export interface ReadOptions {
  /** Bytes as Buffer (default) or as array of numbers. */
  ayBuffer?: boolean | undefined
}

/** How 64-bit integers come out where not as bigint: from their decimal digits. */
export type FromDigits = (digits: string) => unknown

// The peers refuse it, and a test of dbus-next pins that (constants.js has one more than the least int64).
const REFUSED_INT64 = -(2n ** 63n)

const METHOD_CALL = 1

/** The codec in the shapes of one copy of the peer. */
export class NextCodec {
  readonly #Variant: VariantClass
  readonly #fromDigits: () => FromDigits | undefined
  readonly #codecs: (Codec | undefined)[] = []
  /** Descriptors of the message that is being encoded; of the one that is being decoded, whether there are any. */
  #outgoing: unknown[] | undefined
  #incoming = false

  /** `fromDigits` is asked for every message: applications can change their mind (setBigIntCompat). */
  constructor(Variant: VariantClass, fromDigits: () => FromDigits | undefined = () => undefined) {
    this.#Variant = Variant
    this.#fromDigits = fromDigits
  }

  /**
   * As the peer's encoder, except that `message` stays as it is. What this codec refuses is left to `peer`: it throws the error
   * that applications know, or finds a way to send it, which is taken if it makes a valid message.
   */
  encode(message: OutgoingMessage, peer: (message: OutgoingMessage) => Marshalled): Marshalled {
    const before = this.#outgoing
    this.#outgoing = undefined
    const codec = this.#codec(true)
    try {
      let bytes = codec.encode(fieldsOf(message, undefined))
      // How many descriptors there are shows when the body has been written; the header says it, so it is written once more.
      const fds: unknown[] = this.#outgoing ?? []
      if (fds.length > 0) {
        this.#outgoing = undefined
        bytes = codec.encode(fieldsOf(message, fds.length))
      }
      return [asBuffer(bytes), fds]
    } catch (error) {
      // The peer writes into the message.
      const [bytes, fds] = peer(Object.create(message) as OutgoingMessage)
      if (!codec.validate(bytes).valid) throw error
      return [bytes, fds]
    } finally {
      this.#outgoing = before
    }
  }

  decode(bytes: Uint8Array, fds: readonly unknown[] | undefined, options: ReadOptions | undefined): Message {
    this.#incoming = fds !== undefined
    const codec = this.#codec(options?.ayBuffer === undefined || options.ayBuffer === true)
    return fds === undefined ? codec.decode(bytes) : codec.decode(bytes, { fds })
  }

  /** How many descriptors a message says it has. */
  countFds(bytes: Uint8Array): number {
    return this.#codec(true).decodeHeader(bytes).unixFds ?? 0
  }

  messageLength(bytes: Uint8Array): number {
    return this.#codec(true).messageLength(bytes) as number
  }

  #codec(ayBuffer: boolean): Codec {
    const fromDigits = this.#fromDigits()
    const index = (ayBuffer ? 1 : 0) + (fromDigits ? 2 : 0)
    const made = this.#codecs[index]
    if (made) return made
    const codec = createCodec({
      bytes: 'view',
      arrays: 'plain',
      shape: { ...this.#shape(), makeBytes: ayBuffer ? asBuffer : Array.from, ...(fromDigits ? digitShape(fromDigits) : {}) },
    }) as unknown as Codec
    this.#codecs[index] = codec
    return codec
  }

  #shape(): Shape {
    const Variant = this.#Variant
    const Made = madeVariant(Variant)
    return {
      makeVariant: (signature, value) => new Made(signature, value),
      makeDict: (entries) => {
        const object = {}
        for (let i = 0; i < entries.length; i++) {
          const key = String(entries[i][0])
          if (key === '__proto__') defineOwn(object, key, entries[i][1])
          else (object as Record<string, unknown>)[key] = entries[i][1]
        }
        return object
      },
      makeUnixFd: (fd) => {
        if (!this.#incoming) throw new Error('No FDs available')
        return fd
      },
      variantSignature: (value) => {
        if (!(value instanceof Variant)) throw new TypeError('expected a Variant')
        return value.signature
      },
      variantValue: (value) => (value as { value: unknown }).value,
      arrayElements: (value, type) => (type === 'd' && value instanceof Float64Array ? value.map(finite) : value),
      toInt64: (value, type) => {
        const integer = typeof value === 'bigint' ? value : BigInt((value as object).toString())
        if (type === 'x' && integer === REFUSED_INT64) throw new RangeError('data was out of range (less than min int64)')
        return integer
      },
      toText: (value) => (Buffer.isBuffer(value) ? value.toString() : value),
      toBoolean: (value) => (value === 0 || value === 1 ? value === 1 : value),
      toNumber: (value, type) => (type === 'd' ? finite(value) : value),
      toUnixFd: (value) => {
        if (value === undefined) throw new TypeError('expected a descriptor')
        this.#outgoing ??= []
        return this.#outgoing.push(value) - 1
      },
    }
  }
}

/**
 * The peer's Variant without its constructor, where that does no more than it says: the fork's defines the properties one by one,
 * which costs more than all the rest of a variant (bench/adapters).
 */
function madeVariant(Variant: VariantClass): VariantClass {
  function Made(this: { signature: string; value: unknown }, signature: string, value: unknown) {
    this.signature = signature
    this.value = value
  }
  Made.prototype = Variant.prototype
  const made = Made as unknown as VariantClass
  return Object.keys(new Variant('s', '')).join() === Object.keys(new made('s', '')).join() ? made : Variant
}

function fieldsOf(message: OutgoingMessage, unixFds: number | undefined) {
  // The peers leave out header fields that are falsy.
  return {
    type: message.type || METHOD_CALL,
    flags: message.flags || 0,
    serial: message.serial as number,
    path: message.path || undefined,
    interface: message.interface || undefined,
    member: message.member || undefined,
    errorName: message.errorName || undefined,
    replySerial: message.replySerial || undefined,
    destination: message.destination || undefined,
    sender: message.sender || undefined,
    signature: message.signature ?? '',
    unixFds,
    body: message.body ?? [],
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength)
}

function defineOwn(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

function finite(value: unknown): number {
  if (!Number.isFinite(value)) throw new RangeError('Number outside range')
  return value as number
}

function digitShape(fromDigits: FromDigits): Shape {
  return {
    makeInt64: (low, high) => fromDigits(((BigInt(high) << 32n) | BigInt(low >>> 0)).toString()),
    makeUint64: (low, high) => fromDigits(((BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)).toString()),
  }
}

/** A connection's stream, as far as reading goes. */
export interface ByteStream {
  on(event: 'readable', listener: () => void): unknown
  removeListener(event: 'readable', listener: () => void): unknown
  read(size?: number, fds?: null): unknown
  destroy?(error: Error): unknown
  emit(event: 'error', error: Error): unknown
  /** There, and a boolean, in streams that know of descriptors (usocket). */
  supportsUnixFd?: boolean | undefined
}

/**
 * Hands out the messages of a stream. Bytes that are no message end it: the stream is destroyed with the error, which is how the
 * peers learn of a broken connection. What `onMessage` throws passes through, as it does in the peers.
 */
export function readMessages(
  stream: ByteStream,
  codec: NextCodec,
  onMessage: (message: Message) => void,
  options?: ReadOptions,
): () => void {
  let handling = false
  const waiting: unknown[] = []
  const deliver = (bytes: Uint8Array, fds?: unknown[]) => {
    let message: Message
    try {
      message = codec.decode(bytes, fds, options)
    } catch (error) {
      if (fds) waiting.push(...fds)
      throw error
    }
    handling = true
    onMessage(message)
    handling = false
  }
  const take = stream.supportsUnixFd === undefined ? takeChunks(stream, deliver) : takeMessages(stream, codec, deliver, waiting)
  const onReadable = () => {
    try {
      take()
    } catch (error) {
      if (handling) {
        handling = false
        throw error
      }
      stream.removeListener('readable', onReadable)
      const reason = isDBusCodecError(error) || error instanceof Error ? error : new Error(String(error))
      // A usocket closes without a word.
      const tells = stream.destroy !== undefined && stream.supportsUnixFd === undefined
      if (!tells) stream.emit('error', reason)
      stream.destroy?.(reason)
      // Descriptors of messages that nobody gets: nobody else knows them.
      for (const fd of waiting.splice(0)) if (typeof fd === 'number') close(fd, () => {})
    }
  }
  stream.on('readable', onReadable)
  return onReadable
}

/** Whatever has come, cut into messages: one read for many of them. */
function takeChunks(stream: ByteStream, deliver: (bytes: Uint8Array) => void): () => void {
  const framer = new MessageFramer({ onMessage: deliver })
  return () => {
    for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) framer.push(chunk as Uint8Array)
  }
}

/**
 * Message by message, each with its descriptors: a usocket hands over all that came with what is read, which may be those of
 * later messages too.
 */
function takeMessages(
  stream: ByteStream,
  codec: NextCodec,
  deliver: (bytes: Uint8Array, fds: unknown[]) => void,
  fds: unknown[],
): () => void {
  let header: Uint8Array | undefined
  let length = 0
  const next = (size: number): Uint8Array | undefined => {
    const read = stream.read(size, null) as Uint8Array | { data?: Uint8Array; fds?: unknown[] } | null
    if (!read) return undefined
    if (!('data' in read)) return read as Uint8Array
    if (read.fds) fds.push(...read.fds)
    return read.data
  }
  return () => {
    for (;;) {
      if (!header) {
        header = next(16)
        if (!header) return
        length = codec.messageLength(header)
      }
      const rest = length > 16 ? next(length - 16) : new Uint8Array(0)
      if (!rest) return
      const bytes = Buffer.concat([header, rest], length)
      header = undefined
      deliver(bytes, fds.splice(0, codec.countFds(bytes)))
    }
  }
}
