// Untouched peer against untouched peer is the expected behaviour, recorded at run time; the same with the adapter at either end or
// both has to give the same record but for exceptions.ts.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildAdapters } from './adapters.ts'
import { type Conversation, converse, type Entries, HAS_DAEMON, HAS_PYTHON, MODES, type Peer } from './conversation.ts'
import { type Exception, IMPROVEMENTS, REFUSED } from './exceptions.ts'

const PEERS = Object.keys(MODES) as Peer[]
const CONVERSATION_MS = 120_000

/** By name, a name that comes again numbered. */
function byName(entries: Entries): Map<string, string> {
  const named = new Map<string, string>()
  const times = new Map<string, number>()
  for (const [name, text] of entries) {
    const count = (times.get(name) ?? 0) + 1
    times.set(name, count)
    named.set(count === 1 ? name : `${name} #${count}`, text)
  }
  return named
}

function exceptionFor(peer: Peer, step: string): Exception | undefined {
  return [...IMPROVEMENTS, ...REFUSED].find(({ steps, peers }) => peers.includes(peer) && steps.test(step))
}

/** Exceptions that a run needed: one that none needs is no exception. */
const needed = new Map<Peer, Set<Exception>>(PEERS.map((peer) => [peer, new Set<Exception>()]))

/** The steps that came out differently and are on no list. */
function unexpected(peer: Peer, expected: Entries, actual: Entries): string[] {
  const before = byName(expected)
  const after = byName(actual)
  const found: string[] = []
  for (const step of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(step), after.get(step)]
    if (was === is) continue
    const exception = exceptionFor(peer, step)
    if (exception && (is === undefined || !exception.becomes || exception.becomes.test(is))) {
      needed.get(peer)?.add(exception)
      continue
    }
    found.push(`${step}\n  was ${difference(was, is)}\n  is  ${difference(is, was)}`)
  }
  return found
}

/** A text around the place where it leaves another. */
function difference(text: string | undefined, other = ''): string {
  if (text === undefined) return 'missing'
  let at = 0
  while (at < text.length && text[at] === other[at]) at++
  return at < 200 ? text.slice(0, 400) : `[${at}]…${text.slice(at - 60, at + 200)} (of ${text.length})`
}

let adapters: string | undefined
beforeAll(async () => {
  adapters = await buildAdapters()
}, CONVERSATION_MS)
afterAll(() => {
  if (adapters) rmSync(adapters, { recursive: true, force: true })
})

const suite = describe.skipIf(!HAS_DAEMON)

suite.each(PEERS)('%s', (peer) => {
  const end = (mode: string, over: boolean) => ({ peer, mode, adapters: over ? adapters : undefined })

  describe.each(Object.keys(MODES[peer]))('reading as: %s', (mode) => {
    let untouched: Conversation
    beforeAll(async () => {
      untouched = await converse(end(mode, false), end(mode, false))
    }, CONVERSATION_MS)

    it('converses with itself untouched, every step with an outcome', () => {
      expect(untouched.client.length).toBeGreaterThan(120)
      expect(untouched.client.filter(([, text]) => text === 'never')).toEqual([])
    })

    // The mode decides what is read, at both ends alike: the mixed pairs of the default stand for those of the others.
    const pairs: [string, boolean, boolean][] =
      mode === 'default'
        ? [
            ['client', true, false],
            ['service', false, true],
            ['both ends', true, true],
          ]
        : [['both ends', true, true]]
    it.each(pairs)(
      'behaves the same with the adapter at: %s',
      async (_name, client, service) => {
        const actual = await converse(end(mode, client), end(mode, service))
        expect(unexpected(peer, untouched.client, actual.client)).toEqual([])
        expect(unexpected(peer, untouched.service, actual.service)).toEqual([])
      },
      CONVERSATION_MS,
    )
  })

  it('differs in everything that is said to differ', () => {
    const listed = [...IMPROVEMENTS, ...REFUSED].filter(({ peers }) => peers.includes(peer))
    expect(listed.filter((exception) => !needed.get(peer)?.has(exception)).map(({ why }) => why)).toEqual([])
  })

  describe.skipIf(!HAS_PYTHON)('with python3-dbus', () => {
    it(
      'is understood as client, and over the adapter the same',
      async () => {
        const untouched = await converse(end('default', false), 'python')
        expect(untouched.service.length).toBeGreaterThan(60)
        const actual = await converse(end('default', true), 'python')
        expect(unexpected(peer, untouched.client, actual.client)).toEqual([])
        expect(unexpected(peer, untouched.service, actual.service)).toEqual([])
      },
      CONVERSATION_MS,
    )

    it(
      'is understood as service, and over the adapter the same',
      async () => {
        const untouched = await converse('python', end('default', false))
        expect(untouched.service.length).toBeGreaterThan(60)
        const actual = await converse('python', end('default', true))
        expect(unexpected(peer, untouched.client, actual.client)).toEqual([])
        expect(unexpected(peer, untouched.service, actual.service)).toEqual([])
      },
      CONVERSATION_MS,
    )
  })
})
