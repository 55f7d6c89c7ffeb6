// What goes on round a call: prototypes that an app has changed, user code that throws, a stack that is full, calls inside calls.
import { runInNewContext } from 'node:vm'
import { describe, expect, test, vi } from 'vitest'
import { createCodec, Variant } from '../js/index.ts'
import { ENGINES } from './engines.ts'
import { hexOf } from './messages.ts'
import { HEADER, Probe, signal } from './probe.ts'
import { referenceEncode } from './reference/index.ts'

describe.each(ENGINES)('engine %s', (engine) => {
  const probe = new Probe(engine)
  const { codec } = probe

  describe('an app that has changed Object.prototype', () => {
    // A child of its own: neither can be undone.
    const NAMES = [
      'key',
      'polluted',
      'signature',
      'value',
      'type',
      'get',
      'set',
      'path',
      'body',
      'detail',
      'offset',
      'fault',
      'number',
      'generation',
      'p',
      'bytes',
      'text',
      'validation',
      'maxValues',
      'fds',
      'byteOrder',
      'int64',
      'code',
      'element',
    ]
    const wire = referenceEncode(HEADER as never, 'a{sv}s', [
      [
        'a',
        '{sv}',
        ['key', 'toString', 'constructor', '__proto__', 'get', 'value'].map(
          (key) => ['{', ['s', key], ['v', 's', ['s', 'x']]] as never,
        ),
      ],
      ['s', 'q'],
    ])

    function under(change: () => () => void, body: () => void): void {
      const undo = change()
      try {
        body()
      } finally {
        undo()
      }
    }

    function accessors(values: Record<string, unknown>) {
      return () => {
        for (const name of NAMES) {
          const descriptor = { __proto__: null, configurable: true, get: () => values[name], set: () => {} }
          Object.defineProperty(Object.prototype, name, descriptor as PropertyDescriptor)
        }
        return () => {
          for (const name of NAMES) delete (Object.prototype as Record<string, unknown>)[name]
        }
      }
    }

    test.each([
      ['setters that keep nothing', Object.create(null)],
      [
        'values of its own',
        Object.assign(Object.create(null), Object.fromEntries(NAMES.map((name) => [name, () => 'polluted']))),
      ],
    ])('gets right values all the same: %s', (_, values) => {
      let made: ReturnType<typeof codec.decode> | undefined
      let bytes: Uint8Array | undefined
      let code: unknown
      let path: unknown
      let refused: unknown
      under(accessors(values), () => {
        made = codec.decode(wire)
        bytes = codec.encode(probe.known)
        try {
          codec.decode(wire.subarray(0, 30))
        } catch (error) {
          code = (error as { code: string }).code
        }
        try {
          codec.encode(signal('u', ['x']))
        } catch (error) {
          refused = (error as { code: string }).code
          path = (error as { path: string }).path
        }
      })
      expect(Object.keys(made?.body[0] as object)).toEqual(['key', 'toString', 'constructor', '__proto__', 'get', 'value'])
      expect(Object.values(made?.body[0] as object)).toEqual(Array(6).fill(new Variant('s', 'x')))
      expect(made?.body[1]).toBe('q')
      expect(Object.keys(made ?? {})).toHaveLength(13)
      expect(hexOf(bytes as Uint8Array)).toBe(hexOf(probe.bytes))
      expect([code, refused, path]).toEqual(['ERR_DBUS_INCOMPLETE', 'ERR_DBUS_VALUE_TYPE', 'body[0]'])
    })

    test('does not turn validation off for a codec without options', () => {
      const bad = referenceEncode(HEADER as never, 'b', [['b', true]] as never).slice()
      bad[bad.length - 4] = 2
      let valid: boolean | undefined
      under(
        () => {
          Object.defineProperty(Object.prototype, 'validation', { value: 'structure', configurable: true })
          return () => delete (Object.prototype as { validation?: string }).validation
        },
        () => {
          valid = createCodec().validate(bad).valid
        },
      )
      expect(valid).toBe(false)
    })

    test('by freezing it gets keys that its methods have', () => {
      // What freezing does to assignment, without freezing this process: a property that cannot be written.
      const names = ['frozen', 'toString2']
      for (const name of names) Object.defineProperty(Object.prototype, name, { value: 1, writable: false, configurable: true })
      try {
        const made = codec.decode(codec.encode(signal('a{ss}', [new Map(names.map((name) => [name, 'x']))]))).body[0]
        expect(Object.entries(made as object)).toEqual(names.map((name) => [name, 'x']))
      } finally {
        for (const name of names) delete (Object.prototype as Record<string, unknown>)[name]
      }
    })
  })

  test('what a getter, a proxy or an iterator throws comes out as it is, and the codec is usable', () => {
    for (const thrown of [new Error('mine'), runInNewContext('new Error("foreign")'), 'a string', null, undefined, 0]) {
      const throwing = () => {
        throw thrown
      }
      const bodies: [string, unknown][] = [
        ['a{ss}', Object.defineProperty({}, 'a', { enumerable: true, get: throwing })],
        ['a{ss}', new Proxy({}, { ownKeys: throwing })],
        ['a{ss}', new Proxy({}, { getPrototypeOf: throwing })],
        ['as', new Proxy(['a'], { get: throwing })],
        ['as', { [Symbol.iterator]: throwing }],
        ['v', Object.defineProperty({}, 'signature', { get: throwing })],
        ['v', Object.defineProperty({ signature: 's' }, 'value', { get: throwing })],
        ['(s)', new Proxy(['a'], { get: throwing })],
        ['au', Object.defineProperty([1, 2], 1, { get: throwing })],
      ]
      for (const [signature, value] of bodies) {
        let caught: unknown = bodies
        try {
          codec.encode(signal(`s${signature}`, ['x', value]))
        } catch (error) {
          caught = error
        }
        expect(caught).toBe(thrown)
        probe.check()
      }
    }
  })

  test('a stack that is full leaves the codec as it was', () => {
    const { bytes } = probe
    const before = vi.spyOn(Math, 'random')
    const fall = (call: () => unknown): void => {
      call()
      fall(call)
    }
    const at = (depth: number, call: () => unknown): void => {
      if (depth > 0) return at(depth - 1, call)
      try {
        fall(call)
      } catch {
        // Whatever it was: what counts is what comes after.
      }
    }
    for (let depth = 0; depth < 12; depth++) {
      at(depth, () => codec.decode(bytes))
      at(depth, () => codec.encode(probe.known))
      at(depth, () => codec.swap(bytes))
    }
    probe.check()
    // An instance draws a seed when it is made: no new one was needed, so that none was lost.
    expect(before.mock.calls.length).toBeLessThanOrEqual(1)
    before.mockRestore()
  })

  test('calls inside calls end in a clear error when there are too many', () => {
    const nested = (depth: number): unknown => ({
      get k() {
        return depth === 0 ? 'x' : hexOf(codec.encode(signal('a{ss}', [nested(depth - 1)])))
      },
    })
    expect(() => codec.encode(signal('a{ss}', [nested(15)]))).not.toThrow()
    expect(() => codec.encode(signal('a{ss}', [nested(16)]))).toThrow('more than 16 calls inside one another')
    probe.check()
  })

  test('messages of the wrong kind are refused by name', () => {
    for (const message of [null, undefined, 5, 'x', true, Symbol('x')])
      expect(() => codec.encode(message as never)).toThrow('a message must be an object')
    for (const signature of [5, null, {}, Symbol('s'), ['s']]) {
      if (signature === null) continue
      expect(() => codec.encode({ ...HEADER, signature, body: ['x'] } as never)).toThrow('the signature must be a string')
    }
    for (const bytes of [
      null,
      undefined,
      5,
      'x',
      [],
      {},
      new ArrayBuffer(20),
      new DataView(new ArrayBuffer(20)),
      new Int8Array(20),
      new Uint8ClampedArray(20),
    ]) {
      for (const call of ['decode', 'validate', 'decodeHeader', 'swap', 'messageLength'] as const) {
        expect(() => codec[call](bytes as never), call).toThrow('must be a Uint8Array')
      }
    }
  })
})
