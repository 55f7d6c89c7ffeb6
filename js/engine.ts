// The border to WebAssembly: the only file that names it, makes instances and holds views of their memory. One source, three
// engines; which one runs is decided when the first codec is made, never at import.
import instantiateJs from 'embedded:js'
import { DBusCodecError, type Fault, type FaultPlace } from './errors.ts'
import { isSteady } from './steady.ts'
import { copyPart, isOrdinary } from './strings.ts'
import { bufferOf, viewOf } from './values.ts'
import {
  ABI_VERSION,
  CONTROL_FAULT,
  CONTROL_FAULT_AT,
  CONTROL_OUTPUT,
  CONTROL_PAGES,
  CONTROL_TEXT,
  INITIAL_PAGES,
  PAGE_SIZE,
  TAPE,
  WINDOW,
  WINDOW_SIZE,
} from './wire.ts'

/** `simd` and `baseline` are WebAssembly with and without SIMD; `js` is the same code as JavaScript. */
export type EngineName = 'simd' | 'baseline' | 'js'

/** Which engine runs, and why. */
export interface EngineChoice {
  readonly name: EngineName
  readonly reason: string
}

/** The exports of assembly/index.ts. @internal */
export interface Exports {
  init(seed: number): number
  decode(given: number, first: number, most: number, flags: number, maxValues: number): number
  unmarshal(plan: number, from: number, length: number, first: number, flags: number, maxValues: number): number
  planOf(at: number, length: number, fresh: number): number
  planWords(): number
  encode(flags: number, again: number, keep: number): number
  marshal(plan: number, from: number, flags: number): number
  swap(): void
  swapBulk(length: number, size: number): void
  checkName(flag: number, at: number, length: number): number
}

interface Memory {
  buffer: ArrayBuffer
  grow(pages: number): number
}

// An instance that grew beyond this many pages (4 MiB) is dropped after the message: memory never shrinks.
const KEPT_PAGES = 64
// So much of a message comes in at once that does not come in as a whole: what follows may be one array that nobody looks at. A kept
// header has to fit.
const FIRST_PIECE = 1024

/** A message that is only validated comes in as a whole up to this length (bench/native, `ay` 8192). @internal */
export const VERDICT_WHOLE = 4096

// Views of this many lengths are kept, some 100 bytes each.
const KEPT_VIEWS = 1024
const TAPE_BYTES = 131072
const TEXT_BYTES = 131072

/** Who keeps views of an engine's memory between calls. @internal */
export interface Holder {
  letGo(): void
}

/** One instance and the views of its memory. @internal */
export class Engine {
  readonly name: EngineName
  exports: Exports
  private memory: Memory
  private pages = 0
  /** Whether a message is being worked on: an inner call takes another instance. */
  busy = false
  /** Whether the instance has grown so much that it should make way for a fresh one. */
  bloated = false

  u8!: Uint8Array
  i32!: Int32Array
  f64!: Float64Array
  i64!: BigInt64Array
  u64!: BigUint64Array

  /** First byte after the tape's room when encoding, and after the text's. */
  text = TAPE + TAPE_BYTES
  output = TAPE + TAPE_BYTES + TEXT_BYTES

  private holders: WeakRef<Holder>[] = []

  // Views of the output's first bytes, by length: a small message costs none of its own.
  private readonly starts: (Uint8Array | undefined)[] = []

  // The message that passes through the window, its byte 0 standing for offset `phase`.
  private source: Uint8Array = NOTHING
  private sourceLength = 0
  private ordinary = false
  private phase = 0
  private result: Uint8Array = NOTHING

  constructor(name: EngineName, make: (env: object) => { exports: Exports; memory: Memory }) {
    this.name = name
    const { exports, memory } = make({
      refill: (offset: number, length: number) => this.refill(offset, length),
      flush: (offset: number, length: number) => this.flush(offset, length),
    })
    this.exports = exports
    this.memory = memory
    this.refresh()
    // The seed keeps strangers from choosing texts that share a slot.
    if (exports.init((Math.random() * 4294967296) | 0) !== ABI_VERSION) throw new Error('dbus-codec: another ABI')
    this.layOut()
  }

