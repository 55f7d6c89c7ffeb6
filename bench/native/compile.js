// Compiles the programs of this folder against what the machine has. What is missing is left out with a note, never an error:
// apt-get install gcc pkg-config libdbus-1-dev libsystemd-dev libglib2.0-dev python3-dbus-fast
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'

const HERE = new URL('.', import.meta.url).pathname
const BIN = new URL('../../build/bench/native/', import.meta.url).pathname
const COMMON = ['values.c', 'protocol.c']

const PROGRAMS = [
  { name: 'libdbus', sources: ['libdbus.c'], packages: ['dbus-1'] },
  { name: 'sd-bus', sources: ['sdbus.c'], packages: ['libsystemd'] },
  { name: 'GDBus', sources: ['gdbus.c'], packages: ['gio-2.0'] },
  { name: 'own C validator', sources: ['validate.c', 'validator.c'], packages: [] },
  { name: 'own C validator SSE2', sources: ['validate.c', 'validator.c'], packages: [], flags: ['-DVALIDATOR_SSE2'] },
]

const run = (command, args, cwd = HERE) => spawnSync(command, args, { encoding: 'utf8', cwd })

/** @returns {{ name: string, command: string, args: string[], version: string }[]} */
export function compile() {
  mkdirSync(BIN, { recursive: true })
  return [...PROGRAMS.flatMap(compileC), ...python(), ...rust(), ...go()]
}

function compileC({ name, sources, packages, flags = [] }) {
  let version = 'gcc -O2'
  if (packages.length) {
    const found = run('pkg-config', ['--cflags', '--libs', ...packages])
    if (found.status !== 0) return skip(name, `pkg-config finds no ${packages.join(', ')}`)
    flags = [...flags, ...found.stdout.trim().split(/\s+/)]
    version = run('pkg-config', ['--modversion', ...packages]).stdout.trim()
  }
  const command = `${BIN}${name.replaceAll(' ', '-')}`
  const built = run('gcc', ['-O2', '-Wall', '-o', command, ...sources, ...COMMON, ...flags])
  if (built.status !== 0) return skip(name, built.error?.message ?? built.stderr)
  return [{ name, command, args: [], version }]
}

/** Debian's python3-dbus-fast (Cython). */
function python() {
  const python = '/usr/bin/python3'
  const found = run(python, ['-c', 'import dbus_fast.__version__ as v; print(v.__version__)'])
  if (found.status !== 0) return skip('dbus-fast', 'no python3-dbus-fast')
  return [{ name: 'dbus-fast', command: python, args: [`${HERE}dbus_fast_worker.py`], version: found.stdout.trim() }]
}

/** zvariant, by option: DBUS_CODEC_BENCH_RUST=1 with Debian's cargo and librust-zvariant-dev. */
function rust() {
  if (!process.env.DBUS_CODEC_BENCH_RUST) return []
  const target = `${BIN}rust`
  const source = ['source.crates-io.replace-with="debian"', 'source.debian.directory="/usr/share/cargo/registry"']
  const config = source.flatMap((line) => ['--config', line])
  // The work folder is a copy: cargo writes a lock file beside the manifest.
  const crate = `${BIN}zvariant`
  cpSync(`${HERE}zvariant`, crate, { recursive: true })
  const built = run('cargo', ['build', '--release', '--offline', '--target-dir', target, ...config], crate)
  if (built.status !== 0) return skip('zvariant', built.error?.message ?? built.stderr)
  return [{ name: 'zvariant', command: `${target}/release/zvariant-worker`, args: [], version: 'Debian' }]
}

/** godbus, by option: DBUS_CODEC_BENCH_GO=1 with Debian's golang-go and golang-dbus-dev. */
function go() {
  if (!process.env.DBUS_CODEC_BENCH_GO) return []
  const command = `${BIN}godbus`
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' }
  const built = spawnSync('go', ['build', '-o', command, `${HERE}godbus_worker.go`], { encoding: 'utf8', env })
  if (built.status !== 0) return skip('godbus', built.error?.message ?? built.stderr)
  return [{ name: 'godbus', command, args: [], version: 'Debian' }]
}

function skip(name, why) {
  console.error(`${name} is left out: ${String(why).split('\n').slice(0, 3).join(' ')}`)
  return []
}
