// The package's entry: what it exports, and nothing else. Whatever needs an engine is told here where the Wasm bytes are.
import { createCodec as create, loadCodec as load } from './codec.ts'
import { withWasm } from './embed.ts'
import * as names from './names.ts'
import { parseSignature as parse } from './signature.ts'

export * from './common.ts'

/**
 * A codec. The first one in a thread picks the engine; see {@link CodecOptions} for the options.
 *
 * @throws TypeError for an unknown option or value of an option
 */
export const createCodec: typeof create = /* @__PURE__ */ withWasm(create)

/**
 * A codec on a `WebAssembly.Module` that the caller has compiled, or a promise of one: for edge runtimes, and for main threads
 * that refuse to compile synchronously. All codecs made afterwards use it.
 */
export const loadCodec: typeof load = /* @__PURE__ */ withWasm(load)

/**
 * The complete types of a signature, as trees.
 *
 * @throws DBusCodecError with the `offset` in the signature of what is wrong
 */
export const parseSignature: typeof parse = /* @__PURE__ */ withWasm(parse)

/** Whether a text is a valid bus name, unique (`:1.42`) or well known. */
export const isBusName: typeof names.isBusName = /* @__PURE__ */ withWasm(names.isBusName)
/** Whether a text is a valid error name: the rules are those of interface names. */
export const isErrorName: typeof names.isErrorName = /* @__PURE__ */ withWasm(names.isErrorName)
/** Whether a text is a valid interface name: two elements at least, 255 characters at most. */
export const isInterfaceName: typeof names.isInterfaceName = /* @__PURE__ */ withWasm(names.isInterfaceName)
/** Whether a text is a valid member name: one element, 255 characters at most. */
export const isMemberName: typeof names.isMemberName = /* @__PURE__ */ withWasm(names.isMemberName)
/** Whether a text is a valid object path. Its length is bounded by the message only. */
export const isObjectPath: typeof names.isObjectPath = /* @__PURE__ */ withWasm(names.isObjectPath)
/** Whether a text is a valid signature: any number of complete types, 255 characters at most. */
export const isSignature: typeof names.isSignature = /* @__PURE__ */ withWasm(names.isSignature)
