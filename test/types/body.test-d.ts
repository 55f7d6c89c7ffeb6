import { describe, expectTypeOf, it } from 'vitest'
import type { BodyOf, DefaultShape, HandedOver, ShapeOptions, ValueOf, Variant } from '../../js/types.ts'

describe('BodyOf', () => {
  it('gives each basic type its JavaScript type', () => {
    expectTypeOf<BodyOf<'ybnqiuxtdsogh'>>().toEqualTypeOf<
      [number, boolean, number, number, number, number, bigint, bigint, number, string, string, string, number]
    >()
    expectTypeOf<BodyOf<'v'>>().toEqualTypeOf<[Variant]>()
    expectTypeOf<BodyOf<''>>().toEqualTypeOf<[]>()
  })

  it('gives arrays of fixed-size numbers as typed arrays, booleans and all others as arrays', () => {
    expectTypeOf<BodyOf<'ayanaqaiauaxatadah'>>().toEqualTypeOf<
      [Uint8Array, Int16Array, Uint16Array, Int32Array, Uint32Array, BigInt64Array, BigUint64Array, Float64Array, Uint32Array]
    >()
    expectTypeOf<BodyOf<'abasaoagavaayaasa(y)'>>().toEqualTypeOf<
      [boolean[], string[], string[], string[], Variant[], Uint8Array[], string[][], [number][]]
    >()
  })

  it('gives structs as tuples', () => {
    expectTypeOf<BodyOf<'(s(ib))a(oayx)'>>().toEqualTypeOf<[[string, [number, boolean]], [string, Uint8Array, bigint][]]>()
  })

  it('gives dicts as objects for text keys, as Maps for others', () => {
    expectTypeOf<BodyOf<'a{sv}a{ou}a{gs}'>>().toEqualTypeOf<
      [{ [key: string]: Variant }, { [key: string]: number }, { [key: string]: string }]
    >()
    expectTypeOf<BodyOf<'a{us}a{xs}a{bs}a{ys}a{da{sv}}'>>().toEqualTypeOf<
      [
        Map<number, string>,
        Map<bigint, string>,
        Map<boolean, string>,
        Map<number, string>,
        Map<number, { [key: string]: Variant }>,
      ]
    >()
    expectTypeOf<BodyOf<'aa{oa{sa{sv}}}'>>().toEqualTypeOf<[{ [key: string]: { [key: string]: { [key: string]: Variant } } }[]]>()
  })

  it('follows the options of the codec', () => {
    expectTypeOf<BodyOf<'xtaxa{tx}', { int64: 'number' }>>().toEqualTypeOf<[number, number, number[], Map<number, number>]>()
    expectTypeOf<BodyOf<'a{su}a{us}', { dict: 'map' }>>().toEqualTypeOf<[Map<string, number>, Map<number, string>]>()
    expectTypeOf<BodyOf<'a{su}a{us}', { dict: 'pairs' }>>().toEqualTypeOf<[[string, number][], [number, string][]]>()
    expectTypeOf<BodyOf<'auaxat', { int64: 'number' }>>().toEqualTypeOf<[Uint32Array, number[], number[]]>()
    expectTypeOf<BodyOf<'va{sv}', { variant: 'unwrap' }>>().toEqualTypeOf<[unknown, { [key: string]: unknown }]>()
    expectTypeOf<BodyOf<'ayadaxah', { arrays: 'plain' }>>().toEqualTypeOf<[Uint8Array, number[], bigint[], number[]]>()
    expectTypeOf<BodyOf<'ax', { arrays: 'plain'; int64: 'number' }>>().toEqualTypeOf<[number[]]>()
  })

  it('takes options left out for the default, and options not known for either', () => {
    expectTypeOf<BodyOf<'xva{sv}ad', {}>>().toEqualTypeOf<BodyOf<'xva{sv}ad'>>()
    expectTypeOf<BodyOf<'x', { int64?: undefined }>>().toEqualTypeOf<[bigint]>()
    expectTypeOf<BodyOf<'xa{ss}auayas', ShapeOptions>>().toEqualTypeOf<
      [
        number | bigint,
        { [key: string]: string } | Map<string, string> | [string, string][],
        number[] | Uint32Array,
        Uint8Array,
        string[],
      ]
    >()
  })

  it('gives h the type of the descriptors that are handed over', () => {
    interface Handle {
      close(): void
    }
    expectTypeOf<BodyOf<'hahauv', DefaultShape & HandedOver<Handle>>>().toEqualTypeOf<[Handle, Handle[], Uint32Array, Variant]>()
    expectTypeOf<BodyOf<'h', HandedOver>>().toEqualTypeOf<[unknown]>()
  })

  it('gives unknown[] for what is not known until run time', () => {
    expectTypeOf<BodyOf<string>>().toEqualTypeOf<unknown[]>()
    expectTypeOf<BodyOf<`a${string}`>>().toEqualTypeOf<unknown[]>()
    expectTypeOf<BodyOf<`s${'i' | 'u'}`>>().toEqualTypeOf<[string, number]>()
    expectTypeOf<BodyOf<'s' | 'u'>>().toEqualTypeOf<[string] | [number]>()
  })
})

describe('ValueOf', () => {
  it('gives the value of one complete type', () => {
    expectTypeOf<ValueOf<'s'>>().toEqualTypeOf<string>()
    expectTypeOf<ValueOf<'a{sv}'>>().toEqualTypeOf<{ [key: string]: Variant }>()
    expectTypeOf<ValueOf<'(xs)', { int64: 'number' }>>().toEqualTypeOf<[number, string]>()
    expectTypeOf<ValueOf<string>>().toEqualTypeOf<unknown>()
    expectTypeOf<ValueOf<`a${string}`>>().toEqualTypeOf<unknown>()
    expectTypeOf<Variant<'au'>['value']>().toEqualTypeOf<Uint32Array>()
    expectTypeOf<Variant['value']>().toEqualTypeOf<unknown>()
  })
})
