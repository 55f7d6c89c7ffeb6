// The debug build, which counts the bytes and values it looks at (CONTROL_STEPS). It is built here when the sources are newer; no
// codec can be asked for it.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Engine, type Exports } from '../js/engine.ts'
import { FAULTS } from '../js/errors.ts'
import {
  CALL_STRUCTURE,
  CONTROL_FAULT,
  CONTROL_FAULT_AT,
  CONTROL_STEPS,
  CONTROL_VALUES,
  INITIAL_PAGES,
  MAX_MESSAGE_LENGTH,
  WINDOW_SIZE,
} from '../js/wire.ts'
import { wasm } from './webassembly.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const BUILT = `${ROOT}build/debug.wasm`

export interface Counted {
  /** '' when the message is valid. */
  readonly code: string
  readonly offset: number
  readonly steps: number
  readonly values: number
  /** Of linear memory. */
  readonly bytes: number
}

export interface CountOptions {
  maxValues?: number
  structure?: boolean
  swap?: boolean
}

/** An engine of its own on the debug build. `seed`: what hashes are made with. */
export class CountingEngine {
  readonly engine: Engine

  constructor(seed?: number) {
    const random = Math.random
    if (seed !== undefined) Math.random = () => seed / 4294967296
    try {
      this.engine = new Engine('simd', (env) => {
        const memory = new wasm.Memory({ initial: INITIAL_PAGES }) as never
        const { exports } = new wasm.Instance(module(), { env: { ...env, memory } }) as { exports: Exports }
        return { exports, memory }
      })
    } finally {
      Math.random = random
    }
  }

  /** Validates a message and says what that cost. */
  count(bytes: Uint8Array, { maxValues = 8388608, structure = false, swap = false }: CountOptions = {}): Counted {
    const { engine } = this
    const large = bytes.length > WINDOW_SIZE
    const first = large ? engine.openPiece(bytes, bytes.length, 0, true) : engine.open(bytes, 0)
    const valid = engine.exports.decode(bytes.length, first, MAX_MESSAGE_LENGTH, structure ? CALL_STRUCTURE : 0, maxValues) !== 0
    engine.views()
    if (valid && swap) engine.swapped(bytes)
    engine.close()
    const word = (address: number) => engine.i32[address >> 2] >>> 0
    const fault = word(CONTROL_FAULT) as keyof typeof FAULTS
    return {
      code: valid ? '' : FAULTS[fault][0],
      offset: word(CONTROL_FAULT_AT),
      steps: word(CONTROL_STEPS),
      values: word(CONTROL_VALUES),
      bytes: engine.u8.length,
    }
  }
}

let compiled: object | undefined

function module(): object {
  if (compiled === undefined) {
    if (!existsSync(BUILT) || statSync(BUILT).mtimeMs < newest(`${ROOT}assembly/`)) {
      execFileSync('npm', ['run', '--silent', 'asbuild:debug'], { cwd: ROOT, stdio: 'pipe' })
    }
    compiled = new wasm.Module(readFileSync(BUILT))
  }
  return compiled
}

function newest(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return Math.max(...files.map((file) => statSync(folder + file).mtimeMs))
}
