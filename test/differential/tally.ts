// What a run has seen: the figures of its summary, and the differences that make it fail.
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Judgement } from '../deviations.ts'

/** So many differences are kept with their bytes; the others are only counted. */
const KEPT = 20

export const RESULTS = fileURLToPath(new URL('../../build/differential/', import.meta.url))

export interface Figures {
  readonly class: string
  readonly inputs: number
  readonly valid: number
  readonly codes: Record<string, number>
  readonly deviations: Record<string, number>
  readonly differences: number
  readonly against: readonly string[]
  readonly seed: number | undefined
  readonly seconds: number
}

export class Tally {
  readonly examples: string[] = []
  private readonly name: string
  private readonly against: readonly string[]
  private readonly seed: number | undefined
  private readonly codes: Record<string, number> = {}
  private readonly deviations: Record<string, number> = {}
  private readonly start = performance.now()
  private inputs = 0
  private differences = 0

  constructor(name: string, against: readonly string[], seed?: number) {
    this.name = name
    this.against = against
    this.seed = seed
  }

  count(code: string): void {
    this.inputs++
    this.codes[code] = (this.codes[code] ?? 0) + 1
  }

  deviate(name: string): void {
    this.deviations[name] = (this.deviations[name] ?? 0) + 1
  }

  differ(who: string, bytes: Uint8Array, reference: Judgement, theirs: string): void {
    this.differences++
    if (this.examples.length >= KEPT) return
    const ours = reference.code === '' ? 'valid' : `${reference.code} at ${reference.offset}`
    const hex = Buffer.from(bytes.subarray(0, 2048)).toString('hex')
    this.examples.push(`${who} says ${theirs}; the reference says ${ours}: ${hex}${bytes.length > 2048 ? '…' : ''}`)
  }

  figures(): Figures {
    const { '': valid = 0, ...codes } = this.codes
    const { name, inputs, deviations, differences, against, seed } = this
    const seconds = (performance.now() - this.start) / 1000
    return { class: name, inputs, valid, codes, deviations, differences, against, seed, seconds }
  }

  /** Leaves the figures for the summary; throws when there was a difference. */
  close(): void {
    const figures = this.figures()
    mkdirSync(RESULTS, { recursive: true })
    writeFileSync(`${RESULTS}${figures.class.replaceAll(/[^a-z0-9]+/gi, '-')}.json`, `${JSON.stringify(figures, null, 1)}\n`)
    if (this.differences === 0) return
    const seed = figures.seed === undefined ? '' : ` (DBUS_CODEC_TEST_SEED=${figures.seed})`
    throw new Error(`${this.differences} differences in "${figures.class}"${seed}\n${this.examples.join('\n')}`)
  }
}
