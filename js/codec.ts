// The codec: one call per message in each direction, and what can be done to a message without taking it apart.
import { forEachMessage, Run } from './batch.ts'
import { Calls, checkBytes, type Work } from './call.ts'
import { type EngineChoice, provideModule } from './engine.ts'
import { DBusCodecError, isDBusCodecError, relocated } from './errors.ts'
import { messageLength as lengthOf } from './length.ts'
import { FIELD_NAMES, type HeaderFieldName, makeMessage, readFields } from './message.ts'
import {
  type BodyOptions,
  type CodecOptions,
  type DecodeOptions,
  type EncodeOptions,
  fdsOf,
  isBig,
  phaseOf,
  settingsOf,
} from './options.ts'
import { putOutput, segments, takeOutput } from './output.ts'
import { PreparedMessage } from './prepare.ts'
import { steady } from './steady.ts'
import type { BodyOf, DefaultShape, InputBodyOf, Message, MessageHeader, MessageInput, ShapeOptions } from './types.ts'
import { bytesOf, Variant } from './values.ts'
import {
  CALL_BIG,
  CALL_HEADER,
  CALL_PADDED,
  CALL_VERDICT,
  CONTROL_BODY,
  CONTROL_FIELDS_END,
  CONTROL_ORDER,
  CONTROL_OUTPUT_LENGTH,
  FAULT_MESSAGE_LENGTH,
} from './wire.ts'

/** What `validate` gives: narrow it by `valid`. The error is the one that `decode` would throw. */
export type Verdict = { valid: true; error?: undefined } | { valid: false; error: DBusCodecError }

/**
 * Turns D-Bus messages into JavaScript values and back. Made by {@link createCodec}; `O` says how values look. Every method is
 * synchronous and needs its `this`. Wrong bytes and wrong values throw a {@link DBusCodecError}, wrong use of the method itself a
 * TypeError. A codec keeps no state between calls, so one serves any number of connections; getters and shapes may call it again.
 */
export class Codec<O extends ShapeOptions = DefaultShape> extends Calls {
  /**
   * A message as bytes that are the caller's own. The body is checked against `message.signature`, never wrapped round or guessed.
   * @throws DBusCodecError with the `path` of what is refused, such as `body[1]["RSSI"]`: a value (ERR_DBUS_VALUE_…,
   * ERR_DBUS_TEXT_…), a name, a header field that the type must have (ERR_DBUS_MISSING_…), the signature, a length, a depth.
   */
  encode<const S extends string>(message: MessageInput<S>, options?: EncodeOptions): Uint8Array {
    const big = isBig(options)
    const work = this.begin()
    const { engine, session } = work
    try {
      this.write(work, message, big)
      return takeOutput(engine, engine.output, session.writer.gaps, big)
    } catch (error) {
      throw this.explained(work, error)
    } finally {
      work.engine.busy = false
      this.end(work)
    }
  }

  /**
   * A message into `target`, from byte `offset` (default 0) on.
   * @returns the number of bytes written
   * @throws DBusCodecError as `encode` does; RangeError when there is no room. Nothing is written then.
   */
  encodeInto<const S extends string>(message: MessageInput<S>, target: Uint8Array, offset = 0, options?: EncodeOptions): number {
    checkBytes(target)
    const big = isBig(options)
    const work = this.begin()
    try {
      this.write(work, message, big)
      return this.put(work, target, offset, big)
    } catch (error) {
      throw this.explained(work, error)
    } finally {
      work.engine.busy = false
      this.end(work)
    }
  }

  /**
   * Messages as one run of bytes, one after the other, as a socket takes them.
   * @throws DBusCodecError as `encode` does, with the message's place before the path: `messages[2].body[0]`
   */
  encodeMany(messages: readonly MessageInput[], options?: EncodeOptions): Uint8Array {
    if (!Array.isArray(messages)) throw new TypeError('the messages must be an array')
    const big = isBig(options)
    // An array that a getter makes longer must not keep us here for ever; a proxy says any length.
    const count: unknown = messages.length
    if (!Number.isInteger(count) || (count as number) < 0) throw new TypeError('the messages must be an array')
    const run = new Run()
    return this.within((work) => {
      let i = 0
      try {
        for (; i < (count as number); i++) {
          work.plan = undefined
          this.write(work, messages[i], big)
          run.add(work.engine, work.session.writer.gaps, big)
        }
      } catch (thrown) {
        if (!work.owns(thrown)) throw thrown
        const error = this.explained(work, thrown) as DBusCodecError
        throw relocated(error, { ...error, path: `messages[${i}].${error.path}` })
      }
      return run.taken()
    })
  }

