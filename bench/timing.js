// Nanoseconds a call: the quickest of many short rounds, since a shared machine only ever adds to a time.
export function quickest(call, count = 512, rounds = 200) {
  for (let i = 0; i < 30_000; i++) call(i % count)
  let best = Infinity
  for (let round = 0; round < rounds; round++) {
    const from = process.hrtime.bigint()
    for (let i = 0; i < count; i++) call(i)
    best = Math.min(best, Number(process.hrtime.bigint() - from) / count)
  }
  return best.toFixed(0)
}
