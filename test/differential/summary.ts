// Before the run: no figures. After it: all of them, one line a class.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { DEVIATIONS } from '../deviations.ts'
import { buildOracle } from '../oracle/oracle.ts'
import { type Figures, RESULTS } from './tally.ts'

export function setup(): void {
  rmSync(RESULTS, { recursive: true, force: true })
  mkdirSync(RESULTS, { recursive: true })
  buildOracle('libdbus')
  buildOracle('gdbus')
}

export function teardown(): void {
  if (!existsSync(RESULTS)) return
  const all = readdirSync(RESULTS)
    .sort()
    .map((file) => JSON.parse(readFileSync(RESULTS + file, 'utf8')) as Figures)
  const sum = (count: (figures: Figures) => number) => all.reduce((total, figures) => total + count(figures), 0)
  const codes = new Set(all.flatMap((figures) => Object.keys(figures.codes)))
  const lines = all.map((figures) => {
    const { class: name, inputs, valid, differences, deviations, seconds, seed } = figures
    const deviating = Object.values(deviations).reduce((total, count) => total + count, 0)
    const kinds = Object.keys(figures.codes).length
    const seeded = seed === undefined ? '' : `, seed ${seed}`
    return `  ${name.padEnd(40)} ${count(inputs)} inputs ${count(valid)} valid ${String(kinds).padStart(2)} codes ${count(deviating)} deviations ${count(differences)} differences ${seconds.toFixed(1).padStart(6)} s${seeded}`
  })
  const against = new Set(all.flatMap((figures) => figures.against))
  console.log(`differential: ${[...against, 'reference'].join(', ')}\n${lines.join('\n')}`)
  for (const { name } of DEVIATIONS) {
    const times = sum((figures) => figures.deviations[name] ?? 0)
    if (times > 0) console.log(`  deviation "${name}": ${times}`)
  }
  console.log(
    `  total: ${sum((figures) => figures.inputs)} inputs, ${codes.size} distinct codes, ${sum((figures) => figures.differences)} differences`,
  )
}

function count(number: number): string {
  return String(number).padStart(8)
}