  /** Makes the views anew if memory has grown. Call it after every call that may grow it. */
  views(): void {
    // A view of Wasm memory that has grown is detached and reads undefined; the js engine leaves a stale copy behind.
    if (this.i32[CONTROL_PAGES >> 2] !== this.pages || (this.name === 'js' && this.memory.buffer !== this.u8.buffer)) {
      this.refresh()
    }
  }

  private refresh(): void {
    const buffer = this.memory.buffer
    this.u8 = new Uint8Array(buffer)
    this.i32 = new Int32Array(buffer)
    this.f64 = new Float64Array(buffer)
    this.i64 = new BigInt64Array(buffer)
    this.u64 = new BigUint64Array(buffer)
    this.starts.length = 0
    this.pages = buffer.byteLength / PAGE_SIZE
    this.i32[CONTROL_PAGES >> 2] = this.pages
    this.bloated = this.pages > KEPT_PAGES
  }

  private layOut(): void {
    this.starts.length = 0
    this.i32[CONTROL_TEXT >> 2] = this.text
    this.i32[CONTROL_OUTPUT >> 2] = this.output
  }

  /** Says who holds views of the memory: a view keeps all of it alive, be it detached. The engine outlives those who use it. */
  heldBy(holder: Holder): void {
    // Those that are gone are taken out now and then, so that many codecs do not look at each other all the time.
    const { length } = this.holders
    if ((length & (length - 1)) === 0) this.holders = this.holders.filter((other) => other.deref() !== undefined)
    this.holders.push(new WeakRef(holder))
  }

  /** Lets the memory go, though codecs that used it may still know the instance. It is never used again: it stays bloated. */
  release(): void {
    this.starts.length = 0
    for (const holder of this.holders) holder.deref()?.letGo()
    this.exports = undefined as never
    this.memory = undefined as never
    this.u8 = this.i32 = this.f64 = this.i64 = this.u64 = undefined as never
  }

  /**
   * Doubles the room for the tape or for the text of a message that is being written; text and what lies behind it move up.
   * `used`: bytes of text so far. The output's room is behind both and is not in use yet.
   */
  widen(what: 'tape' | 'text', used: number, least: number): void {
    const textBytes = this.output - this.text
    const more = Math.max(what === 'tape' ? this.text - TAPE : textBytes, Math.ceil(least / 8) * 8)
    const text = what === 'tape' ? this.text + more : this.text
    const output = this.output + more
    if (output + TEXT_BYTES > this.u8.length) {
      const pages = Math.ceil((output + TEXT_BYTES - this.u8.length) / PAGE_SIZE)
      if (output > 0x7fff0000 || this.memory.grow(pages) < 0) throw new RangeError('dbus-codec: out of memory')
      this.refresh()
    }
    if (text !== this.text) this.u8.copyWithin(text, this.text, this.text + used)
    this.text = text
    this.output = output
    this.layOut()
  }

  /** The bytes [from, end) of linear memory. */
  part(from: number, end: number): Uint8Array {
    const length = end - from
    if (from !== this.output || length > KEPT_VIEWS) return this.u8.subarray(from, end)
    const kept = this.starts[length]
    if (kept !== undefined) return kept
    const view = this.u8.subarray(from, end)
    this.starts[length] = view
    return view
  }

  /** Puts a whole message into the window; how much that is, counted from offset 0. `phase`: its first byte's offset modulo 8. */
  open(bytes: Uint8Array, phase: number): number {
    this.u8.set(bytes, WINDOW + phase)
    return bytes.length + phase
  }

  /**
   * The same for the first piece of a longer message, which is `length` bytes. `values`: whether its values will be read, and not only a
   * verdict given on each byte as it comes in.
   */
  openPiece(bytes: Uint8Array, length: number, phase: number, values: boolean): number {
    this.source = bytes
    this.sourceLength = length
    // Shared or resizable memory may change under us: what was checked must be what is read.
    if (values && !isSteady(bufferOf(bytes))) this.source = new Uint8Array(this.opened)
    this.ordinary = isOrdinary(this.source)
    this.phase = phase
    this.bring(0, FIRST_PIECE - phase, WINDOW + phase)
    return FIRST_PIECE
  }

