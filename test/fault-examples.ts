// The examples behind docs/errors.md, and how to provoke them.
import { readFileSync } from 'node:fs'
import { type CodecOptions, createCodec, type DBusCodecError, isDBusCodecError, Variant } from '../js/index.ts'

export interface FaultExample {
  readonly code: string
  readonly note: string
  readonly op: 'decode' | 'marshal'
  readonly hex?: string
  readonly parts?: readonly (readonly [hex: string, times: number])[]
  readonly signature?: string
  readonly values?: readonly unknown[]
  readonly options?: CodecOptions
  readonly fds?: readonly unknown[]
  readonly offset?: number
  readonly path?: string
}

export const FAULT_EXAMPLES: readonly FaultExample[] = JSON.parse(
  readFileSync(new URL('vectors/fault-examples.json', import.meta.url), 'utf8'),
)

/** The bytes of an example that is decoded. */
export function exampleBytes({ hex, parts }: FaultExample): Uint8Array {
  const pieces = (parts ?? [[hex ?? '', 1]]).map(([text, times]) => {
    const piece = Buffer.from(text, 'hex')
    return Buffer.alloc(piece.length * times, piece)
  })
  return Buffer.concat(pieces)
}

/** Runs an example on the product; it must throw one of our errors. */
export function provoke(example: FaultExample, engine?: 'simd' | 'baseline' | 'js'): DBusCodecError {
  const codec = createCodec({ ...example.options, ...(engine === undefined ? {} : { engine }) })
  try {
    if (example.op === 'marshal') codec.marshal(example.signature ?? '', example.values?.map(revive) ?? [])
    else codec.decode(exampleBytes(example), example.fds === undefined ? {} : { fds: example.fds })
  } catch (error) {
    if (isDBusCodecError(error)) return error
    throw error
  }
  throw new Error(`${example.code}: nothing was thrown`)
}

/** Values as the vector files write them. */
function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revive)
  if (typeof value !== 'object' || value === null) return value
  const { $variant } = value as { $variant?: [string, unknown] }
  if ($variant !== undefined) return new Variant($variant[0], revive($variant[1]))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, revive(item)]))
}
