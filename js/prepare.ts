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

/** A message whose header is ready; made by `codec.prepare`. */
export class PreparedMessage<S extends string = string> {
  /** The types of the body. */
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

  /** The message with this serial and body, as bytes of its own. */
  encode(
    serial: number,
    ...body: InputBodyOf<S> extends readonly [] ? [body?: readonly []] : [body: InputBodyOf<S>]
  ): Uint8Array {
    return this.codec.encodePrepared(this as unknown as PreparedMessage, serial, (body[0] ?? []) as readonly unknown[])
  }

  /** The same into `target`, from byte `offset` on; the number of bytes written. */
  encodeInto(serial: number, body: InputBodyOf<S>, target: Uint8Array, offset = 0): number {
    return this.codec.encodePreparedInto(this as unknown as PreparedMessage, serial, body as readonly unknown[], target, offset)
  }
}
