// Rounds within one process, for functions that are compared with each other and not with another library.
import { spawnSync } from 'node:child_process'
import { timeFor } from './clock.js'
import { median } from './rounds.js'

function time(run, milliseconds) {
  return timeFor(milliseconds, (batch) => {
    let answer
    for (let i = 0; i < batch; i++) answer = run()
    return answer
  }).ns
}

/**
 * Nanoseconds of each function, interleaved, the median over the rounds.
 * @param {Record<string, () => unknown>} functions
 * @returns {Record<string, number>}
 */
export function interleave(functions, { count = 11, milliseconds = 12, warm = 300 } = {}) {
  const entries = Object.entries(functions)
  const samples = new Map(entries.map(([name]) => [name, []]))
  for (const [, run] of entries) time(run, warm)
  for (let round = 0; round < count; round++) {
    for (const [name, run] of entries) samples.get(name).push(time(run, milliseconds))
  }
  return Object.fromEntries([...samples].map(([name, list]) => [name, median(list)]))
}

/** Starts this script again under the chosen Node or with the flags it needs, and ends with its exit code. */
export function under(node, flags = []) {
  if (node === process.execPath && flags.every((flag) => process.execArgv.includes(flag))) return
  const rest = process.argv.slice(1).filter((word, i, words) => word !== '--node' && words[i - 1] !== '--node')
  const { status } = spawnSync(node, [...flags, ...rest], { stdio: 'inherit' })
  process.exit(status ?? 1)
}
