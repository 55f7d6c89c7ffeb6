import { describe, it } from 'vitest'
import { chooseSeed } from '../generate.ts'
import { oneRuleBroken, severalRulesBroken, validGenerated } from './generated.ts'
import { agree } from './judges.ts'
import { SCALE } from './messages.ts'

describe('everyone agrees on', () => {
  it('generated messages', async () => {
    const seed = chooseSeed('generated')
    function* bytes() {
      for (const message of validGenerated(40_000 * SCALE, seed)) yield message.bytes
    }
    await agree('generated', bytes(), seed)
  })

  it('generated messages with one rule broken', async () => {
    const seed = chooseSeed('one rule broken')
    await agree('one rule broken', oneRuleBroken(300_000 * SCALE, seed), seed)
  })

  it('generated messages with several rules broken', async () => {
    const seed = chooseSeed('several rules broken')
    await agree('several rules broken', severalRulesBroken(200_000 * SCALE, seed), seed)
  })
})
