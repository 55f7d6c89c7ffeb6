import { describe, expectTypeOf, it } from 'vitest'
import type { BodyOf, CheckedSignature, InputBodyOf, InputOf, SignatureError, ValueOf } from '../../js/types.ts'

declare function marshal<S extends string>(signature: S, values: InputBodyOf<S>): Uint8Array
declare function check<S extends string>(signature: S & CheckedSignature<S>): void

type Fault<S extends string> = BodyOf<S> extends SignatureError<infer M> ? M : never

describe('SignatureError', () => {
  it('says what is wrong, and in which signature', () => {
    expectTypeOf<BodyOf<'az'>>().toEqualTypeOf<SignatureError<'"z" is no type code, in "az"'>>()
    expectTypeOf<Fault<'s s'>>().toEqualTypeOf<'" " is no type code, in "s s"'>()
    expectTypeOf<Fault<'(s'>>().toEqualTypeOf<'a "(" that is not closed, in "(s"'>()
    expectTypeOf<Fault<'a{s'>>().toEqualTypeOf<'a "{" that is not closed, in "a{s"'>()
    expectTypeOf<Fault<'s)'>>().toEqualTypeOf<'a ")" that closes no struct, in "s)"'>()
    expectTypeOf<Fault<'s}'>>().toEqualTypeOf<'a "}" that closes no dict entry, in "s}"'>()
    expectTypeOf<Fault<'(a{sv)}'>>().toEqualTypeOf<'a ")" that closes no struct, in "(a{sv)}"'>()
    expectTypeOf<Fault<'()'>>().toEqualTypeOf<'a struct without members, in "()"'>()
    expectTypeOf<Fault<'sa'>>().toEqualTypeOf<'an array without an element type, in "sa"'>()
    expectTypeOf<Fault<'(a)'>>().toEqualTypeOf<'an array without an element type, in "(a)"'>()
    expectTypeOf<Fault<'a{sa}'>>().toEqualTypeOf<'an array without an element type, in "a{sa}"'>()
    expectTypeOf<Fault<'a{vs}'>>().toEqualTypeOf<'a dict key that is not of a basic type, in "a{vs}"'>()
    expectTypeOf<Fault<'a{ays}'>>().toEqualTypeOf<'a dict key that is not of a basic type, in "a{ays}"'>()
    expectTypeOf<Fault<'a{(s)s}'>>().toEqualTypeOf<'a dict key that is not of a basic type, in "a{(s)s}"'>()
    expectTypeOf<Fault<'a{}'>>().toEqualTypeOf<'a dict entry without key and value, in "a{}"'>()
    expectTypeOf<Fault<'a{s}'>>().toEqualTypeOf<'a dict entry without a value, in "a{s}"'>()
    expectTypeOf<Fault<'a{sss}'>>().toEqualTypeOf<'a dict entry with more than key and value, in "a{sss}"'>()
    expectTypeOf<Fault<'{sv}'>>().toEqualTypeOf<'a dict entry outside an array, in "{sv}"'>()
  })

  it('stands for one value as well', () => {
    expectTypeOf<ValueOf<'az'>>().toEqualTypeOf<SignatureError<'"z" is no type code, in "az"'>>()
    expectTypeOf<InputOf<'az'>>().toEqualTypeOf<SignatureError<'"z" is no type code, in "az"'>>()
    expectTypeOf<ValueOf<'su'>>().toEqualTypeOf<SignatureError<'more than one complete type, in "su"'>>()
    expectTypeOf<ValueOf<''>>().toEqualTypeOf<SignatureError<'a value has one complete type, and the signature is empty'>>()
  })

  it('has no values', () => {
    // @ts-expect-error not even the text
    marshal('az', ['"z" is no type code, in "az"'])
    // @ts-expect-error nor an empty body
    marshal('az', [])
  })

  it('can be put on the signature itself', () => {
    check('a{sv}')
    check('')
    const signature: string = 'z'
    check(signature)
    // @ts-expect-error no type code
    check('az')
    // @ts-expect-error not closed
    check('(s')
  })
})
