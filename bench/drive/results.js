// Where figures are kept between a bench and the report: one JSON file a bench, with the machine, the date and the commit.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'

const FOLDER = new URL('../results/', import.meta.url).pathname
const ROOT = new URL('../../', import.meta.url).pathname

const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()

/** What the figures were measured on. */
export function context(node = process.execPath) {
  let commit = 'unknown'
  try {
    commit = git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', '--', 'js', 'assembly') ? ' with changes' : '')
  } catch {
    // Not a git work tree: a packed copy.
  }
  return {
    date: new Date().toISOString().slice(0, 16).replace('T', ' '),
    commit,
    node: node === process.execPath ? process.version : execFileSync(node, ['--version'], { encoding: 'utf8' }).trim(),
    cpu: cpus()[0].model,
    cores: cpus().length,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    platform: `${process.platform} ${process.arch}`,
  }
}

export function save(name, data) {
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(`${FOLDER}${name}.json`, `${JSON.stringify(data, null, 1)}\n`)
  console.log(`\nwrote bench/results/${name}.json`)
}

/** undefined when that bench has not run here. */
export function load(name) {
  try {
    return JSON.parse(readFileSync(`${FOLDER}${name}.json`, 'utf8'))
  } catch {
    return undefined
  }
}
