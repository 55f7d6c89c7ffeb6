// Who is asked in this process: one libdbus oracle, and the product once per engine.
import { openOracle } from '../oracle/oracle.ts'
import { compare, type Judge } from './compare.ts'
import { Tally } from './tally.ts'

// Millions of errors are made here and none is shown with its stack.
Error.stackTraceLimit = 0

export const libdbus = openOracle('libdbus')

export const codecs: readonly never[] = []
export const judges: readonly Judge[] = []

export const against: readonly string[] = [...(libdbus === undefined ? [] : ['libdbus']), ...judges.map((judge) => judge.name)]

/** Puts all inputs to everyone, leaves the figures, and throws when anyone differs. */
export async function agree(name: string, inputs: Iterable<Uint8Array>, seed?: number): Promise<void> {
  const tally = new Tally(name, against, seed)
  await compare(inputs, tally, { libdbus, judges })
  tally.close()
}
