// Many messages in one call: what comes out is what the calls for one message make, errors name the message.
import { describe, expect, test } from 'vitest'
import { createCodec, type DBusCodecError, type Message, type MessageInput, Variant } from '../js/index.ts'
import { corpusBytes, corpusDirectories, corpusRecords } from './corpus.ts'
import { ENGINES } from './engines.ts'

const HEADER = { type: 4, path: '/a', interface: 'a.b', member: 'M' } as const

function thrown(call: () => unknown): DBusCodecError {
  try {
    call()
  } catch (error) {
    return error as DBusCodecError
  }
  throw new Error('nothing was thrown')
}

describe.each(ENGINES)('engine %s', (engine) => {
  const codec = createCodec({ engine })
  const captured = corpusRecords(corpusDirectories()[0], 'capture-types').map(corpusBytes)

  test('encodeMany makes the bytes that encode makes, one after the other', () => {
    const messages: MessageInput[] = captured.map((bytes) => codec.decode(bytes) as MessageInput)
    messages.push(
      { ...HEADER, serial: 1, signature: 'ay', body: [new Uint8Array(70_000).fill(7)] },
      { ...HEADER, serial: 2, signature: 's', body: ['é'.repeat(5000)] },
      { ...HEADER, serial: 3 },
    )
    for (const byteOrder of ['little', 'big'] as const) {
      const each = messages.map((message) => codec.encode(message, { byteOrder }))
      expect(Buffer.compare(codec.encodeMany(messages, { byteOrder }), Buffer.concat(each))).toBe(0)
    }
    expect(codec.encodeMany([])).toEqual(new Uint8Array(0))
  })

  test('decodeMany gives what decode gives, and leaves the start of a message', () => {
    const chunk = Buffer.concat([...captured, captured[0].subarray(0, 40)])
    const got: Message[] = []
    const offsets: number[] = []
    const taken = codec.decodeMany(chunk, (message, offset) => {
      got.push(message)
      offsets.push(offset)
    })
    expect(got).toEqual(captured.map((bytes) => codec.decode(bytes)))
    expect(offsets).toEqual(captured.map((_, i) => captured.slice(0, i).reduce((sum, { length }) => sum + length, 0)))
    expect(taken).toBe(chunk.length - 40)
    expect(codec.decodeMany(chunk.subarray(taken), () => expect.unreachable())).toBe(0)
    expect(codec.decodeMany(new Uint8Array(0), () => expect.unreachable())).toBe(0)
  })

  test('the error names the message that cannot be written', () => {
    const good = { ...HEADER, serial: 1, signature: 'n', body: [1] }
    const error = thrown(() => codec.encodeMany([good, good, { ...good, body: [70_000] }]))
    expect(error).toMatchObject({ code: 'ERR_DBUS_VALUE_RANGE', path: 'messages[2].body[0]', signature: 'n' })
    expect(error.message).toContain('70000')
    expect(thrown(() => codec.encodeMany([good, { ...good, member: '1' }]))).toMatchObject({
      code: 'ERR_DBUS_MEMBER',
      path: 'messages[1].member',
    })
    expect(codec.decode(codec.encodeMany([good])).body).toEqual([1])
    expect(() => codec.encodeMany([good, null as never])).toThrow(TypeError)
    expect(() => codec.encodeMany('no array' as never)).toThrow(TypeError)
  })

  test('messages before a wrong one are received; its fault counts from the start of the bytes', () => {
    const good = codec.encode({ ...HEADER, serial: 1, signature: 's', body: ['x'] })
    const bad = good.slice()
    bad[bad.length - 1] = 1
    let received = 0
    const error = thrown(() => codec.decodeMany(Buffer.concat([good, good, bad, good]), () => received++))
    expect(received).toBe(2)
    expect(error).toMatchObject({ code: 'ERR_DBUS_STRING_NUL', offset: 3 * good.length - 1 })
    const claim = good.slice()
    claim.set([0xff, 0xff, 0xff, 0xff], 4)
    expect(thrown(() => codec.decodeMany(Buffer.concat([good, claim]), () => {}))).toMatchObject({
      code: 'ERR_DBUS_BODY_LENGTH',
      offset: good.length + 4,
    })
    expect(() => codec.decodeMany(good, undefined as never)).toThrow(TypeError)
    expect(() => codec.decodeMany([] as never, () => {})).toThrow(TypeError)
  })

  test('both can be called from inside one another, and what receive throws comes out', () => {
    const inner = { ...HEADER, serial: 2, signature: 'v', body: [new Variant('u', 5)] }
    const outer = {
      ...HEADER,
      serial: 1,
      get body() {
        return [codec.encodeMany([inner, inner]).length]
      },
      signature: 'u',
    }
    const bytes = codec.encodeMany([outer, inner])
    const seen: unknown[] = []
    codec.decodeMany(bytes, (message) => {
      codec.decodeMany(bytes, (other) => seen.push(other.serial))
      seen.push(message.body[0])
    })
    expect(seen).toEqual([1, 2, 2 * codec.encode(inner).length, 1, 2, new Variant('u', 5)])
    const own = new Error('own')
    expect(
      thrown(() =>
        codec.decodeMany(bytes, () => {
          throw own
        }),
      ),
    ).toBe(own)
  })

  test('what is joined has no bytes of anyone else behind it', () => {
    for (const length of [0, 10, 2100, 5000, 70_000]) {
      const message = { ...HEADER, serial: 1, signature: 'ay', body: [new Uint8Array(length)] } as const
      const bytes = codec.encodeMany([message, message])
      const left = new Uint8Array(bytes.buffer, bytes.byteOffset + bytes.length)
      if (bytes.length > 4096) expect(left.length).toBe(0)
      else expect(left.every((byte) => byte === 0)).toBe(true)
    }
  })

  test('bytes that the receiver detaches or makes fewer are its own fault', () => {
    const message = { ...HEADER, serial: 1, signature: 's', body: ['x'] } as const
    const detached = new Uint8Array(codec.encodeMany([message, message]))
    const call = () => codec.decodeMany(detached, () => void structuredClone(detached, { transfer: [detached.buffer] }))
    expect(call).toThrow(TypeError)
    const buffer = new (
      ArrayBuffer as unknown as new (
        length: number,
        options: object,
      ) => ArrayBuffer & { resize(n: number): void }
    )(detached.length || 400, { maxByteLength: 400 })
    const shrinking = new Uint8Array(buffer)
    shrinking.set(codec.encodeMany([message, message]).subarray(0, shrinking.length))
    expect(() => codec.decodeMany(shrinking, () => buffer.resize(16))).toThrow(TypeError)
  })

  test("an error of another call's, thrown by a getter, comes out as it is", () => {
    const inner = () => codec.marshal('u', ['bad' as never])
    const message = {
      ...HEADER,
      serial: 1,
      signature: 's',
      get body() {
        return [String(inner())]
      },
    }
    expect(thrown(() => codec.encodeMany([message])).path).toBe(thrown(inner).path)
    const other = createCodec({ engine, shape: { makeVariant: () => inner() } })
    const bytes = codec.encode({ ...HEADER, serial: 1, signature: 'v', body: [new Variant('y', 1)] })
    const error = thrown(() => other.decodeMany(Buffer.concat([bytes, bytes]), () => {}))
    expect(error).toMatchObject({ path: thrown(inner).path, offset: undefined })
  })

  test('a list that says no length is none', () => {
    for (const length of [Number.NaN, -1, null, 1.5, Number.POSITIVE_INFINITY]) {
      const list = new Proxy([], { get: (target, name) => (name === 'length' ? length : Reflect.get(target, name)) })
      expect(() => codec.encodeMany(list)).toThrow(TypeError)
    }
  })

  test('a getter that adds messages does not keep encodeMany for ever', () => {
    const messages: MessageInput[] = []
    const endless = () => ({
      ...HEADER,
      serial: 1,
      get body() {
        messages.push(endless())
        return []
      },
    })
    messages.push(endless())
    expect(codec.decode(codec.encodeMany(messages)).serial).toBe(1)
  })
})
