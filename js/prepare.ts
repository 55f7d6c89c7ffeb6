// Messages sent again and again: the header is marshalled and checked once, then copied and patched.
import type { InputBodyOf } from './types.ts'

/** What a prepared message needs of its codec. @internal */
export interface PreparedWriter {
  encodePrepared(prepared: PreparedMessage, serial: number, body: readonly unknown[]): Uint8Array
  encodePreparedInto(
    prepared: PreparedMessage,
    serial: number,
    body: readonly unknown[],
    target: Uint8Array,
    offset: number,
  ): number
}

/**
 * A message whose header is marshalled and checked already; made by {@link Codec.prepare}. For what is sent again and again.
 *
 *     const notify = codec.prepare({ type: MessageType.METHOD_CALL, path: '/a', member: 'Notify', signature: 'su' })
 *     socket.write(notify.encode(serial, ['text', 7]))
 */
export class PreparedMessage<S extends string = string> {
  /** The types of the body; `''` when there is none. */
  readonly signature: S
  /** The marshalled header, final padding included. @internal */
  readonly header: Uint8Array
  /** The message as it was given, for headers too long to be kept in linear memory. @internal */
  readonly template: object
  /** @internal */
  readonly flags: number
  /** @internal */
  readonly big: boolean
  private readonly codec: PreparedWriter

  /** @internal */
  constructor(
    codec: PreparedWriter,
    header: Uint8Array,
    template: { signature?: S | undefined; flags?: number | undefined },
    big: boolean,
  ) {
    this.codec = codec
    this.template = { ...template }
    this.header = header
    this.signature = (template.signature ?? '') as S
    this.flags = template.flags ?? 0
    this.big = big
  }

  /**
   * The message with this serial (1 to 4294967295) and body, as bytes of its own. Without a signature the body may be left out.
   *
   * @throws DBusCodecError with the `path`, as {@link Codec.encode} does; ERR_DBUS_SERIAL for 0
   */
  encode(
    serial: number,
    ...body: InputBodyOf<S> extends readonly [] ? [body?: readonly []] : [body: InputBodyOf<S>]
  ): Uint8Array {
    return this.codec.encodePrepared(this as unknown as PreparedMessage, serial, (body[0] ?? []) as readonly unknown[])
  }

  /**
   * The same into `target`, from byte `offset` (default 0) on.
   *
   * @returns the number of bytes written
   * @throws DBusCodecError as `encode` does; RangeError when there is no room. Nothing is written then.
   */
  encodeInto(serial: number, body: InputBodyOf<S>, target: Uint8Array, offset = 0): number {
    return this.codec.encodePreparedInto(this as unknown as PreparedMessage, serial, body as readonly unknown[], target, offset)
  }
}
