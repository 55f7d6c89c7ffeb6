// Lists, dicts and variants that are not what they look like. Each gives a right value or a clear refusal: never a message that says
// something else, never an error from inside the codec.
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { Variant } from '../js/index.ts'
import { ENGINES } from './engines.ts'
import { Probe, WRONG } from './probe.ts'

describe.each(ENGINES)('engine %s', (engine) => {
  const probe = new Probe(engine)

  describe('a list that says a wrong length', () => {
    const lying = (items: unknown[], length: unknown) =>
      new Proxy(items, { get: (target, key) => (key === 'length' ? length : Reflect.get(target, key)) })
    const LISTS: [signature: string, items: unknown[], element: unknown][] = [
      ['as', ['a', 'b', 'c'], 'a'],
      ['ay', [1, 2, 3], 1],
      ['au', [1, 2, 3], 1],
      ['ad', [1, 2, 3], 1],
      ['ab', [true, true, true], true],
      ['a(s)', [['a'], ['b'], ['c']], ['a']],
      ['av', ['a', 'b', 'c'].map((text) => new Variant('s', text)), undefined],
      [
        'a{ss}',
        [
          ['a', 'b'],
          ['c', 'd'],
          ['e', 'f'],
        ],
        undefined,
      ],
    ]

    test.each(LISTS)('is refused: %s', (signature, items) => {
      for (const length of [-1, 2.5, Number.NaN, Number.POSITIVE_INFINITY, '2', null, {}, 2n, Symbol('x')]) {
        expect(probe.outcome(`${signature}s`, [lying(items, length), 'tail']), String(length)).toBe(WRONG)
      }
      for (const length of [4, 2 ** 20]) expect(probe.outcome(`${signature}s`, [lying(items, length), 'tail'])).toBe(WRONG)
      for (const length of [2 ** 32, 2 ** 53]) {
        expect(probe.outcome(`${signature}s`, [lying(items, length), 'tail'])).toBe('ERR_DBUS_ARRAY_TOO_LONG')
      }
      const [list, tail] = probe.outcome(`${signature}s`, [lying(items, 2), 'tail']) as [object, string]
      expect(tail).toBe('tail')
      expect(signature === 'a{ss}' ? Object.keys(list).length : (list as unknown[]).length).toBe(2)
    })

    test('is refused as members of a struct or body', () => {
      for (const length of [-1, 1, 2.5, Number.NaN, 3, '2']) {
        expect(probe.outcome('(ss)', [lying(['a', 'b'], length)])).toBe('ERR_DBUS_VALUE_COUNT')
        expect(probe.outcome('ss', lying(['a', 'b'], length))).toBe('ERR_DBUS_VALUE_COUNT')
      }
    })
  })

  describe('an array', () => {
    test('with holes is refused at the first', () => {
      for (const sparse of [[, 'x'], ['x', , 'x'], new Array(3), new Array(2 ** 25)])
        expect(probe.outcome('as', [sparse])).toBe(WRONG)
      for (const type of 'ybnqiuxtdh') expect(probe.outcome(`a${type}`, [new Array(3)])).toBe(WRONG)
    })

    test('that can only be empty is refused before room for it is made', () => {
      for (const type of 'sybnqiuxtdhv')
        expect(probe.outcome(`a${type}`, [new Array(2 ** 32 - 1)])).toBe('ERR_DBUS_ARRAY_TOO_LONG')
    })

    test('that is frozen, sealed or of a class of its own is written like any other', () => {
      class Own extends Array<string> {}
      for (const array of [Object.freeze(['a', 'b']), Object.seal(['a', 'b']), Own.from(['a', 'b']), new Set(['a', 'b'])]) {
        expect(probe.outcome('as', [array])).toEqual([['a', 'b']])
      }
    })

    test('of another realm is written like any other', () => {
      const foreign = runInNewContext(`({
        list: ['a', 'b'], dict: { a: 'b' }, map: new Map([['a', 'b']]), set: new Set(['a']), bytes: new Uint8Array([1, 2]),
        doubles: new Float64Array([1.5]), bigs: new BigInt64Array([-1n]), bare: Object.assign(Object.create(null), { a: 'b' }),
        variant: { signature: 's', value: 'x' },
      })`)
      expect(
        probe.outcome('asa{ss}a{ss}asayadaxa{ss}v', [
          foreign.list,
          foreign.dict,
          foreign.map,
          foreign.set,
          foreign.bytes,
          foreign.doubles,
          foreign.bigs,
          foreign.bare,
          foreign.variant,
        ]),
      ).toEqual([
        ['a', 'b'],
        { a: 'b' },
        { a: 'b' },
        ['a'],
        new Uint8Array([1, 2]),
        new Float64Array([1.5]),
        new BigInt64Array([-1n]),
        { a: 'b' },
        new Variant('s', 'x'),
      ])
    })
  })

  describe('a dict', () => {
    test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__', 'length', '0', '-1', ''])(
      'keeps the key "%s" as its own, and nothing else learns of it',
      (key) => {
        const dict = Object.defineProperty({}, key, { value: 'mine', enumerable: true, configurable: true, writable: true })
        for (const given of [dict, new Map([[key, 'mine']]), [[key, 'mine']]]) {
          const [made] = probe.outcome('a{ss}', [given]) as [object]
          expect(Object.entries(made)).toEqual([[key, 'mine']])
          expect(Object.getPrototypeOf(made)).toBe(Object.prototype)
        }
        expect(({} as Record<string, unknown>)[key]).not.toBe('mine')
        // More keys than a plain object is made for.
        const many = new Map(Array.from({ length: 100 }, (_, i) => [`k${i}`, 'x']))
        many.set(key, 'mine')
        const [made] = probe.outcome('a{ss}', [many]) as [object]
        expect(Object.getOwnPropertyDescriptor(made, key)?.value).toBe('mine')
        expect(Object.getPrototypeOf(made)).toBe(Object.prototype)
      },
    )

    test('whose value is a polluting object pollutes nothing', () => {
      const inner = new Variant('a{sv}', { polluted: new Variant('s', 'yes') })
      const [made] = probe.outcome('a{sv}', [
        new Map([
          ['__proto__', inner],
          ['constructor', inner],
        ]),
      ]) as [Record<string, unknown>]
      expect((made as { polluted?: unknown }).polluted).toBeUndefined()
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    })

    test('that says a wrong size, or gives no pairs, is refused or written as far as it goes', () => {
      class Sized extends Map<string, string> {
        said: unknown
        override get size() {
          return this.said as number
        }
      }
      for (const said of [-1, 0.5, 5, Number.NaN, 1e9, '1', {}, undefined]) {
        const map = new Sized([
          ['a', 'b'],
          ['c', 'd'],
        ])
        map.said = said
        const result = probe.outcome('a{ss}s', [map, 'tail']) as unknown[]
        expect(result).toHaveLength(2)
        expect(result[1]).toBe('tail')
      }
      for (const entry of [5, null, undefined, 'ab', {}]) {
        class Odd extends Map<string, string> {
          override *[Symbol.iterator]() {
            yield entry as never
            return undefined
          }
        }
        expect(probe.outcome('a{ss}', [new Odd([['a', 'b']])])).toBe(WRONG)
      }
    })

    test('that grows without end while it is written ends', () => {
      const map = new Map<string, unknown>()
      let n = 0
      const growing = () => ({
        signature: 's',
        get value() {
          map.set(`k${n++}`, growing())
          return 'x'
        },
      })
      map.set('first', growing())
      expect(Object.keys((probe.outcome('a{sv}', [map]) as [object])[0])).toEqual(['first'])
    })

    test('that is no dict is refused', () => {
      for (const value of [
        new Date(),
        /x/,
        new Uint8Array(2),
        new WeakMap(),
        () => {},
        new Error('x'),
        'text',
        5,
        null,
        new Variant('s', 'x'),
      ]) {
        expect(probe.outcome('a{ss}', [value])).toBe(WRONG)
      }
      for (const value of [Object.create(Map.prototype), new Proxy(new Map([['a', 'b']]), {})]) {
        expect(probe.outcome('a{ss}', [value])).toMatch(/incompatible receiver|ERR_DBUS_VALUE_TYPE/)
      }
    })
  })

  describe('a Variant', () => {
    test('that contains itself is refused', () => {
      const self: { signature: string; value: unknown } = { signature: 'v', value: undefined }
      self.value = self
      expect(probe.outcome('v', [self])).toBe('ERR_DBUS_DEPTH')
      const signature = `${'a'.repeat(31)}${'('.repeat(31)}v${')'.repeat(31)}`
      const deep: { signature: string; value: unknown } = { signature, value: undefined }
      let value: unknown = deep
      for (let i = 0; i < 62; i++) value = [value]
      deep.value = value
      expect(probe.outcome('v', [deep])).toBe('ERR_DBUS_DEPTH')
      const dict: Record<string, unknown> = {}
      dict.self = new Variant('a{sv}', dict as never)
      expect(probe.outcome('a{sv}', [dict])).toBe('ERR_DBUS_DEPTH')
      const list: unknown[] = []
      list.push(new Variant('av', list as never))
      expect(probe.outcome('av', [list])).toBe('ERR_DBUS_DEPTH')
    })

    test('is written 64 containers deep and no deeper, whatever they are', () => {
      for (const [open, close, wrap] of [
        ['v', '', 1],
        ['(v)', '', 2],
        ['av', '', 2],
        ['a(v)', '', 3],
      ] as const) {
        void close
        const nest = (levels: number): unknown => {
          if (levels < wrap) return new Variant('y', 1 as never)
          const inner = nest(levels - wrap)
          return new Variant(open, (open === 'v' ? inner : open === 'a(v)' ? [[inner]] : [inner]) as never)
        }
        const levels = 63 - (63 % wrap)
        expect(Array.isArray(probe.outcome('v', [nest(levels)])), open).toBe(true)
        expect(probe.outcome('v', [nest(levels + wrap)]), open).toBe('ERR_DBUS_DEPTH')
      }
    })

    test('without a signature of one type is refused', () => {
      for (const signature of ['', 'ss', 'a', '(', 'z', '\0', 'é', 's'.repeat(300), 's\0', 5, null, undefined, Symbol('s'), {}]) {
        const code = probe.outcome('v', [{ signature, value: 'x' }])
        expect(code).toMatch(/^ERR_DBUS_/)
      }
      for (const value of [null, undefined, 5, 'x', [], {}, { signature: 's' }, { value: 5 }, () => {}, Symbol('x')]) {
        expect(probe.outcome('v', [value])).toBe(WRONG)
      }
    })

    test('whose signature changes when it is looked at again is written as one of the two', () => {
      let n = 0
      const changing = {
        get signature() {
          return n++ % 2 === 0 ? 's' : 'u'
        },
        value: 'x',
      }
      expect(['ERR_DBUS_VALUE_TYPE', [new Variant('s', 'x')]]).toContainEqual(probe.outcome('v', [changing]))
    })
  })
})
