// A process under measurement, of any language, behind the line protocol of worker.js.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const WORKER = new URL('./worker.js', import.meta.url).pathname

export class Competitor {
  #child
  #lines
  #exit
  /** False once the process has ended. */
  alive = true

  constructor(name, command, args = [], environment = {}) {
    this.name = name
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...environment } })
    this.#exit = new Promise((resolve) => {
      this.#child.on('close', resolve)
      this.#child.on('error', (error) => {
        console.error(`${name}: ${error.message}`)
        resolve()
      })
    })
    this.#child.stdin.on('error', () => {})
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
  }

  /** A JavaScript library in a process of its own. */
  static library(name, { module = name, node = process.execPath, options = {}, flags = [] } = {}) {
    return new Competitor(name, node, [...flags, WORKER, module, JSON.stringify(options)])
  }

  async ask(line) {
    this.#child.stdin.write(`${line}\n`)
    const { value, done } = await this.#lines.next()
    this.alive = !done
    if (done) throw new Error(`${this.name} ended before it answered "${line}"`)
    return value
  }

  /** True: right answer; false: the library cannot do it. A wrong answer throws: it must not be timed. */
  async check(row, operation, kind) {
    const reply = await this.ask(`check ${row} ${operation} ${kind}`)
    if (reply === 'ok') return true
    if (reply === 'no') return false
    throw new Error(`${this.name}, ${row}, ${operation}, ${kind}: ${reply}`)
  }

  async time(row, operation, kind, milliseconds) {
    const reply = await this.ask(`time ${row} ${operation} ${kind} ${milliseconds}`)
    const [word, ns] = reply.split(' ')
    if (word !== 'ok') throw new Error(`${this.name}, ${row}, ${operation}, ${kind}: ${reply}`)
    return Number(ns)
  }

  /** Forgets the inputs of the rows so far. */
  async drop() {
    if (this.alive) await this.ask('drop')
  }

  async close() {
    this.#child.stdin.end()
    await this.#exit
  }
}
