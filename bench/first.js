// The first bench: benchmark.js over every row, beside the libraries on npm in one process. `npm run bench`, some three minutes.
import Benchmark from 'benchmark'
import { Measure } from './drive/measure.js'
import { options } from './drive/options.js'
import { context, save } from './drive/results.js'
import { duration, ratio } from './drive/table.js'
import { report } from './report.js'

const NAMES = {
  ours: 'dbus-codec',
  'dbus-native': 'dbus-native',
  'dbus-next': 'dbus-next',
  jellybrick: 'jellybrick',
  homebridge: 'homebridge',
}
const OPERATIONS = ['decode', 'encode', 'validate']

const chosen = options()
const libraries = []
for (const [module, name] of Object.entries(NAMES)) {
  const { open } = await import(`./peers/${module}.js`)
  libraries.push({ module, name, library: await open() })
}

// The mean of a shared machine's samples says more about its other guests.
const median = (sample) => sample.toSorted((a, b) => a - b)[sample.length >> 1]

let sink

function suiteOf(row, operation) {
  const suite = new Benchmark.Suite()
  for (const { module, name, library } of libraries) {
    const measure = new Measure(library, module, row.name, false)
    if (!measure.supports(operation)) continue
    try {
      measure.check(operation)
    } catch (error) {
      console.error(`left out: ${name}, ${row.name}, ${operation}: ${error.message}`)
      continue
    }
    const run = measure.once(operation)
    suite.add(
      name,
      () => {
        sink = run()
      },
      { minSamples: 5, maxTime: chosen.quick ? 0.05 : 0.3 },
    )
  }
  return suite
}

const figures = {}
for (const row of chosen.rows.filter(({ name }) => !name.endsWith('1m'))) {
  for (const operation of OPERATIONS) {
    const suite = suiteOf(row, operation)
    suite.run({ async: false })
    const result = Object.fromEntries(suite.map(({ name, stats }) => [name, { ns: median(stats.sample) * 1e9, rme: stats.rme }]))
    figures[row.name] ??= {}
    figures[row.name][operation] = result
    const cells = libraries.map(({ name }) => `${name} ${duration(result[name]?.ns)}`)
    const peers = libraries.slice(1).map(({ name }) => result[name]?.ns ?? Infinity)
    console.log(
      `${row.name.padEnd(7)} ${operation.padEnd(8)} ${cells.join('  ')}  ${ratio(Math.min(...peers) / result['dbus-codec']?.ns)}`,
    )
  }
}
if (sink === undefined) console.error('nothing was measured')
if (!chosen.partial) {
  save('first', { context: context(), figures })
  report()
}
