// The entry `dbus-codec/js`: the same API with no Wasm bytes in it.
export { createCodec, loadCodec } from './codec.ts'
export * from './common.ts'
export { isBusName, isErrorName, isInterfaceName, isMemberName, isObjectPath, isSignature } from './names.ts'
export { parseSignature } from './signature.ts'
