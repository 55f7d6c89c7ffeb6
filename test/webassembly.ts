// What the tests use of WebAssembly: its types belong to the DOM's library, which the product does without.
export interface WasmApi {
  Module: {
    new (bytes: Uint8Array): object
    exports(module: object): { kind: string; name: string }[]
    imports(module: object): { kind: string; module: string; name: string }[]
  }
  Memory: new (descriptor: { initial: number }) => object
  Instance: new (module: object, imports: object) => object
  CompileError: new (message: string) => Error
  compile(bytes: Uint8Array): Promise<object>
  validate(bytes: Uint8Array): boolean
}

export const wasm = (globalThis as unknown as { WebAssembly: WasmApi }).WebAssembly
