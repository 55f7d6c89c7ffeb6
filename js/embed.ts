// The Wasm modules' bytes, for the entry that has them. Nothing happens at import: the bytes are handed over by the first call.
import baseline from 'embedded:baseline'
import simd from 'embedded:simd'
import { provideBytes } from './engine.ts'
import { hexBytes } from './strings.ts'

const bytes = {
  get simd(): Uint8Array {
    return simd(hexBytes)
  },
  get baseline(): Uint8Array {
    return baseline(hexBytes)
  },
}

/** The same function, which knows where the Wasm bytes are. @internal */
export function withWasm<F extends (...given: never[]) => unknown>(f: F): F {
  return ((...given: never[]) => {
    provideBytes(bytes)
    return f(...given)
  }) as F
}
