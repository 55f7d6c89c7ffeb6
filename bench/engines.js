// How do the engines compare? simd, baseline and js on Node 20, 22 and 24, and on arm64 and armv7 builds of Node under qemu-user:
// there only the ratios between engines mean something, an emulator's nanoseconds are nobody's.
// For the emulated ones: apt-get install qemu-user libc6-arm64-cross libstdc++6-arm64-cross libatomic1-arm64-cross
// libc6-armhf-cross libstdc++6-armhf-cross libatomic1-armhf-cross
import { existsSync } from 'node:fs'
import { Competitor } from './drive/competitor.js'
import { nodeOf } from './drive/node.js'
import { options } from './drive/options.js'
import { context, save } from './drive/results.js'
import { rounds } from './drive/rounds.js'
import { duration } from './drive/table.js'

const ENGINES = ['simd', 'baseline', 'js']
const ROWS = ['hello', 'su', 'rssi', 's8192', 'ass100', 'au10k', 'gmo']
const OPERATIONS = ['decode', 'encode', 'validate']
const WORKER = new URL('./drive/worker.js', import.meta.url).pathname

const MACHINES = [
  { machine: 'Node 20', version: '20' },
  { machine: 'Node 22', version: '22' },
  { machine: 'Node 24', version: '24' },
  { machine: 'arm64 under qemu', version: '22', arch: 'arm64', emulator: 'qemu-aarch64', root: '/usr/aarch64-linux-gnu' },
  { machine: 'armv7 under qemu', version: '20', arch: 'armv7l', emulator: 'qemu-arm', root: '/usr/arm-linux-gnueabihf' },
]

const chosen = options(['machines'])
const wanted = chosen.machines?.split(',')

function start({ machine, version, arch, emulator, root }, engine) {
  const node = nodeOf(version, arch)
  if (!emulator) return Competitor.library(engine, { module: 'ours', node, options: { engine } })
  if (!existsSync(root)) throw new Error(`${machine}: no ${root}`)
  return new Competitor(engine, emulator, ['-L', root, node, WORKER, 'ours', JSON.stringify({ engine })])
}

const figures = []
for (const each of MACHINES.filter(({ machine }) => !wanted || wanted.includes(machine))) {
  let competitors
  try {
    competitors = ENGINES.map((engine) => start(each, engine))
  } catch (error) {
    console.error(`left out: ${error.message}`)
    continue
  }
  const timing = each.emulator ? { count: 5, milliseconds: 30, warm: 400 } : chosen.timing
  for (const row of ROWS.filter((name) => chosen.rows.some(({ name: other }) => other === name))) {
    for (const operation of OPERATIONS) {
      const result = await rounds(competitors, row, operation, 'once', timing)
      figures.push({ machine: each.machine, emulated: each.emulator !== undefined, row, operation, result })
      const cells = ENGINES.map((engine) => `${engine} ${duration(result[engine]?.ns)}`)
      console.log([each.machine, row, operation, ...cells].join('  '))
    }
  }
  for (const competitor of competitors) await competitor.close()
}

if (!chosen.partial && !wanted) save('engines', { context: context(), figures })
