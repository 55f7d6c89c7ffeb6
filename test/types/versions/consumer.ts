// What a user's program does with the types, checked by every TypeScript version in package.json. `subject` is the source,
// or the built declarations.
import type { BodyOf, CheckedSignature, InputBodyOf, Message, MessageInput, SignatureError, ValueOf, Variant } from 'subject'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
declare function claim<T extends true>(): T

declare function decode<S extends string = string>(bytes: Uint8Array): Message<S>
declare function encode<S extends string>(message: MessageInput<S>): Uint8Array
declare function marshal<S extends string>(signature: S & CheckedSignature<S>, values: InputBodyOf<S>): Uint8Array

claim<Equal<BodyOf<'sa{sv}as'>, [string, { [key: string]: Variant }, string[]]>>()
claim<Equal<BodyOf<'a{tx}', { int64: 'number' }>, [Map<number, number>]>>()
claim<Equal<BodyOf<'aya(ib)'>, [Uint8Array, [number, boolean][]]>>()
claim<Equal<BodyOf<'az'>, SignatureError<'"z" is no type code, in "az"'>>>()
claim<Equal<BodyOf<string>, unknown[]>>()
claim<Equal<ValueOf<'au'>, Uint32Array>>()

const message = decode<'a{oa{sa{sv}}}'>(new Uint8Array(16))
for (const [path, interfaces] of Object.entries(message.body[0])) {
  const address: Variant | undefined = interfaces['org.bluez.Device1']?.['Address']
  console.log(path.toUpperCase(), address?.value)
}
encode(message)
encode({ type: 4, serial: 1, path: '/', interface: 'a.b', member: 'C', signature: 'su', body: ['text', 1] })
marshal('xa{us}', [1n, new Map([[1, 'one']])])
// @ts-expect-error not closed
marshal('(s', ['text'])
// @ts-expect-error a u is a number
marshal('u', ['text'])

// 255 characters each: many, nested as deep as may be, and long in every dimension.
type S5 = '(((((' // 5
type E5 = ')))))'
type S30 = `${S5}${S5}${S5}${S5}${S5}${S5}((`
type E30 = `${E5}${E5}${E5}${E5}${E5}${E5}))`
type A8 = 'aaaaaaaa'
type A32 = `${A8}${A8}${A8}${A8}`
type D4 = 'a{sa{sa{sa{s'
type D32 = `${D4}${D4}${D4}${D4}${D4}${D4}${D4}${D4}`
type C32 = '}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}'
type Y5 = 'ayays'
type Y25 = `${Y5}${Y5}${Y5}${Y5}${Y5}`
type Y255 = `${Y25}${Y25}${Y25}${Y25}${Y25}${Y25}${Y25}${Y25}${Y25}${Y25}${Y5}`
claim<Equal<BodyOf<Y255>['length'], 153>>()
claim<Equal<BodyOf<`${A32}${S30}s${E30}`>['length'], 1>>()
claim<Equal<BodyOf<`${D32}${S30}ay${E30}${C32}`>['length'], 1>>()
claim<Equal<BodyOf<`${Y255}y`>, SignatureError<'a signature has at most 255 characters'>>>()
// TypeScript 5.0 compares more than sixteen dicts, one inside another, in exponential time; from 5.4 on any number goes.
type D8 = `${D4}${D4}`
const deep: InputBodyOf<`${D8}${S30}ay${E30}}}}}}}}}`> = decode<`${D8}${S30}ay${E30}}}}}}}}}`>(new Uint8Array(16)).body
console.log(deep)
