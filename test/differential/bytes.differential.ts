import { describe, it } from 'vitest'
import { chooseSeed } from '../generate.ts'
import { bitFlips, byteValues, headerClaims, mutants, shortenedBodies, trailing, truncations, wordClaims } from './bytes.ts'
import { agree } from './judges.ts'
import { allMessages, layoutOf, SCALE, validMessages } from './messages.ts'

// Every type in both byte orders, as GDBus writes them; and one message of each kind with few bytes.
const types = validMessages('capture-types-gdbus', 400)
const small = validMessages('hostile', 200).filter((_, i) => i % 6 === 0)
const random = validMessages('random-valid', 600)

describe('everyone agrees on', () => {
  it('every message of the vectors', async () => {
    function* all() {
      for (const { bytes } of allMessages()) yield bytes()
    }
    await agree('vectors', all())
  })

  it('every truncation', async () => {
    await agree('truncations', truncations([...types, ...small]))
  })

  it('every shortened body', async () => {
    await agree('shortened bodies', shortenedBodies([...types, ...random]))
  })

  it('messages with something after them', async () => {
    await agree('trailing bytes', trailing([...types, ...small, ...random]))
  })

  it('every flip of a single bit', async () => {
    await agree('bit flips', bitFlips([...types, ...small]))
  })

  it('every value of every byte of a header', async () => {
    const messages = [...types.filter((_, i) => i % 20 === 0), ...small.filter((_, i) => i % 3 === 0)]
    await agree(
      'header bytes',
      byteValues(messages, (message) => [0, layoutOf(message).bodyStart]),
    )
  })

  it('every value of every byte of a body', async () => {
    const messages = types.filter((message) => message.length - layoutOf(message).bodyStart <= 32)
    await agree(
      'body bytes',
      byteValues(messages, (message) => [layoutOf(message).bodyStart, message.length]),
    )
  })

  it('every pair of lengths that a header can claim', async () => {
    await agree('header claims', headerClaims(types.filter((_, i) => i % 10 === 0)))
  })

  it('every word at the edge of a limit', async () => {
    await agree('word claims', wordClaims([...types.filter((_, i) => i % 4 === 0), ...small.filter((_, i) => i % 4 === 0)]))
  })

  it('messages changed at random', async () => {
    const seed = chooseSeed('mutants')
    await agree('mutants', mutants([...types, ...small, ...random], 400_000 * SCALE, seed), seed)
  })
})
