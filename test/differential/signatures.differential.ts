import { describe, it } from 'vitest'
import { agree } from './judges.ts'
import { deepSignatures, signatureMessages } from './signatures.ts'

describe('everyone agrees on', () => {
  it.each([0, 1, 2, 3, 4])('every signature of %i characters, as a value, a field and in a variant', async (length) => {
    await agree(`signatures of ${length}`, signatureMessages(length))
  })

  it('signatures up to and past every limit of depth and length', async () => {
    await agree('deep signatures', deepSignatures())
  })
})
