// dbus-native 0.16.x and its fork @homebridge/dbus-native 0.7.x over this codec: the functions of their message module, exchanged.
// Both call them through the module, so this works at any time before a connection is made.
import { type DBusCodecError, isDBusCodecError } from '../errors.ts'
import { MessageFramer } from '../framer.ts'
import { type Codec, createCodec } from '../index.ts'
import { FIELD_NAMES, fieldsOf, type NativeMessage, nativeMessage } from './native-message.ts'
import {
  asBuffer,
  type LongClass,
  nativeShape,
  type Peer,
  type ReadOptions,
  type Style,
  styleOf,
  type VariantClass,
} from './native-shape.ts'

export type { NativeMessage } from './native-message.ts'

export interface ConnectionOptions extends ReadOptions {
  maxMessageSize?: number | undefined
}

interface ByteStream {
  on(event: 'readable', listener: () => void): unknown
  removeListener(event: 'readable', listener: () => void): unknown
  read(): Uint8Array | null
  destroy?(error: Error): unknown
  emit(event: 'error', error: Error): unknown
}

/** What is exchanged: `require('dbus-native/lib/message')`, or the fork's. */
export interface MessageModule {
  marshall(message: NativeMessage): Buffer
  unmarshall(bytes: Buffer, options?: ReadOptions): NativeMessage
  unmarshalMessages(
    stream: ByteStream,
    onMessage: (message: NativeMessage) => void,
    options?: ConnectionOptions,
    onError?: (error: Error) => void,
    onHandlerError?: (error: unknown) => void,
    takeFds?: (count: number) => unknown[],
  ): void
  ProtocolError?: new (text: string) => Error
}

/** The body without its message: what lib/marshall.js and lib/unmarshall.js of the peer are. */
export interface BodyFunctions {
  marshall(signature: string, values: unknown[], offset?: number): Buffer
  unmarshall(bytes: Buffer, signature: string, offset?: number, options?: ReadOptions): unknown
}

const MAX_MESSAGE_LENGTH = 134217728
const SHORTEST_MESSAGE = 16

const installed = new WeakMap<MessageModule, BodyFunctions>()

/**
 * Lets a copy of dbus-native or @homebridge/dbus-native encode and decode with this codec: `install(require('dbus-native/lib/message'))`.
 *
 * @returns the peer's functions for bodies alone, over this codec
 * @throws TypeError when `module` is not that module
 */
export function install(module: MessageModule): BodyFunctions {
  const before = installed.get(module)
  if (before) return before
  if (typeof module?.marshall !== 'function' || typeof module.unmarshalMessages !== 'function') {
    throw new TypeError("install() takes the module 'dbus-native/lib/message' or '@homebridge/dbus-native/lib/message'")
  }
  const native = new NativeCodec(module)
  module.marshall = (message) => native.marshall(message)
  module.unmarshall = (bytes, options) => native.unmarshall(bytes, options)
  module.unmarshalMessages = (...parameters) => native.unmarshalMessages(...parameters)
  const siblings = siblingsOf(module)
  const body = native.bodyFunctions(
    siblings && {
      marshall: (...given) => siblings.marshall.own()(...given),
      unmarshall: (...given) => siblings.unmarshall.own()(...given),
    },
  )
  siblings?.marshall.exchange(body.marshall)
  siblings?.unmarshall.exchange(body.unmarshall)
  installed.set(module, body)
  return body
}

interface NodeModule<Exports = unknown> {
  exports: Exports
  loaded: boolean
  require(name: string): unknown
  constructor: new (filename: string) => NodeModule
}

interface Sibling<F> {
  /** What the peer exports there. */
  own(): F
  exchange(by: F): void
}

/**
 * The modules for bodies alone that lie beside the message module. Each is one function, so it is Node's table of loaded modules
 * that must give another: to those who ask for it later.
 */
function siblingsOf(module: MessageModule): { [K in keyof BodyFunctions]: Sibling<BodyFunctions[K]> } | undefined {
  const cache = loadedModules()
  const filename = Object.keys(cache).find((name) => cache[name].exports === module)
  if (filename === undefined) return undefined
  return { marshall: siblingOf(cache, filename, 'marshall'), unmarshall: siblingOf(cache, filename, 'unmarshall') }
}