  private bring(from: number, end: number, at: number): void {
    if (this.ordinary) copyPart(this.source, from, end, this.u8, at)
    else this.u8.set(viewOf(this.source, from, end - from), at)
  }

  /** The bytes of the message that comes in by pieces; steady while it is worked on. */
  get opened(): Uint8Array {
    return viewOf(this.source, 0, this.sourceLength)
  }

  /** Lets go of the caller's bytes. */
  close(): void {
    this.source = NOTHING
    this.result = NOTHING
  }

  private refill(offset: number, length: number): void {
    // The walk may have grown the memory for its tape.
    this.views()
    const from = offset - this.phase
    const start = Math.max(from, 0)
    this.bring(start, from + length, WINDOW + start - from)
  }

  private flush(offset: number, length: number): void {
    this.views()
    this.result.set(this.u8.subarray(WINDOW, WINDOW + length), offset)
  }

  /** The message that `decode` has just accepted, steady, in the other byte order. */
  swapped(bytes: Uint8Array): Uint8Array {
    const result = new Uint8Array(bytes)
    this.result = result
    // Reading a big-endian message has reversed its bulk arrays in the window: start from its own bytes again.
    if (result.length <= WINDOW_SIZE) this.open(result, 0)
    else this.openPiece(result, result.length, 0, true)
    this.exports.swap()
    return result
  }

  /** Reverses each element of `size` bytes in place. */
  reverse(bytes: Uint8Array, size: number): void {
    for (let at = 0; at < bytes.length; at += WINDOW_SIZE) {
      const part = bytes.subarray(at, at + WINDOW_SIZE)
      this.u8.set(part, WINDOW)
      this.exports.swapBulk(part.length, size)
      part.set(this.u8.subarray(WINDOW, WINDOW + part.length))
    }
  }

  get fault(): Fault {
    return this.i32[CONTROL_FAULT >> 2] as Fault
  }
  get faultAt(): number {
    return this.i32[CONTROL_FAULT_AT >> 2] >>> 0
  }

  /** The error for the fault of the last call; its offset counts from `phase`. */
  error(place: FaultPlace = {}, phase = 0): DBusCodecError {
    return new DBusCodecError(this.fault, { offset: this.faultAt - phase, ...place })
  }
}

const NOTHING = new Uint8Array(0)

// --- choosing -------------------------------------------------------------------------------------------------------------

interface WasmApi {
  Module: new (bytes: Uint8Array) => object
  Memory: new (descriptor: { initial: number }) => Memory
  Instance: new (module: object, imports: object) => { exports: object }
}

// Read late and never at import: on ARMv6 the mere touch aborts the process (nodejs/node#38804 and its kind).
function wasm(): WasmApi | undefined {
  return (globalThis as { WebAssembly?: WasmApi }).WebAssembly
}

/** The modules' bytes. @internal */
export interface WasmBytes {
  readonly simd: Uint8Array
  readonly baseline: Uint8Array
}

// The entry gives them (js/embed.ts); that of `dbus-codec/js` has none to give.
let embedded: WasmBytes | undefined

/** Gives the modules' bytes. @internal */
export function provideBytes(bytes: WasmBytes): void {
  if (embedded !== undefined) return
  embedded = bytes
  chosen = undefined
}

// Compiled once a thread; instances come and go.
const modules: { simd?: object; baseline?: object } = {}

function moduleOf(name: 'simd' | 'baseline'): object {
  const api = wasm()
  if (api === undefined) throw new Error('no WebAssembly')
  if (modules[name] === undefined) {
    if (embedded === undefined) throw new Error('this entry has no WebAssembly')
    // Throws for a module that this runtime does not understand.
    modules[name] = new api.Module(embedded[name])
  }
  return modules[name]
}

