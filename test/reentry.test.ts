// User code runs in the middle of an encode: getters, proxies, iterators. It may encode, decode, throw or change what is written.
import { describe, expect, test } from 'vitest'
import { createCodec, isDBusCodecError, type MessageInput, Variant } from '../js/index.ts'
import { ENGINES } from './engines.ts'
import { hexOf } from './messages.ts'

const signal = (signature: string, body: unknown[]): MessageInput => ({
  type: 4,
  serial: 1,
  path: '/a',
  interface: 'a.b',
  member: 'M',
  signature,
  body,
})

describe.each(ENGINES)('engine %s', (engine) => {
  const codec = createCodec({ engine })
  const other = createCodec({ engine, dict: 'map' })
  const plain = { before: 'x'.repeat(100), k: 'inner', after: new Uint8Array(5000).fill(7) }
  const SIGNATURE = 'a{sv}as'
  const list = ['one', 'two', 'x'.repeat(5000)]
  const variants = (k: unknown) => ({
    before: new Variant('s', plain.before),
    get k() {
      return new Variant('s', typeof k === 'function' ? k() : k)
    },
    after: new Variant('ay', plain.after),
  })
  const expected = hexOf(codec.encode(signal(SIGNATURE, [variants('inner'), list])))

  const INNER: [string, () => unknown][] = [
    ['encodes', () => codec.encode(signal('sau', ['inner message', [1, 2, 3]]))],
    ['encodes something large', () => codec.encode(signal('as', [Array(20_000).fill('large')]))],
    ['encodes on another codec', () => other.encode(signal('a{ss}', [new Map([['a', 'b']])]))],
    ['decodes', () => codec.decode(codec.encode(signal('a{sv}', [{ a: new Variant('u', 1) }])))],
    ['validates', () => codec.validate(Buffer.from(expected, 'hex'))],
    ['swaps', () => codec.swap(Buffer.from(expected, 'hex'))],
    ['marshals', () => codec.marshal('a(sv)', [[['a', new Variant('d', 1.5)]]])],
    [
      'fills the cache of signatures',
      () => {
        for (let i = 1; i < 3000; i++) {
          const signature: string = `(${'y'.repeat(i % 240)}u${'s'.repeat(i % 7)})`
          codec.marshal(signature, [[...Array(i % 240).fill(1), 2, ...Array(i % 7).fill('')]])
        }
      },
    ],
    [
      'fills the cache of texts',
      () => {
        codec.decode(codec.encode(signal('as', [Array.from({ length: 5000 }, (_, i) => `text${i}`)])))
      },
    ],
    [
      'is refused an encode',
      () => {
        expect(() => codec.encode(signal('u', ['no number']))).toThrow()
      },
    ],
  ]

  test.each(INNER)('writes the same when a getter %s', (_, inner) => {
    const body = [
      variants(() => {
        inner()
        return 'inner'
      }),
      list,
    ]
    expect(hexOf(codec.encode(signal(SIGNATURE, body)))).toBe(expected)
  })

  test('writes the same when getters nest', () => {
    const nested = (depth: number): unknown =>
      variants(() => {
        if (depth > 0) expect(hexOf(codec.encode(signal(SIGNATURE, [nested(depth - 1), list])))).toBe(expected)
        return 'inner'
      })
    expect(hexOf(codec.encode(signal(SIGNATURE, [nested(10), list])))).toBe(expected)
  })

  test('gives on what a getter throws, and is usable afterwards', () => {
    const failure = new Error('mine')
    const body = [
      variants(() => {
        throw failure
      }),
      list,
    ]
    for (let i = 0; i < 100; i++) {
      let thrown: unknown
      try {
        codec.encode(signal(SIGNATURE, body))
      } catch (error) {
        thrown = error
      }
      expect(thrown === failure || (isDBusCodecError(thrown) && thrown.cause === failure)).toBe(true)
      expect(hexOf(codec.encode(signal(SIGNATURE, [variants('inner'), list])))).toBe(expected)
    }
  })

  test('is usable after an encode that was refused half-way', () => {
    for (let i = 0; i < 100; i++) {
      expect(() => codec.encode(signal(SIGNATURE, [variants('inner'), [...list, i]]))).toThrow('body[1][3]')
      expect(hexOf(codec.encode(signal(SIGNATURE, [variants('inner'), list])))).toBe(expected)
    }
  })

  test('writes something valid or refuses when values change while they are written', () => {
    const items: string[] = ['a', 'b', 'c']
    const changes: [string, () => void][] = [
      ['grow', () => items.push('d', 'e')],
      ['shrink', () => items.splice(1)],
      ['empty', () => items.splice(0)],
      ['turn', () => items.splice(0, 1, 5 as never)],
    ]
    for (const [, change] of changes) {
      items.splice(0, items.length, 'a', 'b', 'c')
      const first = {
        get k() {
          change()
          return 'v'
        },
      }
      attempt(signal('a{ss}as', [first, items]))
      items.splice(0, items.length, 'a', 'b', 'c')
      let changing = false
      Object.defineProperty(items, '1', {
        configurable: true,
        enumerable: true,
        get() {
          if (!changing) {
            changing = true
            change()
          }
          return 'getter'
        },
      })
      try {
        attempt(signal('as', [items]))
      } finally {
        Object.defineProperty(items, '1', { configurable: true, enumerable: true, writable: true, value: 'b' })
      }
    }
  })

  test('writes something valid or refuses when an object changes its keys while it is written', () => {
    const dict: Record<string, unknown> = {}
    Object.defineProperty(dict, 'a', {
      enumerable: true,
      get() {
        delete dict.b
        dict.c = 'new'
        return 'x'
      },
    })
    dict.b = 'y'
    attempt(signal('a{ss}', [dict]))
    const map = new Map<string, unknown>()
    map.set('a', {
      signature: 's',
      get value() {
        map.delete('b')
        map.set('c', new Variant('s', 'new'))
        return 'x'
      },
    })
    map.set('b', new Variant('u', 1))
    attempt(signal('a{sv}', [map]))
  })

  test('writes something valid or refuses when bytes shrink or change while they are written', () => {
    const buffer = new ArrayBuffer(100_000, { maxByteLength: 100_000 } as never)
    const bytes = new Uint8Array(buffer)
    const shrink = () => (buffer as unknown as { resize(length: number): void }).resize(10)
    if (!('resize' in buffer)) return
    attempt(
      signal('aya{sv}', [
        bytes,
        {
          get k() {
            shrink()
            return new Variant('s', 'v')
          },
        },
      ]),
    )
  })

  test('takes getters of the message itself', () => {
    const message = {
      ...signal('s', ['x']),
      get path() {
        codec.encode(signal('as', [['inner']]))
        return '/a'
      },
      get member() {
        codec.decode(codec.encode(signal('as', [['inner']])))
        return 'M'
      },
    }
    expect(hexOf(codec.encode(message))).toBe(hexOf(codec.encode(signal('s', ['x']))))
  })

  function attempt(message: MessageInput): void {
    let bytes: Uint8Array
    try {
      bytes = codec.encode(message)
    } catch (error) {
      expect(isDBusCodecError(error), String(error)).toBe(true)
      return
    }
    expect(codec.validate(bytes)).toEqual({ valid: true })
  }
})
