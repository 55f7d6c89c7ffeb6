// What the process holds, after everything that can be let go has been.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

/** Collects garbage; weak references are cleared when it is done. */
export async function collect(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    gc()
    await new Promise((done) => setImmediate(done))
  }
}

/** Bytes held: JavaScript's heap and the buffers outside of it. */
export async function held(): Promise<number> {
  await collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/**
 * Bytes that each run of `work` leaves behind, after a first that fills what is meant to be filled. The least of three: a leak shows
 * every time, what the engine keeps for itself (compiled code, feedback) does not.
 */
export async function leftBy(work: (round: number) => void): Promise<number> {
  work(0)
  let before = await held()
  let least = Number.POSITIVE_INFINITY
  for (let round = 1; round <= 3; round++) {
    work(round)
    const after = await held()
    least = Math.min(least, after - before)
    before = after
  }
  return least
}
