// The package's entry: what it exports, and nothing else. Whatever needs an engine is told here where the Wasm bytes are.
import { createCodec as create, loadCodec as load } from './codec.ts'
import { withWasm } from './embed.ts'
import * as names from './names.ts'
import { parseSignature as parse } from './signature.ts'

export * from './common.ts'

/**
 * A codec with these {@link CodecOptions}. The first one in a thread picks the engine, synchronously; importing the package touches
 * no WebAssembly. Codecs are cheap and share the thread's engine: one for each set of options is enough.
 *
 *     const codec = createCodec({ int64: 'number' })
 *
 * @throws TypeError for an unknown option or value of an option; an Error when the engine that `engine` asks for does not work here
 * @function
 */
export const createCodec: typeof create = /* @__PURE__ */ withWasm(create)

/**
 * A codec on a `WebAssembly.Module` that the caller has compiled, or a promise of one: for edge runtimes, and for main threads
 * that refuse to compile synchronously. The thread's codecs made afterwards use it as well. When it does not work, `codec.engine`
 * is the JavaScript engine and says why.
 *
 *     import { loadCodec } from 'dbus-codec/js' // no Wasm bytes inside
 *     const codec = await loadCodec({ module: WebAssembly.compileStreaming(fetch('/simd.wasm')) })
 *
 * @throws what the promise is rejected with; otherwise as {@link createCodec}
 * @function
 */
export const loadCodec: typeof load = /* @__PURE__ */ withWasm(load)

/**
 * The complete types of a signature (specification, "Type System"), as trees; none for `''`.
 *
 *     parseSignature('sa{sv}')[1].children[0].children[1].type // 'v'
 *
 * @throws DBusCodecError with the `offset` in the signature of what is wrong: ERR_DBUS_TYPE_CODE and the other codes of the group
 * "Signatures" in docs/errors.md. TypeError when `signature` is no string.
 * @function
 */
export const parseSignature: typeof parse = /* @__PURE__ */ withWasm(parse)

/** Whether a text is a valid bus name, unique (`:1.42`) or well known ("Valid Names"); 255 characters at most. @function */
export const isBusName: typeof names.isBusName = /* @__PURE__ */ withWasm(names.isBusName)
/** Whether a text is a valid error name: the rules are those of interface names ("Valid Names"). @function */
export const isErrorName: typeof names.isErrorName = /* @__PURE__ */ withWasm(names.isErrorName)
/** Whether a text is a valid interface name ("Valid Names"): two elements at least, 255 characters at most. @function */
export const isInterfaceName: typeof names.isInterfaceName = /* @__PURE__ */ withWasm(names.isInterfaceName)
/** Whether a text is a valid member name ("Valid Names"): one element, 255 characters at most. @function */
export const isMemberName: typeof names.isMemberName = /* @__PURE__ */ withWasm(names.isMemberName)
/** Whether a text is a valid object path ("Valid Object Paths"). Its length is bounded by the message only. @function */
export const isObjectPath: typeof names.isObjectPath = /* @__PURE__ */ withWasm(names.isObjectPath)
/** Whether a text is a valid signature: any number of complete types (none as well), 255 characters at most. @function */
export const isSignature: typeof names.isSignature = /* @__PURE__ */ withWasm(names.isSignature)
