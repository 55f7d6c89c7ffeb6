// Rounds: every competitor in turn for a few milliseconds, again and again, so that a noisy moment of the machine falls on all of
// them alike. The figure is the median over the rounds, for everyone; the best round is kept beside it.

export const median = (list) => {
  const sorted = [...list].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

export const geometricMean = (list) => Math.exp(list.reduce((sum, value) => sum + Math.log(value), 0) / list.length)

/**
 * Times one row and operation for several competitors, interleaved. A competitor that cannot do it is left out; one whose
 * answer is wrong is reported and left out.
 * @returns {Promise<Record<string, { ns: number, best: number }>>}
 */
export async function rounds(competitors, row, operation, kind, { count = 11, milliseconds = 12, warm = 300 } = {}) {
  const running = []
  for (const competitor of competitors.filter(({ alive }) => alive)) {
    try {
      if (await competitor.check(row, operation, kind)) running.push(competitor)
    } catch (error) {
      console.error(`left out: ${error.message}`)
    }
  }
  for (const competitor of running) await competitor.time(row, operation, kind, warm)
  const samples = new Map(running.map((competitor) => [competitor.name, []]))
  for (let round = 0; round < count; round++) {
    for (const competitor of running) {
      samples.get(competitor.name).push(await competitor.time(row, operation, kind, milliseconds))
    }
  }
  return Object.fromEntries([...samples].map(([name, list]) => [name, { ns: median(list), best: Math.min(...list) }]))
}