  /** A message as pieces for `writev`, in order: large arrays in host byte order are the caller's own memory. */
  encodeSegments<const S extends string>(message: MessageInput<S>, options?: EncodeOptions): Uint8Array[] {
    const big = isBig(options)
    return this.within((work) => {
      this.write(work, message, big)
      return segments(work.engine, work.engine.output, work.session.writer.gaps, big)
    })
  }

  /**
   * The one message that `bytes` is, validated (see {@link CodecOptions.validation}) and with its body.
   * @throws DBusCodecError with the `offset` of the first wrong byte; with a `path` for ERR_DBUS_UNSAFE_INTEGER, ERR_DBUS_FD_….
   */
  decode<S extends string = string>(bytes: Uint8Array, options?: DecodeOptions): Message<S, O> {
    return this.decodeAt(bytes, fdsOf(options), 0)
  }

  // `at`: what the offset of a fault counts from is so many bytes before the message.
  private decodeAt<S extends string>(bytes: Uint8Array, fds: readonly unknown[] | undefined, at: number): Message<S, O> {
    const work = this.beginRead(bytes)
    const { engine, session, shared } = work
    const { reader } = session
    try {
      this.read(work, bytes, 0, fds, at)
      reader.start(bytes, 0)
      const fields = readFields(engine, shared, reader)
      this.checkFds(fields, fds)
      reader.fds = fds
      const plan = this.bodyPlan(work, fields)
      const i32 = engine.i32
      return makeMessage(i32, fields, this.readAll(work, plan)) as unknown as Message<S, O>
    } finally {
      work.engine.busy = false
      this.end(work)
    }
  }

  /**
   * The messages that `bytes` starts with, each as `decode` gives it, to `receive`, with the offset of its first byte.
   * @returns the number of bytes that they are: what follows is the start of a message, or nothing
   * @throws DBusCodecError for the first that is wrong, with its `offset` in `bytes`; those before it have been received by then
   */
  decodeMany(bytes: Uint8Array, receive: (message: Message<string, O>, offset: number) => void): number {
    checkBytes(bytes)
    if (typeof receive !== 'function') throw new TypeError('receive must be a function')
    const { maxMessageLength } = this.settings
    return forEachMessage(bytes, maxMessageLength, (part, at) => receive(this.decodeAt(part, undefined, at), at))
  }

  /** The header of the whole message that `bytes` is, validated, for routing: the body must be there but is not looked at. */
  decodeHeader<S extends string = string>(bytes: Uint8Array): MessageHeader<S> {
    const work = this.beginRead(bytes)
    const { engine, session, shared } = work
    const { reader } = session
    try {
      this.read(work, bytes, CALL_HEADER)
      reader.start(bytes, 0)
      const { body: _, ...header } = makeMessage(engine.i32, readFields(engine, shared, reader), [])
      return header as unknown as MessageHeader<S>
    } finally {
      work.engine.busy = false
      this.end(work)
    }
  }

  /** The body of a message whose header has been decoded; validated now. Throws as `decode`; TypeError: another signature. */
  decodeBody<S extends string>(header: { signature: S }, bytes: Uint8Array, options?: DecodeOptions): BodyOf<S, O> {
    const message = this.decode<S>(bytes, options)
    if (message.signature !== header.signature) throw new TypeError('the header is not the one of these bytes')
    return message.body
  }

  /** Whether `bytes` is one whole valid message, and if not, why. Makes no values. Only a wrong argument makes it throw. */
  validate(bytes: Uint8Array): Verdict {
    const work = this.beginRead(bytes)
    const { engine } = work
    try {
      return this.tried(work, bytes, CALL_VERDICT) ? VALID : { valid: false, error: engine.error() }
    } finally {
      work.engine.busy = false
      this.end(work)
    }
  }

  /** Values without a header, as a body has them: one for each complete type of `signature`. Throws as `encode`. */
  marshal<const S extends string>(signature: S, values: InputBodyOf<S>, options?: BodyOptions): Uint8Array {
    return this.marshalled(signature, values as readonly unknown[], isBig(options), phaseOf(options), 0)
  }

