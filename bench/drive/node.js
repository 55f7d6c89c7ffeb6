// Other versions and builds of Node, from the npm packages that carry them; kept under build/.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'

const FOLDER = new URL('../../build/bench/node/', import.meta.url).pathname

/** The path of a Node of that major version, built for that processor. */
export function nodeOf(version, arch = process.arch) {
  if (arch === process.arch && process.version.startsWith(`v${version}.`)) return process.execPath
  const home = `${FOLDER}${version}-${arch}/`
  const binary = `${home}package/bin/node`
  if (existsSync(binary)) return binary
  mkdirSync(home, { recursive: true })
  run('npm', ['pack', '--silent', '--pack-destination', home, `node-linux-${arch}@${version}`])
  const archive = readdirSync(home).find((name) => name.endsWith('.tgz'))
  run('tar', ['-xzf', `${home}${archive}`, '-C', home])
  return binary
}

function run(command, args) {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`)
}
