// Who is asked in this process: one libdbus oracle, and the product once per engine.

import { isDBusCodecError } from '../../js/errors.ts'
import { createCodec } from '../../js/index.ts'
import { ENGINES } from '../engines.ts'
import { openOracle } from '../oracle/oracle.ts'
import { compare, type Judge } from './compare.ts'
import { Tally } from './tally.ts'
import type { NamedCodec } from './values.ts'

// Millions of errors are made here and none is shown with its stack.
Error.stackTraceLimit = 0

export const libdbus = openOracle('libdbus')

export const codecs: readonly NamedCodec[] = ENGINES.map((engine) => ({ name: engine, codec: createCodec({ engine }) }))

export const judges: readonly Judge[] = codecs.map(({ name, codec }) => ({
  name,
  judge: (bytes) => {
    const verdict = codec.validate(bytes)
    if (verdict.valid) return { code: '', offset: 0 }
    const { error } = verdict
    return isDBusCodecError(error) ? { code: error.code, offset: error.offset ?? -1 } : { code: String(error), offset: -1 }
  },
}))

export const against: readonly string[] = [...(libdbus === undefined ? [] : ['libdbus']), ...judges.map((judge) => judge.name)]

/** Puts all inputs to everyone, leaves the figures, and throws when anyone differs. */
export async function agree(name: string, inputs: Iterable<Uint8Array>, seed?: number): Promise<void> {
  const tally = new Tally(name, against, seed)
  await compare(inputs, tally, { libdbus, judges })
  tally.close()
}
