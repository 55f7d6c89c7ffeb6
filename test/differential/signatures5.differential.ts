// A file of its own, so that the other core has the rest to do meanwhile.
import { describe, it } from 'vitest'
import { agree } from './judges.ts'
import { signatureMessages } from './signatures.ts'

describe('everyone agrees on', () => {
  // Two and a half million: as a value only, where the grammar alone decides.
  it('every signature of 5 characters', async () => {
    await agree('signatures of 5', signatureMessages(5, ['value']))
  })
})
