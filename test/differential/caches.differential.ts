import { describe, it } from 'vitest'
import { chooseSeed } from '../generate.ts'
import { everNewTexts, manySignatures, textsInRoles } from './caches.ts'
import { agree } from './judges.ts'
import { acrossTheEdge } from './large.ts'
import { SCALE } from './messages.ts'

describe('everyone agrees, whatever came before, on', () => {
  it('the same texts in every role', async () => {
    const seed = chooseSeed('texts in roles')
    await agree('texts in roles', textsInRoles(100_000 * SCALE, seed), seed)
  })

  it('texts and headers that are always new', async () => {
    const seed = chooseSeed('new texts')
    await agree('new texts', everNewTexts(30_000 * SCALE, seed), seed)
  })

  it('more signatures than any table has room for', async () => {
    const seed = chooseSeed('many signatures')
    await agree('many signatures', manySignatures(2_000 * SCALE, seed), seed)
  })

  it('messages longer than the window', async () => {
    const seed = chooseSeed('across the edge')
    await agree('across the edge', acrossTheEdge(250 * SCALE, seed), seed)
  })
})