  /** @internal */
  marshalled(signature: string, values: readonly unknown[], big: boolean, phase: number, flags: number): Uint8Array {
    checkSignature(signature)
    const work = this.begin()
    const { engine, session } = work
    const { writer } = session
    try {
      session.startWrite()
      const plan = session.plan(signature)
      work.plan = plan
      plan.writeAll(writer, values)
      const written = engine.exports.marshal(plan.number, phase, (big ? CALL_BIG : 0) | flags)
      engine.views()
      if (written === 0) throw this.writeFault(work, plan)
      return takeOutput(engine, engine.output + phase, writer.gaps, big)
    } catch (error) {
      throw this.explained(work, error)
    } finally {
      work.engine.busy = false
      this.end(work)
    }
  }

  /** The values of a body without its header; all bytes must be used. Throws as `decode`, offsets counted in `bytes`. */
  unmarshal<const S extends string>(signature: S, bytes: Uint8Array, options?: BodyOptions & DecodeOptions): BodyOf<S, O> {
    checkSignature(signature)
    const big = isBig(options)
    const phase = phaseOf(options)
    const fds = fdsOf(options)
    const work = this.beginRead(bytes)
    const { session } = work
    const { reader } = session
    try {
      const { maxMessageLength } = this.settings
      if (bytes.length > maxMessageLength) throw new DBusCodecError(FAULT_MESSAGE_LENGTH, { offset: maxMessageLength })
      const plan = session.plan(signature)
      if (!this.readBody(work, plan, bytes, phase, big)) throw work.engine.error({ signature }, phase)
      reader.start(bytes, phase)
      reader.fds = fds
      return this.readAll(work, plan) as BodyOf<S, O>
    } finally {
      work.engine.busy = false
      this.end(work)
    }
  }

  /** The same message in the other byte order, as new bytes; unknown header fields are swapped too. Throws as `decode`. */
  swap(bytes: Uint8Array): Uint8Array {
    checkBytes(bytes)
    return this.within((work) => {
      // A class of the caller's may say any buffer.
      const own = steady(bytesOf(bytes))
      this.read(work, own, 0)
      return work.engine.swapped(own)
    })
  }

  /**
   * The same message with a header field replaced, added at the end, or removed (`undefined`); byte order, other fields and body
   * are kept. A bus sets `sender` so.
   * @throws DBusCodecError when `bytes` is, or the result would be, no valid message; TypeError for an unknown field name.
   */
  setHeaderField(bytes: Uint8Array, name: HeaderFieldName, value: string | number | undefined): Uint8Array {
    const code = FIELD_NAMES.indexOf(name)
    if (code < 1) throw new TypeError(`no header field "${name}"`)
    try {
      return this.withField(bytes, name, code, value)
    } catch (error) {
      if (!isDBusCodecError(error)) throw error
      throw relocated(error, { path: name, detail: error.path === name ? undefined : error.message })
    }
  }

  private withField(bytes: Uint8Array, name: string, code: number, value: string | number | undefined): Uint8Array {
    const { end, body, big } = this.frame(bytes)
    const plain = plainCodec(this.engine)
    const [order, type, flags, version, length, serial, fields] = plain.unmarshal('yyyyuua(yv)', bytes.subarray(0, end), {
      byteOrder: big ? 'big' : 'little',
    })
    const others = fields.filter(([given]) => given !== code)
    const at = fields.findIndex(([given]) => given === code)
    if (value !== undefined) others.splice(at < 0 ? others.length : at, 0, [code, new Variant(FIELD_TYPES[code], value as never)])
    const header = plain.marshalled('yyyyuua(yv)', [order, type, flags, version, length, serial, others], big, 0, CALL_PADDED)
    const rest = bytes.length - body
    const total = header.length + rest
    if (total > this.settings.maxMessageLength) throw new DBusCodecError(FAULT_MESSAGE_LENGTH, { path: name })
    const result = new Uint8Array(total)
    result.set(header)
    result.set(bytes.subarray(body), header.length)
    const verdict = this.validate(result)
    if (!verdict.valid) throw verdict.error
    return result
  }

  // Where the parts of a message are.
  private frame(bytes: Uint8Array): { end: number; body: number; big: boolean } {
    checkBytes(bytes)
    return this.within((work) => {
      this.read(work, bytes, CALL_HEADER)
      const { i32 } = work.engine
      return { end: i32[CONTROL_FIELDS_END >> 2], body: i32[CONTROL_BODY >> 2], big: i32[CONTROL_ORDER >> 2] !== 0 }
    })
  }

