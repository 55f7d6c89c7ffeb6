// Texts and numbers that are not what they look like, and proxies of nothing.
import { describe, expect, test } from 'vitest'
import { createCodec, isObjectPath, type MessageInput, Variant } from '../js/index.ts'
import { ENGINES } from './engines.ts'
import { Probe, signal, WRONG } from './probe.ts'

describe.each(ENGINES)('engine %s', (engine) => {
  const probe = new Probe(engine)
  const { codec } = probe

  describe('text', () => {
    test('is written whatever it is made of', () => {
      const rope = Array.from({ length: 3000 }, (_, i) => `piece ${i} é `).reduce((all, piece) => all + piece, '')
      const sliced = `${'x'.repeat(100_000)}end`.slice(99_990)
      const deep = (() => {
        let text = ''
        for (let i = 0; i < 200_000; i++) text = `a${text}`
        return text
      })()
      for (const text of [rope, sliced, deep, '\u{10ffff}'.repeat(2000), '\ufeffbom', 'é'.repeat(40_000)]) {
        expect(probe.outcome('s', [text])).toEqual([text])
        expect(Object.keys((probe.outcome('a{sy}', [{ [text]: 1 }]) as [object])[0])).toEqual([text])
      }
    })

    test('with a lone surrogate or a NUL is refused, wherever it is and however long', () => {
      for (const length of [0, 1, 47, 48, 49, 4095, 4096, 70_000]) {
        for (const [bad, code] of [
          ['\ud800', 'ERR_DBUS_TEXT_SURROGATE'],
          ['\udc00', 'ERR_DBUS_TEXT_SURROGATE'],
          ['\udc00\ud800', 'ERR_DBUS_TEXT_SURROGATE'],
          ['\0', 'ERR_DBUS_TEXT_NUL'],
        ]) {
          for (const text of [bad + 'x'.repeat(length), 'x'.repeat(length) + bad, `${'é'.repeat(length)}${bad}é`]) {
            expect(probe.outcome('s', [text])).toBe(code)
            expect(probe.outcome('a{sv}', [{ [text]: new Variant('s', '') }])).toBe(code)
          }
        }
      }
    })

    test('is a primitive string and nothing that could be made one', () => {
      const objects = [
        new String('x'),
        { toString: () => 'x' },
        ['x'],
        Symbol('x'),
        5,
        null,
        undefined,
        true,
        5n,
        Object.create(null),
      ]
      for (const value of objects) {
        for (const type of 'sog') expect(probe.outcome(type, [value])).toBe(WRONG)
        for (const field of ['path', 'interface', 'member', 'destination', 'sender', 'errorName']) {
          const message = { ...signal('', []), [field]: value } as MessageInput
          if (value === undefined) continue
          expect(() => codec.encode(message)).toThrow(expect.objectContaining({ code: WRONG, path: field }))
        }
      }
    })
  })

  describe('a number', () => {
    const ODD = [
      Symbol('x'),
      '1',
      null,
      undefined,
      [1],
      { valueOf: () => 1 },
      new Number(1),
      true,
      Number.NaN,
      1.5,
      Number.POSITIVE_INFINITY,
      -1e20,
      1e20,
    ]

    test('is a primitive number in range and nothing that could be made one', () => {
      for (const type of 'ynqiuh') {
        for (const value of [...ODD, 1n]) {
          expect(probe.outcome(type, [value])).toMatch(/^ERR_DBUS_VALUE_(TYPE|RANGE)$/)
          expect(probe.outcome(`a${type}`, [[value]])).toMatch(/^ERR_DBUS_VALUE_(TYPE|RANGE)$/)
        }
        expect(probe.outcome(type, [-0])).toEqual([0])
      }
      for (const type of 'xt')
        for (const value of [...ODD, 2n ** 64n, -(2n ** 63n) - 1n])
          expect(probe.outcome(type, [value])).toMatch(/^ERR_DBUS_VALUE_(TYPE|RANGE)$/)
      for (const value of ODD.filter((odd) => typeof odd !== 'number')) expect(probe.outcome('d', [value])).toBe(WRONG)
      for (const value of [0, 1, '', 'true', null, undefined, [], new Boolean(true)])
        expect(probe.outcome('b', [value])).toBe(WRONG)
    })
  })

  describe('a revoked proxy', () => {
    const revoked = (target: object) => {
      const { proxy, revoke } = Proxy.revocable(target, {})
      revoke()
      return proxy
    }

    test.each(['s', 'u', 'x', 'd', 'b', 'v', 'as', 'ay', 'ad', 'a{sv}', '(s)', 'o', 'g', 'h'])(
      'is refused as %s',
      (signature) => {
        for (const target of [[], {}, () => {}]) {
          expect(probe.outcome(signature, [revoked(target)])).toMatch(/revoked|ERR_DBUS_VALUE_TYPE/)
        }
      },
    )

    test('is refused as body, message, bytes or options', () => {
      expect(probe.outcome('s', revoked([]))).toMatch(/revoked/)
      for (const call of [
        () => codec.encode(revoked({}) as never),
        () => codec.decode(revoked(new Uint8Array(3)) as never),
        () => codec.validate(revoked(new Uint8Array(3)) as never),
        () => codec.swap(revoked(new Uint8Array(3)) as never),
        () => codec.encodeInto(probe.known, revoked(new Uint8Array(3)) as never),
        () => codec.prepare(revoked({}) as never),
        () => createCodec(revoked({}) as never),
        () => codec.decode(new Uint8Array(0), revoked({}) as never),
      ]) {
        expect(call).toThrow(TypeError)
      }
      probe.check()
    })
  })
})

test('an object path is checked however long it is', () => {
  for (const count of [1, 40_000, 10_000_000]) {
    const path = '/a'.repeat(count)
    expect(isObjectPath(path)).toBe(true)
    for (const wrong of [`${path}/`, `${path}//a`, `${path}-`, `a${path}`, `${path}é`]) expect(isObjectPath(wrong)).toBe(false)
  }
})
