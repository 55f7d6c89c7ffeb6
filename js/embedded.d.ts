// What the build puts into the bundle: see `embedded` in rollup.config.js.
declare module 'embedded:simd' {
  /** The Wasm module with SIMD, in hexadecimal. */
  const hex: string
  export default hex
}
declare module 'embedded:baseline' {
  /** The Wasm module without SIMD, as steps from the other: a slice of its bytes, then new ones in hexadecimal. */
  const steps: readonly [start: number, end: number, fresh: string][]
  export default steps
}
declare module 'embedded:js' {
  /** The same module as JavaScript (wasm2js). */
  export default function instantiate(env: object): object
}
