// The corpus of messages: test/vectors, and ../shared/corpus/others read in place when it is there.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** One line of a .jsonl file of messages. */
export interface CorpusRecord {
  file: string
  name: string
  valid: boolean | null
  note: string
  expect?: 'ok' | 'bad' | 'more' | 'open'
  verdicts?: { libdbus: boolean; gdbus: boolean; sdbus: boolean }
  hex?: string
  parts?: [hex: string, times: number][]
}

const VECTORS = fileURLToPath(new URL('./vectors/', import.meta.url))
const OTHERS = fileURLToPath(new URL('../../shared/corpus/others/', import.meta.url))

function readLines(path: string): Record<string, unknown>[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}

/** The directories there are: the project's own first. */
export function corpusDirectories(): string[] {
  return [VECTORS, OTHERS].filter((directory) => existsSync(directory))
}

/** Every message of a directory's files whose name begins with `prefix`. */
export function corpusRecords(directory: string, prefix = ''): CorpusRecord[] {
  const files = readdirSync(directory).filter((file) => file.endsWith('.jsonl') && file.startsWith(prefix))
  const messages = files.filter((file) => !['values.jsonl', 'bug-reports.jsonl', 'streams.jsonl'].includes(file))
  return messages.flatMap((file) =>
    readLines(`${directory}${file}`).map((line) => ({ file, ...line }) as unknown as CorpusRecord),
  )
}

/** The values of a directory's valid messages, as libdbus gives them. */
export function corpusValues(directory: string): { file: string; name: string; value: Record<string, unknown> }[] {
  const path = `${directory}values.jsonl`
  return existsSync(path) ? (readLines(path) as ReturnType<typeof corpusValues>) : []
}

/** The bytes of a record, whichever way it gives them. */
export function corpusBytes(record: CorpusRecord): Uint8Array {
  if (record.parts === undefined) return new Uint8Array(Buffer.from(record.hex ?? '', 'hex'))
  const pieces = record.parts.map(([hex, times]) => {
    const piece = Buffer.from(hex, 'hex')
    return Buffer.alloc(piece.length * times, piece)
  })
  return new Uint8Array(Buffer.concat(pieces))
}