  /** A message whose header is marshalled and checked once, now: `serial` and body come with each `encode`. Throws as `encode`. */
  prepare<const S extends string = ''>(
    template: Omit<MessageInput<S>, 'serial' | 'body'>,
    options?: EncodeOptions,
  ): PreparedMessage<S> {
    const big = isBig(options)
    return this.within((work) => {
      this.write(work, { ...template, serial: 1 }, big, CALL_HEADER)
      const header = takeOutput(work.engine, work.engine.output, work.session.writer.gaps, big).slice()
      return new PreparedMessage<S>(this, header, template, big)
    })
  }

  /** @internal */
  encodePrepared(prepared: PreparedMessage, serial: number, body: readonly unknown[]): Uint8Array {
    const work = this.begin()
    const { engine, session } = work
    try {
      this.writePrepared(work, prepared, serial, body)
      return takeOutput(engine, engine.output, session.writer.gaps, prepared.big)
    } catch (error) {
      throw this.explained(work, error)
    } finally {
      work.engine.busy = false
      this.end(work)
    }
  }

  /** @internal */
  encodePreparedInto(
    prepared: PreparedMessage,
    serial: number,
    body: readonly unknown[],
    target: Uint8Array,
    offset: number,
  ): number {
    checkBytes(target)
    const work = this.begin()
    try {
      this.writePrepared(work, prepared, serial, body)
      return this.put(work, target, offset, prepared.big)
    } catch (error) {
      throw this.explained(work, error)
    } finally {
      work.engine.busy = false
      this.end(work)
    }
  }

  // What has been written, into the caller's bytes.
  private put(work: Work, target: Uint8Array, offset: number, big: boolean): number {
    const { engine, session } = work
    const length = engine.i32[CONTROL_OUTPUT_LENGTH >> 2]
    if (!Number.isInteger(offset) || offset < 0 || length > target.length - offset) {
      throw new RangeError(`no room for ${length} bytes at offset ${offset} of ${target.length}`)
    }
    return putOutput(engine, engine.output, session.writer.gaps, big, target, offset)
  }

  /** {@link messageLength} with the codec's `maxMessageLength`: from the first 16 bytes; `undefined` when there are fewer. */
  messageLength(bytes: Uint8Array): number | undefined {
    checkBytes(bytes)
    return lengthOf(bytes, this.settings.maxMessageLength)
  }
}

// One for all: a verdict is asked for millions of times, and its answer is nearly always this.
const VALID: Verdict = Object.freeze({ valid: true })

const FIELD_TYPES = ['', 'o', 's', 's', 's', 'u', 's', 's', 'g', 'u']

// For values that the product itself looks at: built-in shapes, nothing lost.
const plainCodecs = new Map<string, Codec>()
function plainCodec(engine: EngineChoice): Codec {
  let codec = plainCodecs.get(engine.name)
  if (codec === undefined) {
    codec = new Codec(settingsOf({ engine: engine.name, dict: 'pairs' }))
    plainCodecs.set(engine.name, codec)
  }
  return codec
}

function checkSignature(signature: unknown): void {
  if (typeof signature !== 'string') throw new TypeError('the signature must be a string')
}

/** The {@link ShapeOptions} that a codec made with options `O` has, defaults filled in: the type argument of {@link Codec}. */
export type ShapeOf<O extends CodecOptions> = {
  [K in keyof DefaultShape]: O[K] extends NonNullable<ShapeOptions[K]> ? O[K] : DefaultShape[K]
}

/** A codec. Documented where it is exported, in index.ts. */
export function createCodec<const O extends CodecOptions>(options?: O): Codec<ShapeOf<O>> {
  return new Codec<ShapeOf<O>>(settingsOf(options))
}

/** Options of {@link loadCodec}. */
export interface LoadOptions extends CodecOptions {
  /** A compiled `WebAssembly.Module` of this package's `simd.wasm` or `baseline.wasm`, or a promise of one. */
  module: object | PromiseLike<object>
}

/** A codec on a compiled module. Documented where it is exported, in index.ts. */
export async function loadCodec<const O extends LoadOptions>(options: O): Promise<Codec<ShapeOf<O>>> {
  const { module, ...rest } = options
  provideModule(await module)
  return new Codec<ShapeOf<O>>(settingsOf(rest))
}
