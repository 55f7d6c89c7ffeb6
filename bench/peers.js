// How fast against the libraries on npm? Every library in a process of its own, all in turn within one run. Twice: in long-warm
// processes that have seen every row, and in fresh ones, a new process for each row.
import { Competitor } from './drive/competitor.js'
import { kindsOf, options } from './drive/options.js'
import { context, save } from './drive/results.js'
import { rounds } from './drive/rounds.js'
import { duration, printTable, ratio } from './drive/table.js'

const OURS = 'dbus-codec'
const LIBRARIES = [
  { name: OURS, module: 'ours' },
  { name: 'dbus-codec js', module: 'ours', options: { engine: 'js' } },
  { name: 'dbus-next', module: 'dbus-next' },
  { name: 'jellybrick', module: 'jellybrick' },
  { name: 'dbus-native', module: 'dbus-native' },
  { name: 'homebridge', module: 'homebridge' },
]
const OPERATIONS = ['encode', 'decode', 'decode_be', 'decode_view', 'validate']

const chosen = options(['only'])
const wanted = chosen.only?.split(',')
const libraries = LIBRARIES.filter(({ name }) => !wanted || wanted.includes(name))

const start = () => libraries.map(({ name, ...rest }) => Competitor.library(name, { node: chosen.node, ...rest }))
const stop = (competitors) => Promise.all(competitors.map((competitor) => competitor.close()))

/** decode_view is ours for `ay`; the peers' plain decode, which is a view in three of them, stands beside it. */
const operationsOf = (row) => OPERATIONS.filter((operation) => operation !== 'decode_view' || row.name.startsWith('ay'))

async function measure(competitors, row, figures) {
  for (const kind of kindsOf(row)) {
    for (const operation of operationsOf(row)) {
      const result = await rounds(competitors, row.name, operation, kind, chosen.timing)
      figures[row.name] ??= {}
      figures[row.name][kind] ??= {}
      figures[row.name][kind][operation] = result
      print(row, kind, operation, result)
    }
    for (const competitor of competitors) await competitor.drop()
  }
}

function print(row, kind, operation, result) {
  const peers = Object.entries(result).filter(([name]) => !name.startsWith(OURS))
  const best = peers.sort((a, b) => a[1].ns - b[1].ns)[0]
  const lead = best && result[OURS] ? `${ratio(best[1].ns / result[OURS].ns)} ${best[0]}` : ''
  const cells = libraries.map(({ name }) => duration(result[name]?.ns))
  console.log(
    [row.name.padEnd(7), kind.padEnd(8), operation.padEnd(11), ...cells.map((cell) => cell.padStart(8)), lead].join(' '),
  )
}

async function longWarm() {
  const figures = {}
  const competitors = start()
  for (const row of chosen.rows) {
    for (const operation of ['encode', 'decode', 'decode_be']) {
      await rounds(competitors, row.name, operation, 'once', { count: 1, milliseconds: 20, warm: 20 })
    }
  }
  for (const row of chosen.rows) await measure(competitors, row, figures)
  await stop(competitors)
  return figures
}

async function fresh() {
  const figures = {}
  for (const row of chosen.rows) {
    const competitors = start()
    await measure(competitors, row, figures)
    await stop(competitors)
  }
  return figures
}

printTable(['row', ...libraries.map(({ name }) => name)], [])
console.log('\nlong-warm processes, ns')
const warmFigures = await longWarm()
console.log('\na fresh process for each row, ns')
const freshFigures = await fresh()
if (!chosen.partial && !wanted) save('peers', { context: context(chosen.node), warm: warmFigures, fresh: freshFigures })
