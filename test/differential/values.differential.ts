import { describe, it } from 'vitest'
import { chooseSeed } from '../generate.ts'
import { openOracle } from '../oracle/oracle.ts'
import { validGenerated } from './generated.ts'
import { against, codecs, libdbus } from './judges.ts'
import { SCALE, validMessages } from './messages.ts'
import { Tally } from './tally.ts'
import { compareValues } from './values.ts'

const gdbus = openOracle('gdbus')
const everyone = gdbus === undefined ? against : [...against, 'GDBus']

describe('everyone sees the same values', () => {
  it('in the valid messages of the vectors', async () => {
    const tally = new Tally('values of the vectors', everyone)
    await compareValues(validMessages('', 300_000), tally, { libdbus, gdbus, codecs })
    tally.close()
  })

  it('in generated messages, and after a swap', async () => {
    const seed = chooseSeed('values')
    const tally = new Tally('values generated', everyone, seed)
    function* bytes() {
      for (const message of validGenerated(12_000 * SCALE, seed)) yield message.bytes
    }
    await compareValues(bytes(), tally, { libdbus, gdbus, codecs })
    tally.close()
  })
})