function makeEngine(name: EngineName): Engine {
  return new Engine(name, (env) => {
    if (name === 'js') {
      const buffer = new ArrayBuffer(INITIAL_PAGES * PAGE_SIZE)
      // wasm2js puts its own `grow` here.
      const memory = { buffer, grow: () => -1 } as Memory
      return { exports: instantiateJs({ ...env, memory }) as Exports, memory }
    }
    const api = wasm()
    if (api === undefined) throw new Error('no WebAssembly')
    const memory = new api.Memory({ initial: INITIAL_PAGES })
    // Without @assemblyscript/loader: what it adds (strings and objects of a managed runtime) we have none of, and its exports
    // take their arguments as arrays, which costs more than a small message (docs/design-notes.md).
    const { exports } = new api.Instance(moduleOf(name), { env: { ...env, memory } })
    return { exports: exports as Exports, memory }
  })
}

interface ProcessLike {
  arch?: string
  env?: Record<string, string | undefined>
  config?: { variables?: { arm_version?: string | number } }
}

let chosen: EngineChoice | undefined

/** The engine for this thread: the one asked for, else the best that works here. @internal */
export function chooseEngine(asked: EngineName | undefined): EngineChoice {
  if (asked !== undefined) return { name: asked, reason: 'asked for by option' }
  if (chosen === undefined) chosen = bestEngine()
  return chosen
}

function bestEngine(): EngineChoice {
  const host = (globalThis as { process?: ProcessLike }).process
  const forced = host?.env?.DBUS_CODEC_ENGINE
  if (forced === 'simd' || forced === 'baseline' || forced === 'js') {
    return { name: forced, reason: 'asked for by DBUS_CODEC_ENGINE' }
  }
  if (forced !== undefined && forced !== '') throw new TypeError(`DBUS_CODEC_ENGINE: no engine "${forced}"`)
  if (host?.arch === 'arm' && Number(host.config?.variables?.arm_version ?? 7) < 7) {
    return { name: 'js', reason: 'ARMv6 has no working WebAssembly' }
  }
  if (wasm() === undefined) return { name: 'js', reason: 'there is no WebAssembly here' }
  if (embedded === undefined && modules.simd === undefined) return { name: 'js', reason: 'this entry has no WebAssembly' }
  try {
    idleEngine('simd')
    return { name: 'simd', reason: 'WebAssembly with SIMD' }
  } catch {
    // No SIMD, or no WebAssembly at all: the next attempt tells.
  }
  try {
    idleEngine('baseline')
    return { name: 'baseline', reason: 'WebAssembly without SIMD' }
  } catch (error) {
    return { name: 'js', reason: `WebAssembly cannot be used: ${(error as Error).message}` }
  }
}

/** Takes a compiled module in place of the embedded one; which one it is shows by what it validates as. @internal */
export function provideModule(module: unknown): void {
  if (Object.prototype.toString.call(module) !== '[object WebAssembly.Module]') {
    throw new TypeError('module must be a compiled WebAssembly module')
  }
  modules.simd = module as object
  modules.baseline = module as object
  chosen = undefined
}

// Per engine, one instance for each level of nesting (a getter that encodes while its object is being encoded). All codecs and
// connections of a thread share them: each Wasm memory reserves gigabytes of address space.
const instances: Record<EngineName, (Engine | undefined)[]> = { simd: [], baseline: [], js: [] }

/** Forgets an instance that has grown large: its memory never shrinks. @internal */
export function dropEngine(engine: Engine): void {
  const all = instances[engine.name]
  const level = all.indexOf(engine)
  if (level >= 0) all[level] = undefined
  engine.release()
}

// Deeper than this, inner calls are refused: each level holds an instance.
const MAX_LEVELS = 16

/** An instance that is not busy. @internal */
export function idleEngine(name: EngineName): Engine {
  const all = instances[name]
  const first = all[0]
  if (first !== undefined && !first.busy) return first.bloated ? (all[0] = makeEngine(name)) : first
  for (let level = 0; level < MAX_LEVELS; level++) {
    const engine = all[level]
    if (engine === undefined || (!engine.busy && engine.bloated)) return (all[level] = makeEngine(name))
    if (!engine.busy) return engine
  }
  throw new RangeError(`dbus-codec: more than ${MAX_LEVELS} calls inside one another`)
}
