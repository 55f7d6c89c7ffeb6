// One thread that tries mutants: each new instance of the module is told which one it is.
import { parentPort, workerData } from 'node:worker_threads'
import { CHOSEN } from './mutants.js'

let chosen = 0

const { Instance } = WebAssembly
const Told = class {
  constructor(module, imports) {
    new Int32Array(imports.env.memory.buffer)[CHOSEN >> 2] = chosen
    return new Instance(module, imports)
  }
  static [Symbol.hasInstance](value) {
    return value instanceof Instance
  }
}
Object.assign(WebAssembly, { Instance: Told })

const { url, beats, expected } = workerData
const { judge, prepare } = await import(url)
parentPort.postMessage({ expected: prepare(expected) })
parentPort.on('message', (id) => {
  chosen = id
  const shown = judge(() => beats[0]++)
  chosen = 0
  parentPort.postMessage({ id, shown })
})
