// What an application saves by an adapter: the same application (adapters/app.js) against the same bus (adapters/bus.js), with and
// without, each time a new process, in turn. CPU time of the application's process; needs `npm run build`.
//   --only dbus-native,dbus-next   these peers   --tasks flood,start   these questions   --rounds 9
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { options } from './drive/options.js'
import { context, save } from './drive/results.js'
import { median } from './drive/rounds.js'
import { printTable, ratio } from './drive/table.js'

const chosen = options(['only', 'tasks', 'rounds'])
const ROOT = new URL('../', import.meta.url).pathname
const wanted = (list) => (name) => list === undefined || list.split(',').includes(name)
const PEERS = ['dbus-next', '@jellybrick/dbus-next', 'dbus-native', '@homebridge/dbus-native'].filter(wanted(chosen.only))
const ROUNDS = Number(chosen.rounds ?? (chosen.quick ? 1 : 5))
const partial = chosen.partial || chosen.only !== undefined || chosen.tasks !== undefined

/** Messages each; the slow encoders take milliseconds for one of the last kind. */
const TASKS = {
  flood: { title: 'signal flood', count: chosen.quick ? 50_000 : 500_000 },
  objects: { title: 'GetManagedObjects calls, 100 devices', count: chosen.quick ? 50 : 300 },
  small: { title: 'calls with a short text', count: chosen.quick ? 2000 : 20_000 },
  bytes: { title: 'calls with 64 KiB ay', count: chosen.quick ? 50 : 200 },
}
const STARTS = chosen.quick ? 5 : 25
const isWanted = wanted(chosen.tasks)

const folder = mkdtempSync(join(tmpdir(), 'dbus-codec-bench-'))
const socket = join(folder, 'bus')
const bus = spawn(process.execPath, [join(ROOT, 'bench/adapters/bus.js'), socket], { stdio: ['ignore', 'pipe', 'inherit'] })
await new Promise((resolve) => bus.stdout.once('data', resolve))

function run(peer, task, count, adapter) {
  const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}` }
  if (adapter) env.DBUS_CODEC_ADAPTERS = join(ROOT, 'build/adapters')
  else delete env.DBUS_CODEC_ADAPTERS
  const { stdout, stderr, status } = spawnSync(chosen.node, [join(ROOT, 'bench/adapters/app.js'), peer, task, String(count)], {
    env,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${peer} ${task}: ${stderr}`)
  return JSON.parse(stdout)
}

/**
 * Both sides over the rounds, each the median; `faster` and `added`: the median of what each pair came to, as a shared machine changes its
 * pace within minutes and the two of a pair run side by side. `least`: the least of each, as what else the machine does only adds to it.
 */
function compare(peer, task, count, rounds, measure) {
  const untouched = []
  const adapter = []
  for (let round = 0; round < rounds; round++) {
    untouched.push(run(peer, task, count, false)[measure])
    adapter.push(run(peer, task, count, true)[measure])
  }
  return {
    untouched: median(untouched),
    adapter: median(adapter),
    faster: median(untouched.map((each, i) => each / adapter[i])),
    added: median(untouched.map((each, i) => adapter[i] - each)),
    least: { untouched: Math.min(...untouched), adapter: Math.min(...adapter) },
  }
}

try {
  const figures = {}
  for (const [task, { count }] of Object.entries(TASKS)) {
    if (!isWanted(task)) continue
    figures[task] = {}
    for (const peer of PEERS) figures[task][peer] = compare(peer, task, count, ROUNDS, 'cpu')
  }
  const start = {}
  for (const peer of isWanted('start') ? PEERS : []) start[peer] = compare(peer, 'start', 1, STARTS, 'wall')

  printTable(
    ['CPU µs a message', 'peer', 'untouched', 'adapter', 'faster', 'at best'],
    Object.entries(figures).flatMap(([task, peers]) =>
      Object.entries(peers).map(([peer, { untouched, adapter, faster, least }]) => [
        TASKS[task].title,
        peer,
        untouched.toFixed(2),
        adapter.toFixed(2),
        ratio(faster),
        ratio(least.untouched / least.adapter),
      ]),
    ),
  )
  console.log()
  printTable(
    ['cold start, ms to the first reply', 'untouched', 'adapter', 'added', 'at best'],
    Object.entries(start).map(([peer, { untouched, adapter, added, least }]) => [
      peer,
      ...[untouched, adapter, added, least.adapter - least.untouched].map((microseconds) => (microseconds / 1000).toFixed(1)),
    ]),
  )
  if (!partial)
    save('adapters', {
      context: context(chosen.node),
      titles: Object.fromEntries(Object.entries(TASKS).map(([task, { title }]) => [task, title])),
      figures,
      start,
    })
} finally {
  bus.kill()
  rmSync(folder, { recursive: true, force: true })
}