// The peer itself may never load it: then only who asks for the peer's own waits for it.
function siblingOf<F>(cache: Record<string, NodeModule>, filename: string, name: string): Sibling<F> {
  const file = filename.replace(/message(\.js)?$/, `${name}$1`)
  const main = cache[filename]
  let own = cache[file]?.exports
  return {
    own() {
      if (own !== undefined) return own as F
      const ours = cache[file]
      delete cache[file]
      try {
        own = main.require(`./${name}`)
      } finally {
        cache[file] = ours
      }
      return own as F
    },
    exchange(by) {
      // A new entry: of one that is there, `import` goes on giving what it was when it was loaded.
      cache[file] = Object.assign(new main.constructor(file), { filename: file, loaded: true, exports: by })
      if (cache[file]?.exports === by) return
      // A table that takes no entries, as jest's.
      this.own()
      cache[file].exports = by
    },
  }
}

/** Node's table of loaded modules; empty where it cannot be had: in old versions, and where this is bundled. */
function loadedModules(): Record<string, NodeModule> {
  // In CommonJS it is at hand; the module that has it too takes longer to load than all of this file.
  const known = typeof require === 'function' && (require as unknown as { cache?: Record<string, NodeModule> }).cache
  if (known) return known
  const loader = globalThis.process?.getBuiltinModule?.('module') as { _cache?: Record<string, NodeModule> } | undefined
  return loader?._cache ?? {}
}

class NativeCodec {
  readonly #peer: Peer
  readonly #own: MessageModule
  readonly #codecs = new Map<string, Codec>()
  // The options of the last message and the codec for them: normally those of the next one too.
  #last: ReadOptions = {}
  #lastCodec: Codec | undefined

  constructor(module: MessageModule) {
    this.#own = { ...module }
    const fork = module.ProtocolError === undefined
    this.#peer = {
      fork,
      Variant: once(() => this.#classOf<VariantClass>('v', '01790007', { variants: 'wrap' })),
      Long: once(() => this.#classOf<LongClass>('x', '0000000000000000', { ReturnLongjs: true })),
    }
  }

  /** The class of the value that the untouched peer reads from a message with one value in its body. */
  #classOf<Class>(type: string, body: string, options: ReadOptions): Class {
    const length = (body.length / 2).toString(16).padStart(2, '0')
    const header = `6c020001${length}00000001000000${'0f000000'}05017500010000000801670001${type.charCodeAt(0).toString(16)}0000`
    const [value] = this.#own.unmarshall(Buffer.from(header + body, 'hex'), options).body as [object]
    return value.constructor as Class
  }

