// The fuzzer's loop: an input is kept when the js engine took a branch, or took one more often, than for any before. Started by run.js.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { corpusBytes, corpusDirectories, corpusRecords } from '../corpus.ts'
import { seededSource } from '../generate.ts'
import { nextInput } from './mutate.ts'
import { inputs, judge, seen } from './target.ts'

export interface Options {
  minutes: number
  seed: number
  /** The file of kept inputs, one `{ hex }` a line. */
  corpus: string
  /** Where findings go. */
  findings: string
}

/** Longer inputs are tried but not kept: the corpus is in the repository. */
const LONGEST_KEPT = 512
const MOST_FINDINGS = 20
/** An input that takes longer is a hang. */
const HANG_SECONDS = 30

const counters = (globalThis as unknown as { fuzzCounters: Uint8Array }).fuzzCounters
// Per branch, the magnitudes in which it was taken: 1, 2, 3, 4 to 7, … as one bit each.
const known = new Uint8Array(counters.length)
const magnitude = Uint8Array.from({ length: 256 }, (_, n) =>
  n === 0 ? 0 : n < 4 ? 1 << (n - 1) : 1 << Math.min(7, 1 + Math.floor(Math.log2(n))),
)

/** Whether the counters show something new to `known`. */
function isNew(of: Uint8Array): boolean {
  let fresh = false
  for (let i = 0; i < counters.length; i++) {
    if (counters[i] === 0) continue
    const bit = magnitude[counters[i]]
    if ((of[i] & bit) === 0) {
      of[i] |= bit
      fresh = true
    }
  }
  return fresh
}

/** Judges an input; whether it went where none has gone. */
function covers(bytes: Uint8Array, of: Uint8Array): boolean {
  counters.fill(0)
  judge(bytes)
  return isNew(of)
}

const readKept = (path: string): Uint8Array[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => new Uint8Array(Buffer.from(JSON.parse(line).hex, 'hex')))
    : []

/** As few and as short inputs as show all that has been seen. */
export function minimised(all: readonly Uint8Array[]): Uint8Array[] {
  const shortest = [...all].sort((a, b) => a.length - b.length)
  const of = new Uint8Array(counters.length)
  const kept = shortest.filter((bytes) => covers(bytes, of))
  // Once more from the other end: what a longer one shows besides may make shorter ones superfluous.
  of.fill(0)
  return kept
    .reverse()
    .filter((bytes) => covers(bytes, of))
    .reverse()
}

export function fuzz({ minutes, seed, corpus, findings }: Options): boolean {
  const source = seededSource(seed)
  const watched = watch()
  const kept: Uint8Array[] = []
  const found = new Map<string, Uint8Array>()
  const put = (bytes: Uint8Array): void => {
    watched(bytes)
    try {
      if (covers(bytes, known) && bytes.length <= LONGEST_KEPT) kept.push(bytes)
    } catch (error) {
      const what = String(error).replaceAll(/\d+/g, 'N').slice(0, 100)
      if (found.size < MOST_FINDINGS && !found.has(what)) {
        found.set(what, bytes)
        mkdirSync(findings, { recursive: true })
        writeFileSync(
          `${findings}/finding-${found.size}.json`,
          `${JSON.stringify({ error: String(error), hex: Buffer.from(bytes).toString('hex') })}\n`,
        )
        console.log(`finding: ${error}\n  ${Buffer.from(bytes).toString('hex')}`)
      }
    }
  }
  const seeds = [
    ...readKept(corpus),
    ...corpusRecords(corpusDirectories()[0])
      .filter(({ hex }) => hex && hex.length < 2000)
      .map(corpusBytes),
  ]
  for (const bytes of seeds) put(bytes)
  console.log(`${seeds.length} seeds, ${kept.length} kept, seed ${seed}`)
  const end = Date.now() + minutes * 60_000
  let next = Date.now() + 30_000
  while (Date.now() < end) {
    for (let i = 0; i < 200; i++) put(nextInput(source, kept))
    if (Date.now() > next) {
      next += 30_000
      report(kept)
    }
  }
  report(kept)
  const small = minimised(kept)
  writeFileSync(corpus, small.map((bytes) => `${JSON.stringify({ hex: Buffer.from(bytes).toString('hex') })}\n`).join(''))
  console.log(`${small.length} inputs kept in ${small.reduce((sum, { length }) => sum + length, 0)} bytes`)
  for (const [code, count] of [...seen].sort((a, b) => b[1] - a[1])) console.log(`${String(count).padStart(9)} ${code}`)
  console.log(`${found.size} findings`)
  return found.size === 0
}

function report(kept: readonly Uint8Array[]): void {
  const reached = known.reduce((sum, bits) => sum + (bits === 0 ? 0 : 1), 0)
  console.log(`${inputs} inputs, ${reached} of ${counters.length} branches, ${kept.length} kept, ${seen.size} verdicts`)
}

/** A thread that ends the process, with the input, when nothing moves for long. */
function watch(): (bytes: Uint8Array) => void {
  const shared = new Uint8Array(new SharedArrayBuffer(65536))
  const clock = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(
    `const { workerData: { shared, clock, seconds } } = require('node:worker_threads')
     let last = -1
     setInterval(() => {
       const now = Atomics.load(clock, 0)
       if (now === last && now !== 0) {
         console.error('hang: ' + Buffer.from(shared.slice(0, Atomics.load(clock, 1))).toString('hex'))
         process.kill(process.pid, 'SIGABRT')
       }
       last = now
     }, seconds * 1000)`,
    { eval: true, workerData: { shared, clock, seconds: HANG_SECONDS } },
  )
  worker.unref()
  return (bytes) => {
    shared.set(bytes.subarray(0, shared.length))
    Atomics.store(clock, 1, Math.min(bytes.length, shared.length))
    Atomics.add(clock, 0, 1)
  }
}
