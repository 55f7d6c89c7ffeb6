// Each deviation on the list is one: libdbus really says something else, and the list explains it. A libdbus that changes its
// mind shows here, and so does an entry that is no longer needed.
import { describe, expect, it } from 'vitest'
import { DEVIATIONS, rewriteForLibdbus } from '../deviations.ts'
import { referenceEncode } from '../reference/index.ts'
import { agrees, judgeByReference } from './compare.ts'
import { libdbus } from './judges.ts'

const CALL = { type: 1, serial: 1, path: '/', interface: 'a.b', member: 'M' }
const call = (header: object) => referenceEncode({ ...CALL, ...header }, '', [])

/** A call with the 64 MiB + 8 bytes of fields claimed, and no more of it. */
function hugeFields(): Uint8Array {
  const bytes = call({})
  new DataView(bytes.buffer).setUint32(12, 67108872, true)
  return bytes
}

/** The signature "a{a" with a bracket where its NUL should be. */
function bracketAfterSignature(): Uint8Array {
  const bytes = referenceEncode(CALL, 'yyy', [
    ['y', 0],
    ['y', 0],
    ['y', 0],
  ])
  bytes.set(Buffer.from('a{a}'), Buffer.from(bytes).indexOf('yyy'))
  return bytes
}

const EXAMPLES: Record<string, { bytes: Uint8Array; code: string; libdbus: string }> = {
  'local interface': { bytes: call({ interface: 'org.freedesktop.DBus.Locale' }), code: '', libdbus: 'Uses local interface' },
  'local path': { bytes: call({ path: '/org/freedesktop/DBus/Local/x' }), code: '', libdbus: 'Uses local path' },
  'container instance': {
    bytes: referenceEncode(CALL, '', [], {
      fields: [
        [1, 'o', ['o', '/']],
        [3, 's', ['s', 'M']],
        [10, 'u', ['u', 1]],
        [10, 'u', ['u', 1]],
      ],
    }),
    code: '',
    libdbus: 'Header field has wrong type',
  },
  'unique name of one element': { bytes: call({ destination: ':1' }), code: 'ERR_DBUS_DESTINATION', libdbus: '' },
  'field array over 64 MiB': { bytes: hugeFields(), code: 'ERR_DBUS_FIELDS_LENGTH', libdbus: '' },
  'byte after a signature': { bytes: bracketAfterSignature(), code: 'ERR_DBUS_DICT_KEY', libdbus: 'Missing array element type' },
}

describe.skipIf(libdbus === undefined)('the list of deviations', () => {
  it("has an example for each entry, but for descriptors, which are the oracle's affair", () => {
    const names = DEVIATIONS.map((deviation) => deviation.name).filter((name) => name !== 'descriptors')
    expect(Object.keys(EXAMPLES)).toEqual(names)
  })

  it.each(Object.entries(EXAMPLES))('has a true entry: %s', async (name, { bytes, code, libdbus: reason }) => {
    const ours = judgeByReference(bytes)
    const [answer] = await libdbus!.ask([bytes])
    expect({ code: ours.code, reason: answer.reason }).toEqual({ code, reason })
    expect(agrees(bytes, answer, ours)).toBe(false)

    const deviation = DEVIATIONS.find((one) => one.name === name)!
    if (deviation.excuses !== undefined) {
      expect(deviation.excuses(bytes, answer, ours)).toBe(true)
      return
    }
    const rewritten = rewriteForLibdbus(bytes)
    expect(rewritten.names).toEqual([name])
    expect(agrees(rewritten.bytes, (await libdbus!.ask([rewritten.bytes]))[0], ours)).toBe(true)
  })

  it('excuses nothing else', async () => {
    const bytes = call({ destination: 'a' })
    const ours = judgeByReference(bytes)
    expect(rewriteForLibdbus(bytes).names).toEqual([])
    expect(DEVIATIONS.some(({ excuses }) => excuses?.(bytes, { verdict: 'ok', reason: '' }, ours))).toBe(false)
  })
})
