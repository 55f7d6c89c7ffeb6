// Time without the moments in which other programs had the processor. Linux says how long a thread has waited for one; that
// is taken off, so that a busy machine lengthens nobody's figures. Elsewhere it is the plain clock.
import { readFileSync } from 'node:fs'

/** Nanoseconds the main thread has been ready to run and was not let. */
function waited() {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1])
  } catch {
    return 0
  }
}

let sink

/**
 * Calls `step` for as long as the time lasts, in batches long enough for the clock.
 * @param {(n: number) => unknown} step runs n operations
 */
export function timeFor(milliseconds, step) {
  const wanted = milliseconds * 1e6
  let batch = 1
  let count = 0
  let spent = 0
  while (spent < wanted) {
    const waitedBefore = waited()
    const start = process.hrtime.bigint()
    const end = start + BigInt(Math.ceil(wanted - spent))
    let now = start
    while (now < end) {
      sink = step(batch)
      count += batch
      const after = process.hrtime.bigint()
      if (after - now < 500_000n) batch *= 2
      now = after
    }
    const took = Number(now - start)
    // The wait is booked when it ends: it may be part of the piece before, so never take off all.
    spent += Math.max(took - (waited() - waitedBefore), took / 10)
  }
  if (sink === count) throw new Error('never, but V8 cannot know')
  return { ns: spent / count, count }
}
