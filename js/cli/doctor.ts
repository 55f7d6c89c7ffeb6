// Which of the libraries that an adapter exists for a project has, whether it uses the adapter, and which engine runs here.
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createCodec } from '../index.ts'
import { escapeText, paint, type Terminal } from './terminal.ts'
import { UsageError } from './usage.ts'

export const DOCTOR_HELP = `dbus-codec doctor [DIRECTORY]

Looks into the project in DIRECTORY (default: here): which D-Bus libraries with an adapter are installed and in which version, where
the project asks for the adapter, and which engine the codec runs on in this Node and why.
`

interface Peer {
  readonly name: string
  /** The versions that the adapter is written for and tested with. */
  readonly minor: string
  readonly adapter: string
  readonly use: string
}

const PEERS: readonly Peer[] = [
  {
    name: 'dbus-next',
    minor: '0.10',
    adapter: 'dbus-next',
    use: 'node -r dbus-codec/adapters/dbus-next/register app.js',
  },
  {
    name: '@jellybrick/dbus-next',
    minor: '0.11',
    adapter: 'jellybrick',
    use: "accelerate(bus) of 'dbus-codec/adapters/jellybrick', right after sessionBus()",
  },
  {
    name: 'dbus-native',
    minor: '0.16',
    adapter: 'dbus-native',
    use: "install(require('dbus-native/lib/message')) of 'dbus-codec/adapters/dbus-native', before connecting",
  },
  {
    name: '@homebridge/dbus-native',
    minor: '0.7',
    adapter: 'dbus-native',
    use: "install(require('@homebridge/dbus-native/lib/message')) of 'dbus-codec/adapters/dbus-native', before connecting",
  },
]

/** An installed copy of a peer: a project can have several, one inside another package. */
interface Copy {
  readonly peer: Peer
  readonly version: string
  readonly folder: string
}

/** Against a project folder that holds the whole disk: the search for mentions stops after so many files, and skips bigger ones. */
const MOST_FILES = 5000
const LONGEST_FILE = 1 << 20
/** node_modules inside node_modules inside … that are looked into: deeper copies than this npm does not make in practice. */
const DEEPEST_NESTING = 4

export function doctor(args: readonly string[], terminal: Terminal): number {
  const { positionals } = parseArgs({ args: [...args], allowPositionals: true })
  if (positionals.length > 1) throw new UsageError('doctor takes one directory')
  const project = resolve(positionals[0] ?? '.')
  if (!isFolder(project)) throw new UsageError(`no such directory: ${positionals[0]}`)

  const { name, reason } = createCodec().engine
  terminal.write(`engine    ${paint(terminal, 'bold', name)}: ${escapeText(reason)}\n`)
  terminal.write(`node      ${process.version}, ${process.platform} ${process.arch}\n`)

  const copies = installedCopies(project)
  if (copies.length === 0) {
    terminal.write(`libraries none that an adapter exists for (${PEERS.map((peer) => peer.name).join(', ')})\n`)
    return 0
  }
  const mentions = findMentions(project)
  for (const copy of copies) terminal.write(`\n${describe(copy, project, mentions, terminal)}`)
  return 0
}

function describe(
  { peer, version, folder }: Copy,
  project: string,
  mentions: ReadonlyMap<string, string[]>,
  terminal: Terminal,
): string {
  const known = version.startsWith(`${peer.minor}.`)
  const title = `${paint(terminal, 'bold', peer.name)} ${escapeText(version)}`
  const places = mentions.get(peer.adapter) ?? []
  const lines = [
    `${title}  ${escapeText(relative(project, folder) || folder)}`,
    `  version   ${known ? 'one that the adapter is tested with' : `the adapter is written for ${peer.minor}.x: not tried with this one`}`,
  ]
  if (places.length > 0) {
    lines.push(`  adapter   ${paint(terminal, 'green', 'in use')}: ${escapeText(places.slice(0, 5).join(', '))}`)
  } else {
    lines.push(
      `  adapter   ${paint(terminal, 'yellow', 'not in use')}: the project mentions it nowhere`,
      `  to use it ${peer.use}`,
    )
  }
  return `${lines.join('\n')}\n`
}

/** Copies that the project resolves to (its own node_modules and those of the folders above) or that packages brought along. */
function installedCopies(project: string): Copy[] {
  const copies: Copy[] = []
  for (let folder = project; ; folder = dirname(folder)) {
    searchModules(join(folder, 'node_modules'), DEEPEST_NESTING, copies)
    if (folder === dirname(folder)) return copies
  }
}

function searchModules(modules: string, depth: number, copies: Copy[]): void {
  if (depth === 0) return
  for (const name of packageNames(modules)) {
    const folder = join(modules, name)
    const peer = PEERS.find((known) => known.name === name)
    if (peer) {
      const version = readJson(join(folder, 'package.json'))?.version
      if (typeof version === 'string') copies.push({ peer, version, folder })
    }
    searchModules(join(folder, 'node_modules'), depth - 1, copies)
  }
}

function packageNames(modules: string): string[] {
  return entries(modules).flatMap(({ name }) =>
    name.startsWith('@')
      ? entries(join(modules, name)).map((inner) => `${name}/${inner.name}`)
      : name.startsWith('.')
        ? []
        : [name],
  )
}

/** Places that name an adapter, by adapter: NODE_OPTIONS, package.json, the project's sources. */
function findMentions(project: string): Map<string, string[]> {
  const mentions = new Map<string, string[]>()
  const note = (text: string, place: string) => {
    for (const [, adapter] of text.matchAll(/dbus-codec\/adapters\/([a-z-]+)/g)) {
      const places = mentions.get(adapter as string) ?? []
      if (!places.includes(place)) places.push(place)
      mentions.set(adapter as string, places)
    }
  }
  note(process.env.NODE_OPTIONS ?? '', 'NODE_OPTIONS')
  let left = MOST_FILES
  const search = (folder: string): void => {
    for (const entry of entries(folder)) {
      if (left === 0) return
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules' && !entry.name.startsWith('.')) search(path)
      } else if (
        entry.isFile() &&
        (/\.[cm]?[jt]sx?$/.test(entry.name) || /^(package\.json|\.npmrc|.*\.service|Dockerfile)$/.test(entry.name))
      ) {
        left--
        note(readText(path), relative(project, path))
      }
    }
  }
  search(project)
  return mentions
}

function entries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    // Not there, or not ours to read: nothing to tell of it.
    return []
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function readText(path: string): string {
  try {
    return statSync(path).size > LONGEST_FILE ? '' : readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function readJson(path: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(readText(path))
  } catch {
    return undefined
  }
}
