// dbus-codec, the built package as users get it.
import { pathToFileURL } from 'node:url'

const build = () => pathToFileURL(new URL('../../build/index.js', import.meta.url).pathname).href

/** @param {{ engine?: string }} options */
export async function open(options = {}) {
  const { createCodec, Variant } = await import(build())
  const codec = createCodec(options)
  const viewing = createCodec({ ...options, bytes: 'view' })
  return {
    engine: codec.engine,
    shape: shapeOf(Variant),
    encodeInto: (form, target) => codec.encodeInto(form, target, 0),
    decodeHeader: (bytes) => codec.decodeHeader(bytes),
    encode: (form) => codec.encode(form),
    decode: (bytes) => codec.decode(bytes),
    decodeView: (bytes) => viewing.decode(bytes),
    validate: (bytes) => codec.validate(bytes),
  }
}

const shapeOf = (Variant) => ({
  variant: (signature, value) => new Variant(signature, value),
  fromVariant: (value) => [value.signature, value.value],
  dict: (key, pairs) => ('sog'.includes(key) ? Object.fromEntries(pairs) : new Map(pairs)),
  fromDict: (value) => (value instanceof Map ? [...value] : Object.entries(value)),
  bytes: (value) => new Uint8Array(value),
  numbers: (code, list) => TYPED[code].from(list),
})

const TYPED = {
  n: Int16Array,
  q: Uint16Array,
  i: Int32Array,
  u: Uint32Array,
  x: BigInt64Array,
  t: BigUint64Array,
  d: Float64Array,
}
