// Writes RESULTS.md and the charts from the figures of the last runs. Nothing here is typed in by hand.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { bars, lines } from './charts.js'
import { load } from './drive/results.js'
import { duration, markdownTable, ratio } from './drive/table.js'
import { ROWS } from './messages/rows.js'
import { targets, verdict } from './targets.js'

const OURS = 'dbus-codec'
const FILE = new URL('./RESULTS.md', import.meta.url).pathname

const titleOf = (name) => ROWS.find((row) => row.name === name)?.title ?? name
const plainTitle = (name) => titleOf(name).replaceAll('`', '')

function about({ context }) {
  const { cpu, cores, memory, platform, node, commit, date } = context
  return `${cpu}, ${cores} cores, ${memory}, ${platform}; Node ${node}; commit ${commit}; ${date}.`
}

const section = (title, data, body) => (data ? `## ${title}\n\n${about(data)}\n\n${body(data)}\n` : '')

/** One line a row and operation: each library's time, then our lead over the best of the others. */
function leads(figures, names, operations, kinds, others = names.filter((name) => !name.startsWith(OURS))) {
  const rows = []
  for (const [row, byKind] of Object.entries(figures)) {
    for (const kind of kinds) {
      for (const operation of operations) {
        const cell = byKind[kind]?.[operation]
        if (!cell) continue
        const best = Math.min(...others.map((name) => cell[name]?.ns ?? Infinity))
        const label = `${titleOf(row)}, ${operation.replace('_be', ' big-endian').replace('_view', ' view')}`
        const kindLabel = kind === 'rotation' ? ', rotation' : ''
        rows.push([label + kindLabel, ...names.map((name) => duration(cell[name]?.ns)), ratio(best / cell[OURS]?.ns)])
      }
    }
  }
  return markdownTable(['ns a message', ...names, 'lead'], rows)
}

const namesIn = (figures) => [
  ...new Set(
    Object.values(figures).flatMap((kinds) => Object.values(kinds).flatMap((cells) => Object.values(cells).flatMap(Object.keys))),
  ),
]

function first(data) {
  const wrapped = Object.fromEntries(Object.entries(data.figures).map(([row, cells]) => [row, { once: cells }]))
  const names = namesIn(wrapped)
  const note = 'benchmark.js, all libraries in one process, the same message again and again.'
  return `${note}\n\n${leads(wrapped, names, ['decode', 'encode', 'validate'], ['once'])}`
}

function peers(data) {
  const names = namesIn(data.warm)
  const operations = ['encode', 'decode', 'decode_be', 'decode_view', 'validate']
  const kinds = ['once', 'rotation']
  return [
    'A process for each library, all in turn, the median of the rounds; answers checked before timing.',
    '"rotation": 10 000 messages of',
    'the same shape with other paths, strings, keys and numbers. dbus-next refuses numeric',
    'dict keys: its GetManagedObjects encode is',
    'without those properties.',
    '\n### Long-warm processes\n',
    leads(data.warm, names, operations, kinds),
    '\n### A fresh process for each row\n',
    leads(data.fresh, names, operations, kinds),
  ].join('\n')
}

