// validation: 'structure' is for a sender that is trusted, not for one that cannot make mistakes: whatever comes in, nothing is read or
// written where it should not be, nothing but a DBusCodecError comes out, and what is valid reads as it does with full validation.
import { describe, expect, test } from 'vitest'
import { createCodec, isDBusCodecError } from '../js/index.ts'
import { breakMessage, breakSeveral } from './break.ts'
import { corpusBytes, corpusDirectories, corpusRecords } from './corpus.ts'
import { mutants } from './differential/bytes.ts'
import { acrossTheEdge } from './differential/large.ts'
import { ENGINES } from './engines.ts'
import { chooseSeed, generateMessage, seededSource } from './generate.ts'
import { referenceValidate } from './reference/index.ts'

// What 'structure' does not look at. A name that is not looked at can be anything, so that what comes after it is found instead.
const SKIPPED =
  /^ERR_DBUS_(PADDING|BOOLEAN|UTF8|OBJECT_PATH|INTERFACE|MEMBER|ERROR_NAME|DESTINATION|SENDER|LOCAL_INTERFACE|LOCAL_PATH)$/

const recorded = corpusRecords(corpusDirectories()[0])
  .filter(({ hex }) => hex !== undefined && hex.length < 40_000)
  .map(corpusBytes)

function* broken(count: number, seed: number): Generator<Uint8Array> {
  const source = seededSource(seed)
  for (let i = 0; i < count; i++) {
    const message = generateMessage(source, { duplicateKeys: true })
    yield (i % 3 === 0 ? breakSeveral(source, message) : breakMessage(source, message)).bytes
    if (i % 4 === 0) yield message.bytes
  }
}

function* inputs(seed: number): Generator<Uint8Array> {
  yield* recorded
  yield* mutants(recorded, 5000, seed)
  yield* broken(1200, seed)
  yield* acrossTheEdge(2, seed)
}

// Against a hang only: a busy machine is slow.
const PATIENCE = 600_000

describe.each(ENGINES)("engine %s, validation: 'structure'", (engine) => {
  const full = createCodec({ engine })
  const structure = createCodec({ engine, validation: 'structure' })

  test(
    'throws nothing but DBusCodecError, and reads what is valid as full validation does',
    () => {
      const seed = chooseSeed(`structure, ${engine}`)
      let valid = 0
      let lax = 0
      for (const bytes of inputs(seed)) {
        const verdict = referenceValidate(bytes)
        let message: unknown
        let code = ''
        try {
          message = structure.decode(bytes)
        } catch (error) {
          if (!isDBusCodecError(error)) throw error
          code = error.code
        }
        if (verdict.valid) {
          expect(code).toBe('')
          expect(message).toEqual(full.decode(bytes))
          valid++
        } else if (code === '') {
          // Only what is skipped can make the difference.
          expect(verdict.code).toMatch(SKIPPED)
          lax++
        } else if (!SKIPPED.test(verdict.code)) {
          expect(code).toBe(verdict.code)
        }
        expect(code).not.toMatch(SKIPPED)
        for (const call of ['swap', 'decodeHeader', 'validate'] as const) {
          try {
            structure[call](bytes)
          } catch (error) {
            if (!isDBusCodecError(error)) throw error
          }
        }
      }
      expect(valid).toBeGreaterThan(500)
      expect(lax).toBeGreaterThan(50)
    },
    PATIENCE,
  )

  test(
    'lets nothing pass that full validation looks at later',
    () => {
      // The same texts, headers and signatures, by turns: what was let pass unseen must not be taken for checked.
      const seed = chooseSeed(`structure then full, ${engine}`)
      for (const bytes of inputs(seed)) {
        for (let i = 0; i < 2; i++) structure.validate(bytes)
        const verdict = referenceValidate(bytes)
        for (let i = 0; i < 2; i++) {
          const { valid, error } = full.validate(bytes)
          expect(valid ? '' : `${error.code} ${error.offset}`).toBe(verdict.valid ? '' : `${verdict.code} ${verdict.offset}`)
        }
      }
    },
    PATIENCE,
  )
})