  #codec(options: ReadOptions | null | undefined): Codec {
    const last = this.#last
    const given = typeof options === 'object' && options !== null ? options : NO_OPTIONS
    if (
      this.#lastCodec !== undefined &&
      given.plainValues === last.plainValues &&
      given.variants === last.variants &&
      given.returnBigInt === last.returnBigInt &&
      given.ayBuffer === last.ayBuffer &&
      given.ReturnLongjs === last.ReturnLongjs
    ) {
      return this.#lastCodec
    }
    const codec = this.#codecFor(styleOf(this.#peer, given), 'full')
    const { plainValues, variants, returnBigInt, ayBuffer, ReturnLongjs } = given
    this.#last = { plainValues, variants, returnBigInt, ayBuffer, ReturnLongjs }
    this.#lastCodec = codec
    return codec
  }

  #codecFor(style: Style, validation: 'full' | 'structure'): Codec {
    const key = `${validation} ${style.variants} ${style.objects} ${style.int64} ${style.bytes}`
    const made = this.#codecs.get(key)
    if (made) return made
    const codec = createCodec({
      validation,
      bytes: 'view',
      arrays: 'plain',
      variant: 'unwrap',
      shape: nativeShape(this.#peer, style),
    }) as unknown as Codec
    this.#codecs.set(key, codec)
    return codec
  }

  /**
   * As the peer's. What this codec refuses is left to the peer: it throws the error that applications know, or finds a way to write
   * it, which is taken if it makes a valid message, or one that its users rely on.
   */
  marshall(message: NativeMessage): Buffer {
    const codec = this.#lastCodec ?? this.#codec(undefined)
    try {
      return asBuffer(codec.encode(fieldsOf(message, this.#peer.fork)))
    } catch (error) {
      const bytes = this.#own.marshall(message)
      if (!isLeftToThePeer(error) && !codec.validate(bytes).valid) throw error
      return bytes
    }
  }

  /** A whole message. What is wrong with its header's fields, or with a name, is passed over, as the peer does and its tests pin. */
  unmarshall(bytes: Buffer, options: ReadOptions | undefined): NativeMessage {
    try {
      return nativeMessage(this.#codec(options).decode(bytes))
    } catch (error) {
      if (isHarmless(error, SIGNATURE_FAULTS) && !hasEmptyElements(bytes)) return this.#own.unmarshall(bytes, options)
      if (!isHarmless(error, HEADER_FAULTS)) throw this.#protocolError(error)
    }
    try {
      return this.#unmarshallLoosely(bytes, options)
    } catch (error) {
      if (isHarmless(error, SIGNATURE_FAULTS) && !hasEmptyElements(bytes)) return this.#own.unmarshall(bytes, options)
      throw this.#protocolError(error)
    }
  }

  #unmarshallLoosely(bytes: Buffer, options: ReadOptions | undefined): NativeMessage {
    const loose = this.#codecFor({ ...styleOf(this.#peer, options), variants: 'plain' }, 'structure')
    const length = loose.messageLength(bytes)
    const byteOrder = bytes[0] === LITTLE_ENDIAN ? 'little' : 'big'
    const fieldsEnd = SHORTEST_MESSAGE + (byteOrder === 'little' ? bytes.readUInt32LE(12) : bytes.readUInt32BE(12))
    const [, type, flags, , , serial, fields] = loose.unmarshal('yyyyuua(yv)', bytes.subarray(0, fieldsEnd), {
      byteOrder,
    }) as unknown as [number, number, number, number, number, number, [number, unknown][]]
    const message: NativeMessage = { serial }
    for (const [code, value] of fields) {
      const name = FIELD_NAMES[code]
      if (name !== undefined) Object.assign(message, { [name]: value })
    }
    message.type = type
    message.flags = flags
    const body = bytes.subarray(Math.ceil(fieldsEnd / 8) * 8, length)
    if (body.length > 0 && message.signature) {
      message.body = this.#codecFor(styleOf(this.#peer, options), 'structure').unmarshal(message.signature, body, {
        byteOrder,
      }) as unknown[]
    }
    return message
  }

  /**
   * The messages of a stream, as the peer's: bytes that are no message are reported once and end the reading; what a handler throws
   * has a channel of its own and does not stop the messages behind.
   */
  unmarshalMessages(
    ...[stream, onMessage, options, onError, onHandlerError, takeFds]: Parameters<MessageModule['unmarshalMessages']>
  ): void {
    let failed = false
    let handling = false
    const handle = (message: NativeMessage) => {
      handling = true
      try {
        onMessage(message)
      } catch (error) {
        if (!onHandlerError) throw error
        onHandlerError(error)
      }
      handling = false
    }
    const framer = new MessageFramer({
      maxMessageLength: longestOf(options),
      onMessage: (bytes) => {
        if (failed) return
        const message = nativeMessage(this.#codec(options).decode(bytes))
        if (message.unixFds) message.fds = this.#take(message.unixFds, takeFds)
        handle(message)
      },
    })
    const onReadable = () => {
      try {
        for (let chunk = stream.read(); chunk !== null && !failed; chunk = stream.read()) framer.push(chunk)
      } catch (error) {
        if (handling) {
          handling = false
          throw error
        }
        failed = true
        stream.removeListener('readable', onReadable)
        const reason = this.#protocolError(error)
        if (onError) onError(reason)
        else if (this.#peer.fork && stream.destroy) stream.destroy(reason)
        else stream.emit('error', reason)
      }
    }
    stream.on('readable', onReadable)
  }

  #take(count: number, takeFds: ((count: number) => unknown[]) | undefined): unknown[] {
    if (this.#peer.fork) return []
    if (!takeFds)
      throw this.#newError('This message carries file descriptors, which cannot be received: the stream does not support them.')
    const fds = takeFds(count)
    if (fds.length !== count) {
      throw this.#newError(`Message claims ${count} file descriptor${count === 1 ? '' : 's'} but ${fds.length} arrived`)
    }
    return fds
  }

  #newError(text: string, cause?: unknown): Error {
    const error = new (this.#own.ProtocolError ?? Error)(text)
    if (cause !== undefined) error.cause = cause
    return error
  }

  /** The peer's own kind of error, with the words that its users look for. */
  #protocolError(error: unknown): Error {
    if (!isDBusCodecError(error)) return error as Error
    return this.#newError((PHRASES[error.code] ?? '') + error.message, error)
  }

  /** `own`: the peer's, where they are known. What this codec refuses is left to them, or to the message that would carry the body. */
  bodyFunctions(own: BodyFunctions | undefined): BodyFunctions {
    return {
      marshall: (signature, values, offset = 0) => {
        try {
          return asBuffer((this.#lastCodec ?? this.#codec(undefined)).marshal(signature, values as never, { offset }))
        } catch (error) {
          if (own) return own.marshall(signature, values, offset)
          const bytes = this.#own.marshall({ serial: 1, type: 2, replySerial: 1, signature, body: values })
          // A body starts on a multiple of 8, and stands at the end.
          if (offset % 8 !== 0) throw error
          return bytes.subarray(bytes.length - bytes.readUInt32LE(4))
        }
      },
      unmarshall: (bytes, signature, offset = 0, options) => {
        if (signature === '') return this.#peer.fork ? Buffer.alloc(0) : []
        try {
          return this.#codec(options).unmarshal(signature, bytes, { offset })
        } catch (error) {
          if (!isDBusCodecError(error)) throw error
          // The peer reads as far as the signature goes.
          if (error.code === 'ERR_DBUS_TOO_MUCH_DATA') {
            return this.#codec(options).unmarshal(signature, bytes.subarray(0, error.offset), { offset })
          }
          if (own && isHarmless(error, SIGNATURE_FAULTS) && !hasEmptyElements(Buffer.concat([bytes, Buffer.from(signature)]))) {
            return own.unmarshall(bytes, signature, offset, options)
          }
          if (!isHarmless(error, HEADER_FAULTS)) throw this.#protocolError(error)
          return this.#codecFor(styleOf(this.#peer, options), 'structure').unmarshal(signature, bytes, { offset })
        }
      },
    }
  }
}

const NO_OPTIONS: ReadOptions = {}
const LITTLE_ENDIAN = 0x6c

// Faults of a header that says things, but not all it should or in names that are none, and of paths. The peers write and read such
// messages, and their tests do so everywhere.
const HEADER_FAULTS = /^ERR_DBUS_(MISSING_\w+|INTERFACE|MEMBER|ERROR_NAME|DESTINATION|SENDER|LOCAL_\w+|OBJECT_PATH)$/
// Faults of a signature as value: the peers' tests send "xxxtt(t)s{u}uuiibb".
const SIGNATURE_FAULTS = /^ERR_DBUS_(TYPE_CODE|ARRAY_DEPTH|ARRAY_ELEMENT|STRUCT_\w+|DICT_\w+)$/

function isHarmless(error: unknown, faults: RegExp): boolean {
  return isDBusCodecError(error) && faults.test(error.code)
}

/** Whether the peer may be told to write what this codec refuses, though it is no valid message. */
function isLeftToThePeer(error: unknown): boolean {
  if (isHarmless(error, HEADER_FAULTS)) return (error as DBusCodecError).code !== 'ERR_DBUS_OBJECT_PATH'
  // Elsewhere it is the signature of the body itself that is wrong.
  return isHarmless(error, SIGNATURE_FAULTS) && /^body/.test((error as DBusCodecError).path ?? '')
}

/**
 * Whether any text in there could be a signature with an array of elements of no size, at which the peer would never end: of r, or of
 * a struct that is empty or starts with such.
 */
function hasEmptyElements(bytes: Buffer): boolean {
  return /a[({]*[r)}]/.test(bytes.toString('latin1'))
}

/** What the peer's tests, and so its users, find in the text of an error. */
const PHRASES: Readonly<Record<string, string>> = {
  ERR_DBUS_BYTE_ORDER: 'Invalid byte order: ',
  ERR_DBUS_PROTOCOL_VERSION: 'Unsupported protocol version: ',
  ERR_DBUS_FIELDS_LENGTH: 'Message exceeds the maximum size: ',
  ERR_DBUS_BODY_LENGTH: 'Message exceeds the maximum size: ',
  ERR_DBUS_MESSAGE_LENGTH: 'Message exceeds the maximum size: ',
  ERR_DBUS_LENGTH_OUT_OF_BOUNDS: 'Declared length runs past the end of the message: ',
  ERR_DBUS_ARRAY_TOO_LONG: 'Declared array length exceeds the maximum: ',
}

function longestOf(options: ConnectionOptions | undefined): number {
  const most = options?.maxMessageSize || MAX_MESSAGE_LENGTH
  return Math.max(SHORTEST_MESSAGE, Math.min(MAX_MESSAGE_LENGTH, Math.floor(most)))
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
