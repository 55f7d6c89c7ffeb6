import { assertType, describe, expectTypeOf, it } from 'vitest'
import type { BodyOf, InputBodyOf, InputOf, Message, MessageInput, Variant } from '../../js/types.ts'

// What a codec's methods look like to the type checker.
declare function marshal<S extends string>(signature: S, values: InputBodyOf<S>): Uint8Array
declare function encode<S extends string>(message: MessageInput<S>): Uint8Array
declare function decode<S extends string = string>(bytes: Uint8Array): Message<S>
declare const bytes: Uint8Array
declare const variant: Variant

describe('InputBodyOf', () => {
  it('accepts numbers and bigints for 64-bit types', () => {
    marshal('xt', [1, 2n])
    marshal('axat', [[1, 2n], new BigInt64Array(1)])
    // @ts-expect-error a 32-bit type is a number
    marshal('u', [1n])
  })

  it('accepts plain and typed arrays for arrays of numbers, bytes for ay', () => {
    marshal('adauai', [[1.5], new Uint32Array(1), new Int8Array(1)])
    marshal('ayaay', [new Uint8Array(1), [Buffer.from('text'), [1, 2, 255]]])
    marshal('ab', [[true, false]])
    // @ts-expect-error a string is no array of bytes
    marshal('ay', ['text'])
    // @ts-expect-error nor one of numbers
    marshal('au', ['text'])
  })

  it('accepts objects, Maps and pairs for dicts, whatever the key', () => {
    marshal('a{su}', [{ a: 1 }])
    marshal('a{su}', [new Map([['a', 1]])])
    marshal('a{su}', [[['a', 1]]])
    marshal('a{us}', [{ 1: 'a' }])
    marshal('a{us}', [new Map([[1, 'a']])])
    marshal('a{tx}', [new Map<bigint, number>([[1n, 1]])])
    marshal('a{sa{sv}}', [{ a: { b: { signature: 's', value: 'c' } } }])
    // @ts-expect-error a value of the wrong type
    marshal('a{su}', [{ a: 'b' }])
    // @ts-expect-error a key of the wrong type
    marshal('a{us}', [new Map([['a', 'b']])])
  })

  it('accepts a Variant or what looks like one for v', () => {
    marshal('vv', [variant, { signature: 's', value: 'text' }])
    // @ts-expect-error a bare value does not say its type
    marshal('v', ['text'])
  })

  it('accepts read-only values', () => {
    const values = [
      ['a', 1],
      ['b', 2],
    ] as const
    marshal('a(su)', [values])
    marshal('a(su)', [values] as const)
  })

  it('wants as many values as there are types', () => {
    marshal('', [])
    // @ts-expect-error one too few
    marshal('su', ['text'])
    // @ts-expect-error one too many
    marshal('s', ['text', 1])
    // @ts-expect-error one too few in a struct
    marshal('(su)', [['text']])
  })

  it('accepts anything for a signature not known until run time', () => {
    const signature: string = 's'
    marshal(signature, [1, 'text', null])
    expectTypeOf<InputBodyOf<string>>().toEqualTypeOf<readonly unknown[]>()
    expectTypeOf<InputOf<string>>().toEqualTypeOf<unknown>()
    expectTypeOf<InputOf<'as'>>().toEqualTypeOf<readonly string[]>()
  })

  it('accepts what decoding gives, with any options', () => {
    type All = 'ybnqiuxtdsoghvayanaqaiauaxatadahabasava(sv)a{sv}a{us}a{xt}a{o(ayas)}aa{sa{sv}}'
    type Accepted = InputBodyOf<All>
    assertType<Accepted>(decode<All>(bytes).body)
    assertType<Accepted>({} as BodyOf<All, { int64: 'number' }>)
    assertType<Accepted>({} as BodyOf<All, { dict: 'map' }>)
    assertType<Accepted>({} as BodyOf<All, { arrays: 'plain' }>)
    assertType<Accepted>({} as BodyOf<All, { dict: 'pairs' }>)
    assertType<Accepted>({} as BodyOf<All, { arrays: 'plain'; int64: 'number'; dict: 'map' }>)
  })
})

describe('Message and MessageInput', () => {
  it('types the body from the signature', () => {
    expectTypeOf<Message<'su'>['body']>().toEqualTypeOf<[string, number]>()
    expectTypeOf<Message['body']>().toEqualTypeOf<unknown[]>()
    expectTypeOf<Message<'x', { int64: 'number' }>['body']>().toEqualTypeOf<[number]>()
    encode({ type: 4, serial: 1, path: '/', interface: 'a.b', member: 'C', signature: 'su', body: ['text', 1] })
    // @ts-expect-error the second value is a u
    encode({ type: 4, serial: 1, signature: 'su', body: ['text', 'text'] })
  })

  it('wants type and serial, and nothing else', () => {
    encode({ type: 1, serial: 1 })
    encode({ type: 1, serial: 1, flags: undefined, path: undefined, signature: undefined, body: undefined })
    // @ts-expect-error no serial
    encode({ type: 1 })
    // @ts-expect-error no such field
    encode({ type: 1, serial: 1, errorname: 'a.b' })
  })

  it('accepts a decoded message', () => {
    encode(decode(bytes))
    encode(decode<'sa{sv}as'>(bytes))
    encode({ ...decode<'su'>(bytes), body: ['text', 2] })
  })

  it('has every header field in a decoded message, absent ones as undefined', () => {
    expectTypeOf<Pick<Message, 'path' | 'replySerial' | 'unixFds'>>().toEqualTypeOf<{
      path: string | undefined
      replySerial: number | undefined
      unixFds: number | undefined
    }>()
  })
})
