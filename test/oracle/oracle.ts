// The two C programs beside this file, built when needed and asked over a pipe: many questions in one write, many answers in
// one read, so that millions of messages can be put to them. protocol.h draws both records.
import { type ChildProcessByStdio, type ExecFileSyncOptionsWithStringEncoding, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** `libdbus`: the verdict that counts, its reason, its values. `gdbus`: values only, where libdbus accepts as well. */
export type OracleName = 'libdbus' | 'gdbus'

/** The letter of a question: see libdbus.c. GDBus knows `message` and `values` only. */
export const KIND = {
  message: 'm',
  values: 'd',
  native: 'n',
  signature: 'g',
  path: 'p',
  interface: 'i',
  member: 'M',
  errorName: 'e',
  busName: 'b',
} as const

export type Kind = keyof typeof KIND

export interface Answer {
  readonly verdict: 'ok' | 'bad' | 'more'
  /** libdbus's own words, '' when there is nothing to say. */
  readonly reason: string
  /** Bytes after the first message: the verdict is on that message alone. */
  readonly left: number
  /** `values`: JSON as in test/vectors/values.jsonl; `native`: the message in this machine's byte order. */
  readonly payload: Buffer | undefined
}

const PACKAGE = { libdbus: 'dbus-1', gdbus: 'gio-2.0' } as const
const VERDICTS = ['ok', 'bad', 'more'] as const
const ANSWER_HEAD = 12

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Builds the program unless it is newer than its sources. Gives its path; without tools undefined, or an error in CI. */
export function buildOracle(name: OracleName): string | undefined {
  const sources = [here(`${name}.c`), here('protocol.h')]
  const program = here(`../../build/oracle/${name}`)
  const built = existsSync(program) ? statSync(program).mtimeMs : 0
  if (sources.every((source) => statSync(source).mtimeMs < built)) return program
  const options: ExecFileSyncOptionsWithStringEncoding = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }
  let flags: string[]
  try {
    flags = execFileSync('pkg-config', ['--cflags', '--libs', PACKAGE[name]], options).trim().split(/\s+/)
    execFileSync('gcc', ['--version'], options)
  } catch (error) {
    const message = `the ${name} oracle needs gcc, pkg-config and ${PACKAGE[name]}.pc (Debian: libdbus-1-dev, libglib2.0-dev)`
    if (isCI()) throw new Error(message, { cause: error })
    console.warn(`skipped: ${message}`)
    return undefined
  }
  mkdirSync(here('../../build/oracle'), { recursive: true })
  const temporary = `${program}.${process.pid}`
  const warnings = ['-Wall', '-Wextra', '-Werror', '-Wno-unused-function']
  execFileSync('gcc', ['-std=gnu11', '-O2', ...warnings, sources[0], '-o', temporary, ...flags], options)
  // Renamed, since two test files may build at once.
  execFileSync('mv', [temporary, program], options)
  return program
}

export function isCI(): boolean {
  return /^(1|true)$/i.test(process.env.CI ?? '')
}

/** Builds and starts an oracle; undefined where it cannot be built. */
export function openOracle(name: OracleName): Oracle | undefined {
  const program = buildOracle(name)
  return program === undefined ? undefined : new Oracle(program)
}

interface Waiting {
  readonly answers: Answer[]
  readonly count: number
  resolve(answers: Answer[]): void
  reject(error: Error): void
}

/** One running oracle. Questions are answered in order; several `ask` may be under way. */
export class Oracle {
  private readonly child: ChildProcessByStdio<Writable, Readable, null>
  private readonly waiting: Waiting[] = []
  private readonly reasons: string[] = ['']
  private rest: Buffer = Buffer.alloc(0)
  private failure: Error | undefined

  constructor(program: string) {
    this.child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.child.stdout.on('data', (chunk: Buffer) => this.take(chunk))
    this.child.stdin.on('error', (error) => this.fail(error))
    this.child.on('error', (error) => this.fail(error))
    this.child.on('exit', (code, signal) => this.fail(new Error(`${program} ended: ${signal ?? code}`)))
  }

  ask(batch: readonly Uint8Array[], kind: Kind = 'message'): Promise<Answer[]> {
    if (this.failure !== undefined) return Promise.reject(this.failure)
    if (batch.length === 0) return Promise.resolve([])
    let total = 0
    for (const bytes of batch) total += 5 + bytes.length
    const questions = Buffer.allocUnsafe(total)
    const letter = KIND[kind].charCodeAt(0)
    let at = 0
    for (const bytes of batch) {
      questions.writeUInt32LE(1 + bytes.length, at)
      questions[at + 4] = letter
      questions.set(bytes, at + 5)
      at += 5 + bytes.length
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ answers: [], count: batch.length, resolve, reject })
      this.child.stdin.write(questions)
    })
  }

  /** Ends the program once all is answered. */
  close(): void {
    this.child.stdin.end()
  }

  private fail(error: Error): void {
    this.failure ??= error
    for (const waiting of this.waiting.splice(0)) waiting.reject(this.failure)
  }

  private take(chunk: Buffer): void {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk])
    let at = 0
    while (bytes.length - at >= ANSWER_HEAD) {
      const length = bytes.readUInt32LE(at + 8)
      const end = at + ANSWER_HEAD + length
      if (bytes.length < end) break
      this.hand(this.read(bytes, at, end))
      at = end
    }
    this.rest = bytes.subarray(at)
  }

  private read(bytes: Buffer, at: number, end: number): Answer {
    const number = bytes.readUInt16LE(at + 2)
    const verdict = VERDICTS[bytes[at]]
    const text = end > at + ANSWER_HEAD ? bytes.subarray(at + ANSWER_HEAD, end) : undefined
    if (number !== 0 && text !== undefined) this.reasons[number] = text.toString()
    const payload = number === 0 && text !== undefined ? Buffer.from(text) : undefined
    return { verdict, reason: this.reasons[number], left: bytes.readUInt32LE(at + 4), payload }
  }

  private hand(answer: Answer): void {
    const waiting = this.waiting[0]
    waiting.answers.push(answer)
    if (waiting.answers.length === waiting.count) {
      this.waiting.shift()
      waiting.resolve(waiting.answers)
    }
  }
}
