// What both entries export as it is; the rest needs to know whether there is WebAssembly.
export type { Codec, LoadOptions, ShapeOf, Verdict } from './codec.ts'
export type { EngineChoice, EngineName } from './engine.ts'
export { DBusCodecError, type FaultCode, isDBusCodecError } from './errors.ts'
export { MessageFramer, type MessageFramerOptions } from './framer.ts'
export { messageLength } from './length.ts'
export type { HeaderFieldName } from './message.ts'
export type { BodyOptions, CodecOptions, DecodeOptions, EncodeOptions } from './options.ts'
export type { PreparedMessage } from './prepare.ts'
export type { TypeNode } from './signature.ts'
export type {
  BodyOf,
  CheckedSignature,
  DefaultShape,
  HandedOver,
  InputBodyOf,
  InputOf,
  Message,
  MessageHeader,
  MessageInput,
  ShapeOptions,
  SignatureError,
  ValueOf,
} from './types.ts'
export { type NumberArray, type Shape, Variant } from './values.ts'
export { type ByteOrder, MessageFlag, MessageType } from './wire.ts'
