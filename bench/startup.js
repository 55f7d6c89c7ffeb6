// How long until the first message? A new process each time: import, first codec and first decode, against the peers' import.
import { spawnSync } from 'node:child_process'
import { options } from './drive/options.js'
import { context, save } from './drive/results.js'
import { median } from './drive/rounds.js'
import { printTable, ratio } from './drive/table.js'
import { messagesOf, rowNamed } from './messages/rows.js'
import { write } from './messages/write.js'

const chosen = options()
const COUNT = chosen.quick ? 3 : 15
const ROOT = new URL('../', import.meta.url).pathname
const hex = write(messagesOf(rowNamed('rssi'), false)[0]).toString('hex')

// A program that imports has had one module loaded before, its own; `import` when it is evaluated from the command line has not, and that
// first time costs the loader about as much as all of ours: it is measured apart.
const LOADER = "await import('./bench/drive/clock.js')"
const OURS = (first) => `
  ${LOADER}
  const bytes = Buffer.from('${hex}', 'hex')
  const start = process.hrtime.bigint()
  const { createCodec } = await import('./build/index.js')
  ${first}
  console.log(Number(process.hrtime.bigint() - start))`
const PEER = (name) => `
  import { createRequire } from 'node:module'
  const require = createRequire('${ROOT}package.json')
  const start = process.hrtime.bigint()
  require('${name}')
  console.log(Number(process.hrtime.bigint() - start))`

// What it cannot take less than: the loader with next to nothing to load, and V8 looking through a source of this length.
const NOTHING = `
  const start = process.hrtime.bigint()
  ${LOADER}
  console.log(Number(process.hrtime.bigint() - start))`
const COMPILED = `
  import { readFileSync } from 'node:fs'
  import { compileFunction } from 'node:vm'
  const source = readFileSync('./build/chunk-js.cjs', 'utf8')
  const start = process.hrtime.bigint()
  compileFunction(source, ['exports', 'require'])
  console.log(Number(process.hrtime.bigint() - start))`

const PROGRAMS = {
  'the first import of a program: a module of a few lines': NOTHING,
  'the source of dbus-codec: compiled, not run': COMPILED,
  'dbus-codec: import': OURS(''),
  'dbus-codec: import and first decode': OURS('createCodec().decode(bytes)'),
  'dbus-codec js: import and first decode': OURS("createCodec({ engine: 'js' }).decode(bytes)"),
  'dbus-next: import': PEER('dbus-next'),
  'jellybrick: import': PEER('@jellybrick/dbus-next'),
  'dbus-native: import': PEER('dbus-native'),
  'homebridge: import': PEER('@homebridge/dbus-native'),
}

const samples = Object.fromEntries(Object.keys(PROGRAMS).map((name) => [name, []]))
for (let round = 0; round < COUNT; round++) {
  for (const [name, program] of Object.entries(PROGRAMS)) {
    const { stdout, stderr, status } = spawnSync(chosen.node, ['--input-type=module', '-e', program], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`${name}: ${stderr}`)
    samples[name].push(Number(stdout) / 1e6)
  }
}
const figures = Object.fromEntries(
  Object.entries(samples).map(([name, list]) => [name, { ms: median(list), best: Math.min(...list) }]),
)
const peers = Object.entries(figures)
  .filter(([name]) => / import$/.test(name) && !name.startsWith('dbus-codec'))
  .map(([, { ms }]) => ms)
const medianPeer = median(peers)
printTable(
  ['what', 'median ms', 'best ms', 'of the median peer'],
  Object.entries(figures).map(([name, { ms, best }]) => [name, ms.toFixed(2), best.toFixed(2), ratio(ms / medianPeer)]),
)
if (!chosen.partial) save('startup', { context: context(chosen.node), figures, medianPeer })
