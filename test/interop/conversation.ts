// Two child processes talk through a private daemon; what each of them saw comes back as records.
import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Daemon, startDaemon } from './daemon.ts'

const require = createRequire(import.meta.url)
const PROGRAMS = join(import.meta.dirname, 'programs')
const { ECHOES } = require('./programs/cases.cjs') as { ECHOES: [string, string, unknown[]][] }

export type Peer = 'dbus-next' | '@jellybrick/dbus-next' | 'dbus-native' | '@homebridge/dbus-native'
/** Name and canonical text, in order. */
export type Entries = [name: string, text: string][]

/** One end: a peer in one of its modes, untouched or over the adapter in that folder; or python3-dbus. */
export type End = { peer: Peer; mode: string; adapters?: string | undefined } | 'python'

export const { MODES } = require('./programs/modes.cjs') as { MODES: Record<Peer, Record<string, unknown>> }

/** Debian's python3-dbus belongs to the system's own interpreter. */
const PYTHON = '/usr/bin/python3'

function works(command: string, args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}
export const HAS_DAEMON = works('dbus-daemon', ['--version'])
export const HAS_PYTHON = works(PYTHON, ['-c', 'import dbus, gi'])

/** What keeps a child that went wrong from staying. */
const LONGEST_MS = 120_000

interface Child {
  ready: Promise<void>
  entries: Promise<Entries>
}

function start(role: 'service' | 'client', end: End, daemon: Daemon): Child {
  const env: NodeJS.ProcessEnv = { ...process.env, DBUS_SESSION_BUS_ADDRESS: daemon.address }
  let command = process.execPath
  let args: string[]
  if (end === 'python') {
    const cases = join(daemon.folder, 'cases.json')
    writeFileSync(cases, JSON.stringify(ECHOES.filter(([name]) => name !== 'no arguments')))
    command = PYTHON
    args = [join(PROGRAMS, 'python.py'), role, cases]
  } else {
    args = [join(PROGRAMS, 'run.cjs'), role, end.peer, end.mode]
    if (end.adapters) env.DBUS_CODEC_ADAPTERS = end.adapters
  }
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: LONGEST_MS })
  let out = ''
  let errors = ''
  let markReady: () => void
  const ready = new Promise<void>((resolve) => {
    markReady = resolve
  })
  child.stdout.setEncoding('utf8')
  child.stderr.setEncoding('utf8')
  child.stdout.on('data', (chunk) => {
    out += chunk
    if (out.startsWith('READY\n')) markReady()
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const entries = new Promise<Entries>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      try {
        resolve(JSON.parse(out.trimEnd().split('\n').at(-1) ?? ''))
      } catch {
        reject(new Error(`${role} ${JSON.stringify(end)} ended with ${code}: ${errors || out}`))
      }
    })
  })
  return { ready: Promise.race([ready, entries.then(() => {})]), entries }
}

export interface Conversation {
  client: Entries
  service: Entries
}

export async function converse(client: End, service: End): Promise<Conversation> {
  const daemon = await startDaemon()
  try {
    const server = start('service', service, daemon)
    await server.ready
    const caller = start('client', client, daemon)
    // A service that fails ends the conversation at once; so does a client.
    const [clientEntries, serviceEntries] = await Promise.all([caller.entries, server.entries])
    return { client: clientEntries, service: serviceEntries }
  } finally {
    await daemon.stop()
  }
}
