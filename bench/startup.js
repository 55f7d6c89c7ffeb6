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

const OURS = (first) => `
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

const PROGRAMS = {
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
  .filter(([name]) => !name.startsWith('dbus-codec'))
  .map(([, { ms }]) => ms)
const medianPeer = median(peers)
printTable(
  ['what', 'median ms', 'best ms', 'of the median peer'],
  Object.entries(figures).map(([name, { ms, best }]) => [name, ms.toFixed(2), best.toFixed(2), ratio(ms / medianPeer)]),
)
if (!chosen.partial) save('startup', { context: context(chosen.node), figures, medianPeer })
