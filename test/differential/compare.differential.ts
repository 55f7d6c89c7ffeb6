// The comparison itself can fail: a codec that is wrong in one byte's place, and a libdbus of another opinion, both show.
import { describe, expect, it } from 'vitest'
import type { Answer, Oracle } from '../oracle/oracle.ts'
import { compare, type Judge, judgeByReference } from './compare.ts'
import { libdbus } from './judges.ts'
import { validMessages } from './messages.ts'
import { Tally } from './tally.ts'

const messages = validMessages('capture-types-gdbus', 400)
const bad = messages.map((message) => message.slice().fill(0, 1, 2))

async function differencesOf(judge: Judge['judge'], oracle: Oracle | undefined): Promise<number> {
  const tally = new Tally('self-test', [])
  await compare([...messages, ...bad], tally, { libdbus: oracle, judges: [{ name: 'judge', judge }] })
  return tally.figures().differences
}

/** libdbus with each answer changed. */
function changed(change: (answer: Answer) => Answer): Oracle {
  return { ask: async (batch: Uint8Array[]) => (await libdbus!.ask(batch)).map(change) } as unknown as Oracle
}

describe('the comparison', () => {
  it('finds no difference between equals', async () => {
    expect(await differencesOf(judgeByReference, libdbus)).toBe(0)
  })

  it('counts every wrong code, wrong offset and wrong verdict of a codec', async () => {
    const wrongOffset: Judge['judge'] = (bytes) => {
      const { code, offset } = judgeByReference(bytes)
      return { code, offset: offset + 1 }
    }
    expect(await differencesOf(wrongOffset, undefined)).toBe(bad.length)
    expect(await differencesOf(() => ({ code: 'ERR_DBUS_SERIAL', offset: 1 }), undefined)).toBe(messages.length + bad.length)
    expect(await differencesOf(() => ({ code: '', offset: 0 }), undefined)).toBe(bad.length)
  })

  it.skipIf(libdbus === undefined)('counts every verdict, reason and length of libdbus that differs', async () => {
    const other = (change: (answer: Answer) => Answer) => differencesOf(judgeByReference, changed(change))
    expect(await other((answer) => ({ ...answer, reason: 'Bad path' }))).toBe(bad.length)
    expect(await other((answer) => ({ ...answer, verdict: 'ok', reason: '' }))).toBe(bad.length)
    expect(await other((answer) => ({ ...answer, verdict: 'more', reason: '' }))).toBe(messages.length + bad.length)
    expect(await other((answer) => ({ ...answer, left: 1 }))).toBe(messages.length)
  })
})
