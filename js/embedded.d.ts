// What the build puts into the bundle: see `embedded` in rollup.config.js.
declare module 'embedded:simd' {
  /** The Wasm module with SIMD. */
  export default function bytes(hexBytes: (digits: string) => Uint8Array): Uint8Array
}
declare module 'embedded:baseline' {
  /** The Wasm module without SIMD. */
  export default function bytes(hexBytes: (digits: string) => Uint8Array): Uint8Array
}
declare module 'embedded:js' {
  /** The same module as JavaScript (wasm2js). */
  export default function instantiate(env: object): object
}
