// How fast against C, and against the codecs of other languages? Each in a process of its own, all in turn within one run.
import { Competitor } from './drive/competitor.js'
import { kindsOf, options } from './drive/options.js'
import { context, save } from './drive/results.js'
import { rounds } from './drive/rounds.js'
import { duration, ratio } from './drive/table.js'
import { store } from './messages/store.js'
import { compile } from './native/compile.js'

const OURS = 'dbus-codec'
const OPERATIONS = ['encode', 'decode', 'decode_be', 'validate']

const chosen = options()
const folder = store(new URL('../build/bench/messages', import.meta.url).pathname, { rows: chosen.rows })
const programs = compile()
const competitors = [
  Competitor.library(OURS, { module: 'ours', node: chosen.node }),
  ...programs.map(({ name, command, args }) => new Competitor(name, command, [...args, folder])),
]
const names = competitors.map(({ name }) => name)
console.log(['row'.padEnd(28), ...names.map((name) => name.padStart(10))].join(' '))

const figures = {}
for (const row of chosen.rows) {
  for (const kind of kindsOf(row)) {
    for (const operation of OPERATIONS) {
      // The native programs have the big-endian messages once only.
      if (operation === 'decode_be' && kind === 'rotation') continue
      const result = await rounds(competitors, row.name, operation, kind, chosen.timing)
      figures[row.name] ??= {}
      figures[row.name][kind] ??= {}
      figures[row.name][kind][operation] = result
      print(row, kind, operation, result)
    }
    await competitors[0].drop()
  }
}
for (const competitor of competitors) await competitor.close()
if (!chosen.partial) {
  const versions = Object.fromEntries(programs.map(({ name, version }) => [name, version]))
  save('native', { context: context(chosen.node), versions, figures })
}

function print(row, kind, operation, result) {
  const cells = names.map((name) => duration(result[name]?.ns).padStart(Math.max(10, name.length)))
  const others = Object.entries(result).filter(([name]) => name !== OURS && !name.startsWith('own C'))
  const best = others.sort((a, b) => a[1].ns - b[1].ns)[0]
  const lead = best && result[OURS] ? `${ratio(best[1].ns / result[OURS].ns)} ${best[0]}` : ''
  console.log([`${row.name} ${kind} ${operation}`.padEnd(28), ...cells, lead].join(' '))
}
