// Which way between linear memory and other arrays is quickest: why js/output.ts copies by `set` with views that it keeps, js/strings.ts by
// Buffer's `copy` what has none, and cuts small results from a slab. `node bench/copies.js`
import { quickest } from './timing.js'

const { buffer } = new WebAssembly.Memory({ initial: 16 })
const from = { words: new Int32Array(buffer), bytes: new Uint8Array(buffer) }
const slab = new ArrayBuffer(65536)
const to = { words: new Int32Array(slab), bytes: new Uint8Array(slab) }
let kept
const WAYS = {
  words(length, at) {
    const end = (length + 3) >> 2
    let o = at >> 2
    for (let i = 0; i < end; i++) to.words[o++] = from.words[i]
  },
  set: (length, at) => to.bytes.set(from.bytes.subarray(0, length), at),
  // The same of an array whose buffer has to be asked for, as a caller's.
  part: (length, at) => to.bytes.set(new Uint8Array(from.bytes.buffer, from.bytes.byteOffset, length), at),
  copy: (length, at) => Buffer.prototype.copy.call(from.bytes, to.bytes, at, 0, length),
  view: (length, at) => {
    kept = new Uint8Array(slab, at, length)
  },
  slice: (length) => {
    kept = from.bytes.slice(0, length)
  },
}

for (const length of [64, 128, 256, 384, 512]) {
  const cells = Object.entries(WAYS).map(([name, copy]) => `${name} ${quickest((i) => copy(length, (i & 63) << 9))}`)
  console.log(String(length).padStart(5), cells.join('  '))
}
if (kept === undefined) throw new Error('nothing was kept')