function native(data) {
  const names = namesIn(data.figures)
  const versions = Object.entries(data.versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')
  const others = names.filter((name) => name !== OURS && !name.startsWith('own C'))
  return [
    `${versions}. Encode: from values of the language to bytes (sd-bus: to a sealed message); decode: from bytes,`,
    'validated, every',
    'value read; validate: from bytes only. The lead is over the fastest other library; our own validators do not count as such.',
    '',
    leads(data.figures, names, ['encode', 'decode', 'decode_be', 'validate'], ['once', 'rotation'], others),
  ].join('\n')
}

const limits = (data) =>
  markdownTable(
    ['row', 'operation', 'limit', 'ours, ns', 'limit, ns', 'multiple'],
    data.figures.map((each) => [
      titleOf(each.row),
      each.what,
      each.limit,
      duration(each.ns),
      duration(each.limitNs),
      ratio(each.multiple),
    ]),
  )

function breakdown(data) {
  const percent = (share) => `${(share * 100).toFixed(0)} %`
  return Object.entries(data.figures)
    .map(([row, { times, decode, encode }]) => {
      const parts = Object.entries(decode.shares).map(([part, share]) => ['decode', part, percent(share)])
      const encodeParts = Object.entries(encode.shares).map(([part, share]) => ['encode', part, percent(share)])
      const sums = [
        ['decode, by timing', 'copying the bytes in', percent(times.copy / times.decode)],
        ['', 'header', percent((times.header - times.copy) / times.decode)],
        ['', 'validating and walking all of it', percent((times.validate - times.copy) / times.decode)],
        ['', 'text and objects', percent((times.decode - times.validate) / times.decode)],
        ['encode, by timing', 'type checks alone', percent(times.checks / times.encode)],
      ]
      return `### ${titleOf(row)}\n\n${markdownTable(['direction', 'part', 'share'], [...parts, ...encodeParts, ...sums])}`
    })
    .join('\n\n')
}

function scale({ figures }) {
  const times = (label, list) =>
    markdownTable(
      [label, 'decode', 'encode', 'validate', 'decode, view'],
      list.map((each) => [
        each.label,
        duration(each.decode),
        duration(each.encode),
        duration(each.validate),
        duration(each.view),
      ]),
    )
  return [
    times('body, bytes', figures.size),
    markdownTable(
      ['peak memory beyond the message itself', 'message, bytes', 'MiB'],
      figures.memory.map(({ signature, operation, size, bytes }) => [
        `${signature} ${operation}`,
        size,
        (bytes / 2 ** 20).toFixed(1),
      ]),
    ),
    times('number of structs (iii)', figures.values),
    times('distinct strings', figures.strings),
    times('distinct signatures', figures.signatures),
    times('nested variants', figures.nesting),
  ].join('\n\n')
}

const ENGINES = ['simd', 'baseline', 'js']

const engines = (data) =>
  `Under qemu only the ratios between engines mean something.\n\n${markdownTable(
    ['machine, row, operation', ...ENGINES, 'baseline / simd', 'js / simd'],
    data.figures.map(({ machine, row, operation, result, emulated }) => [
      `${machine}, ${titleOf(row)}, ${operation}`,
      ...ENGINES.map((engine) => (emulated ? '' : duration(result[engine]?.ns))),
      ratio(result.baseline?.ns / result.simd?.ns),
      ratio(result.js?.ns / result.simd?.ns),
    ]),
  )}`

function garbage(data) {
  const mebi = (bytes) => (bytes / 2 ** 20).toFixed(1)
  const perCall = markdownTable(
    ['bytes of heap a call', 'encodeInto', 'encode', 'validate', 'decode', 'the decoded objects made by hand'],
    data.figures.map(({ row, ...rest }) => [titleOf(row), ...Object.values(rest).map((value) => value.toFixed(1))]),
  )
  const steady = markdownTable(
    ['millions of messages', 'heap, MiB', 'array buffers, MiB', 'resident, MiB'],
    data.steady.map(({ million, heap, arrayBuffers, rss }) => [million, mebi(heap), mebi(arrayBuffers), mebi(rss)]),
  )
  return `${perCall}\n\n${steady}`
}

const startup = (data) =>
  markdownTable(
    ['a new process each time', 'median, ms', 'best, ms', 'of the median peer'],
    Object.entries(data.figures).map(([name, { ms, best }]) => [
      name,
      ms.toFixed(2),
      best.toFixed(2),
      ratio(ms / data.medianPeer),
    ]),
  )

function accept() {
  const list = targets()
  const count = (wanted) => list.filter(({ passed }) => passed === wanted).length
  const table = markdownTable(
    ['row and operation', 'against', 'target', 'repeated', 'rotation', 'verdict'],
    list.map(({ what, against, target, repeated, rotation, passed }) => [
      what,
      against,
      target,
      repeated,
      rotation,
      verdict(passed),
    ]),
  )
  const sum = `${count(true)} pass, ${count(false)} miss, ${count(undefined)} not measured.`
  return `## Targets\n\n${sum} The rotation has to reach 0.7 of the target.\n\n${table}\n`
}

/** One chart for small messages, one for large ones, and how time grows with size. */
function charts() {
  const small = ['hello', 'su', 'rssi']
  const large = ['gmo', 'ass100', 's8192', 'ad10k']
  const peersData = load('peers')
  const nativeData = load('native')
  for (const [name, rows, what] of [
    ['small', small, 'Small messages'],
    ['large', large, 'Large messages'],
  ]) {
    for (const direction of ['decode', 'encode']) {
      const labels = ['dbus-codec', 'dbus-native', 'dbus-next', 'jellybrick', 'homebridge']
      if (peersData) {
        bars(`${name}-${direction}`, {
          title: `${what}: ${direction}, ns a message (shorter is better)`,
          note: about(peersData),
          rows: rows.map(plainTitle),
          series: labels.map((label) => [label, rows.map((row) => peersData.warm[row]?.once?.[direction]?.[label]?.ns)]),
        })
      }
      if (!nativeData) continue
      const nativeLabels = ['dbus-codec', 'libdbus', 'sd-bus', 'GDBus', 'dbus-fast'].filter((label) =>
        rows.some((row) => nativeData.figures[row]?.once?.[direction]?.[label]),
      )
      bars(`${name}-${direction}-native`, {
        title: `${what}: ${direction} beside C and Python, ns a message`,
        note: about(nativeData),
        rows: rows.map(plainTitle),
        series: nativeLabels.map((label) => [label, rows.map((row) => nativeData.figures[row]?.once?.[direction]?.[label]?.ns)]),
      })
    }
  }
  const scaleData = load('scale')
  if (!scaleData) return
  const pick = (signature, operation) =>
    scaleData.figures.size.filter((each) => each.signature === signature).map((each) => [each.size, each[operation]])
  lines('scale', {
    title: 'Time against size of the body',
    note: about(scaleData),
    xName: 'bytes',
    series: [
      ['ay decode', pick('ay', 'decode')],
      ['ay decode, view', pick('ay', 'view')],
      ['ay encode', pick('ay', 'encode')],
      ['s decode', pick('s', 'decode')],
      ['s validate', pick('s', 'validate')],
      ['au decode', pick('au', 'decode')],
      ['as decode', pick('as', 'decode')],
    ],
  })
}

// In the README, the charts for everyone: those of npm's libraries, and of size.
const SHOWN = ['small-decode', 'small-encode', 'large-decode', 'large-encode', 'scale']

/** Puts the charts that there are between the README's two marks. */
function showCharts() {
  const readme = new URL('../README.md', import.meta.url)
  const there = SHOWN.filter((name) => existsSync(new URL(`./charts/${name}.svg`, import.meta.url)))
  const images = there.map((name) => `![${name.replace('-', ' messages, ')}](bench/charts/${name}.svg)\n`)
  const figures = 'All figures: [bench/RESULTS.md](bench/RESULTS.md).'
  const limits = 'What stops the rows that are slower than wished: [docs/speed.md](docs/speed.md).'
  const block = ['<!-- charts -->', ...images, `${figures} ${limits}\n`, '<!-- /charts -->'].join('\n')
  writeFileSync(
    readme,
    readFileSync(readme, 'utf8').replace(/<!-- charts -->[^]*<!-- \/charts -->/, () => block),
  )
}

function adapters({ titles, figures, start }) {
  const rows = Object.entries(figures).flatMap(([task, peers]) =>
    Object.entries(peers).map(([peer, { untouched, adapter, faster, least }]) => [
      `${titles[task]}, \`${peer}\``,
      untouched.toFixed(2),
      adapter.toFixed(2),
      ratio(faster),
      ratio(least.untouched / least.adapter),
    ]),
  )
  const starts = Object.entries(start).map(([peer, { untouched, adapter, added, least }]) => [
    `\`${peer}\``,
    ...[untouched, adapter, added, least.adapter - least.untouched].map((microseconds) => (microseconds / 1000).toFixed(1)),
  ])
  return [
    'The same application, untouched and over the adapter: a process each, in turn; medians, "faster" and "added" those of the pairs, and ' +
      'what the least of both come to.\n',
    markdownTable(['CPU µs a message', 'untouched', 'over the adapter', 'faster', 'at best'], rows),
    '\nCold start, ms until the first reply:\n',
    markdownTable(['library', 'untouched', 'over the adapter', 'added', 'at best'], starts),
  ].join('\n')
}

const README = new URL('../README.md', import.meta.url).pathname
const TABLE = /(<!-- bench:adapters -->\n)[^]*?(\n<!-- \/bench:adapters -->)/

const digits = (microseconds) => (microseconds < 100 ? microseconds.toFixed(1) : String(Math.round(microseconds)))

/** The adapters' figures once more, in short, where users look. */
function readme() {
  const data = load('adapters')
  if (!data) return
  const pair = ({ untouched, adapter, faster }) => `${digits(untouched)} → ${digits(adapter)} (${ratio(faster)})`
  const rows = Object.keys(data.start).map((peer) => [
    `\`${peer}\``,
    ...['flood', 'objects', 'bytes'].map((task) => pair(data.figures[task][peer])),
  ])
  const head = [
    'CPU µs, untouched → over the adapter',
    'a signal of BlueZ',
    'GetManagedObjects, 100 devices',
    'a call with 64 KiB `ay`',
  ]
  const table = `${markdownTable(head, rows)}\n\n${about(data)} \`npm run bench:adapters\` measures it on yours.`
  const text = readFileSync(README, 'utf8')
  writeFileSync(
    README,
    text.replace(TABLE, (_, before, after) => before + table + after),
  )
}

/** Writes everything there are figures for. */
export function report() {
  const parts = [
    '# Results\n\nWritten by `npm run bench:report` from the last runs; do not edit. ' +
      'Nanoseconds on a shared machine: compare within a table only.\n',
    accept(),
    section('First bench', load('first'), first),
    section('Libraries on npm', load('peers'), peers),
    section('Other languages', load('native'), native),
    section('Limits of the machine', load('limits'), limits),
    section('Where the time goes', load('breakdown'), breakdown),
    section('Scale', load('scale'), scale),
    section('Engines', load('engines'), engines),
    section('Garbage', load('garbage'), garbage),
    section('Start-up', load('startup'), startup),
    section('Adapters', load('adapters'), adapters),
  ]
  writeFileSync(FILE, parts.filter(Boolean).join('\n'))
  charts()
  showCharts()
  readme()
  console.log('wrote bench/RESULTS.md, bench/charts/ and their places in README.md')
}

if (process.argv[1] === new URL(import.meta.url).pathname) report()
