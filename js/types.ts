// What a signature means to the compiler: the grammar of the specification ("Type System") once more, at the type level.
// Its twin at run time is the signature compiler: add to both or to neither (test/types/twins.test.ts compares them).

/** The options of a codec that say how values look in JavaScript, and so what type they have. */
export interface ShapeOptions {
  /** `x` and `t`: as bigint (default), or as number, refused when that is not exact. Numbers come in plain arrays. */
  int64?: 'bigint' | 'number' | undefined
  /** Dicts: as object if the keys are of type s, o or g, else as Map (default); always as Map; as array of pairs. */
  dict?: 'object' | 'map' | 'pairs' | undefined
  /** Variants: as {@link Variant} (default), or the bare value without its signature. */
  variant?: 'wrap' | 'unwrap' | undefined
  /** Arrays of fixed-size numbers: as typed arrays (default) or as plain ones. `ay` is always bytes. */
  arrays?: 'typed' | 'plain' | undefined
}

/** For {@link BodyOf} only: what type `h` has when descriptors are handed to `decode`. Without it, it is an index. */
export interface HandedOver<F = unknown> extends ShapeOptions {
  /** What a descriptor is to the caller: a number, a handle, a stream. */
  fd: F
}

/** The shape a codec without options has. */
export interface DefaultShape {
  /** `x` and `t` are bigint. */
  int64: 'bigint'
  /** Dicts with keys of type s, o or g are objects, others Maps. */
  dict: 'object'
  /** A variant is a {@link Variant}. */
  variant: 'wrap'
  /** Arrays of fixed-size numbers are typed arrays. */
  arrays: 'typed'
}

/** A value with its signature, as decoding gives it for `v`. The class of that name implements it. */
export interface Variant<S extends string = string> {
  readonly signature: S
  readonly value: ValueOf<S>
}

/**
 * The body that decoding gives for a signature: a tuple with one element per complete type.
 *
 *     BodyOf<'sa{sv}as'>                  [string, { [key: string]: Variant }, string[]]
 *     BodyOf<'t', { int64: 'number' }>    [number]
 *     BodyOf<string>                      unknown[]: not known until run time
 *     BodyOf<'az'>                        SignatureError<'"z" is no type code, in "az"'>
 */
export type BodyOf<S extends string, O extends ShapeOptions = DefaultShape> = Body<S, Decoded<O>, unknown[]>

/** The value that decoding gives for a signature of one complete type, such as that of a variant. */
export type ValueOf<S extends string, O extends ShapeOptions = DefaultShape> = Single<S, BodyOf<S, O>>

/** The body that encoding accepts for a signature: everything that decoding gives, with any options, and more. */
export type InputBodyOf<S extends string> = Body<S, Accepted, readonly unknown[]>

/** The value that encoding accepts for a signature of one complete type. */
export type InputOf<S extends string> = Single<S, InputBodyOf<S>>

/**
 * The signature itself if it is valid (or not known until run time), else its {@link SignatureError}. For parameters:
 * `function f<S extends string>(signature: S & CheckedSignature<S>)`.
 */
export type CheckedSignature<S extends string> = BodyOf<S> extends SignatureError<infer M> ? SignatureError<M> : S

declare const message: unique symbol

/** In place of the type of a wrong signature: a type that no value has and whose name says what is wrong. */
export interface SignatureError<M extends string> {
  /** What is wrong; there is no such property at run time. */
  readonly [message]: M
}

/**
 * A decoded message (specification, "Message Format"). Header fields that it does not have are there as `undefined`, so that every
 * message has the same properties.
 */
export interface Message<S extends string = string, O extends ShapeOptions = DefaultShape> {
  /** A {@link MessageType}, or any other number up to 255. */
  type: number
  /** The or of {@link MessageFlag}s; unknown bits are kept. */
  flags: number
  /** From 1 to 4294967295; chosen by the sender. */
  serial: number
  /** The object that a call is sent to or a signal comes from. */
  path: string | undefined
  /** The interface; optional in a call. */
  interface: string | undefined
  /** The method's or signal's name. */
  member: string | undefined
  /** An error's name; its first body value is a text by convention. */
  errorName: string | undefined
  /** The serial of the call that this answers. */
  replySerial: number | undefined
  /** The bus name that the message goes to; none for a signal to all. */
  destination: string | undefined
  /** The unique name that the message comes from, as the bus says. */
  sender: string | undefined
  /** `''` for a message without a body. */
  signature: S
  /** How many descriptors belong to the message (UNIX_FDS). */
  unixFds: number | undefined
  /** One value per complete type of the signature. */
  body: BodyOf<S, O>
}

/** A decoded header: a message without its body. */
export type MessageHeader<S extends string = string> = Omit<Message<S>, 'body'>

/**
 * A message to encode (specification, "Message Format"). A decoded {@link Message} is one. Names and paths are checked, and so
 * is that the header has what its type needs: a call `path` and `member`, a signal `interface` as well, a reply `replySerial`,
 * an error `errorName` and `replySerial`.
 */
export interface MessageInput<S extends string = string> {
  /** A {@link MessageType}, or any other number from 1 to 255. */
  type: number
  /** The or of {@link MessageFlag}s; 0 by default. */
  flags?: number | undefined
  /** From 1 to 4294967295. */
  serial: number
  /** An object path: `/`, `/org/bluez/hci0`. */
  path?: string | undefined
  /** Two elements or more: `org.bluez.Device1`. */
  interface?: string | undefined
  /** One element: `PropertiesChanged`. */
  member?: string | undefined
  /** Like an interface: `org.freedesktop.DBus.Error.Failed`. */
  errorName?: string | undefined
  /** From 1 to 4294967295. */
  replySerial?: number | undefined
  /** A bus name, unique or well known. */
  destination?: string | undefined
  /** A bus name. A client leaves it to the bus. */
  sender?: string | undefined
  /** The types of the body; none by default. */
  signature?: S | undefined
  /** How many descriptors are sent along (UNIX_FDS); an `h` in the body is an index into them. */
  unixFds?: number | undefined
  /** One value per complete type of the signature. */
  body?: InputBodyOf<S> | undefined
}

// ---------------------------------------------------------------------------------------------------------------------
// What the types of a signature become. A kit has the basic types (and `v`) by code, the arrays that are not arrays of
// their elements, and two words for the rest.

interface Kit {
  basic: Record<Basic | 'v', unknown>
  arrays: object
  array: 'mutable' | 'readonly'
  dict: 'object' | 'map' | 'pairs' | 'any'
}

type Basic = 'y' | 'b' | 'n' | 'q' | 'i' | 'u' | 'x' | 't' | 'd' | 's' | 'o' | 'g' | 'h'

interface Narrow {
  y: number
  b: boolean
  n: number
  q: number
  i: number
  u: number
  d: number
  s: string
  o: string
  g: string
}

interface Decoded<O extends ShapeOptions> {
  basic: Narrow & { x: Int64<O['int64']>; t: Int64<O['int64']>; h: Descriptor<O>; v: Wrapped<O['variant']> }
  arrays: O['arrays'] extends infer A ? (A extends 'plain' ? Bytes : TypedArrays & Typed64<O['int64']> & TypedIndexes<O>) : never
  array: 'mutable'
  dict: O['dict'] extends infer D ? (D extends 'map' | 'pairs' ? D : 'object') : never
}

// An option left out, or not known until run time, is the default: the last branch.
type Int64<I> = I extends 'number' ? number : bigint
type Wrapped<W> = W extends 'unwrap' ? unknown : Variant
type Descriptor<O> = O extends HandedOver<infer F> ? F : number

interface Bytes {
  y: Uint8Array
}

interface TypedArrays extends Bytes {
  n: Int16Array
  q: Uint16Array
  i: Int32Array
  u: Uint32Array
  d: Float64Array
}

type Typed64<I> = I extends 'number' ? unknown : { x: BigInt64Array; t: BigUint64Array }
type TypedIndexes<O> = O extends HandedOver ? unknown : { h: Uint32Array }

interface Accepted {
  basic: Narrow & { x: number | bigint; t: number | bigint; h: number; v: AnyVariant }
  arrays: AcceptedArrays
  array: 'readonly'
  dict: 'any'
}

interface AnyVariant {
  readonly signature: string
  readonly value: unknown
}

interface AcceptedArrays {
  y: Uint8Array | readonly number[]
  n: ArrayLike<number>
  q: ArrayLike<number>
  i: ArrayLike<number>
  u: ArrayLike<number>
  x: ArrayLike<number | bigint>
  t: ArrayLike<number | bigint>
  d: ArrayLike<number>
  h: ArrayLike<number>
}

type ArrayOf<A, Mode, Code, T> = A extends unknown // for each, when the option is not known
  ? Code extends keyof A
    ? A[Code]
    : Mode extends 'readonly'
      ? readonly T[]
      : T[]
  : never

type DictOf<D, Code, Key, T> = D extends 'any'
  ? { readonly [key: string]: T } | ReadonlyMap<Key, T> | readonly (readonly [Key, T])[]
  : D extends 'pairs'
    ? [Key, T][]
    : D extends 'object'
      ? Code extends 's' | 'o' | 'g'
        ? { [key: string]: T }
        : Map<Key, T>
      : Map<Key, T>

type StructOf<K extends Kit, Members extends unknown[]> = K['array'] extends 'readonly' ? Readonly<Members> : Members

// ---------------------------------------------------------------------------------------------------------------------
// Reading a signature: left to right, one tail call for each character, with a stack of what is open. So no call is ever
// inside another, and a signature of 255 characters stays below the thousand tail calls that the compiler makes.

type Body<S extends string, K extends Kit, Unknown> = string extends S
  ? Unknown
  : S extends `${string}${Arrays33}${string}`
    ? SignatureError<`more than 32 nested arrays, in "${S}"`>
    : Over255<S> extends true
      ? SignatureError<'a signature has at most 255 characters'>
      : Read<S, K, [], Bottom, [], []> extends infer R
        ? R extends Fault<infer M>
          ? SignatureError<`${M}, in "${S}"`>
          : R extends Wide
            ? Unknown
            : R
        : never

type Single<S extends string, B> = string extends S
  ? unknown
  : B extends SignatureError<string> | readonly [unknown]
    ? B extends readonly [infer T]
      ? T
      : B
    : B extends readonly []
      ? SignatureError<'a value has one complete type, and the signature is empty'>
      : B extends readonly [unknown, unknown, ...unknown[]]
        ? SignatureError<`more than one complete type, in "${S}"`>
        : unknown

/** How {@link Read} ends on a wrong signature. */
interface Fault<M extends string> {
  fault: M
}

/** Read to a part that is not known until run time: `a${string}`. */
interface Wide {
  wide: true
}

/** An open container: its code, the types complete before it, and the container round it. */
type Open = [code: string, done: unknown[], next: unknown]
type Bottom = ['', [], never]

/**
 * S: what is left to read. Done: the types complete inside Top, the innermost open container (in a dict entry, the key's
 * code comes first). Structs, Dicts: how many of them are open, in unary.
 */
type Read<
  S extends string,
  K extends Kit,
  Done extends unknown[],
  Top extends Open,
  Structs extends 0[],
  Dicts extends 0[],
> = S extends `${infer C}${infer Rest}`
  ? C extends keyof K['basic']
    ? Top[0] extends '' | '('
      ? Read<Rest, K, [...Done, K['basic'][C]], Top, Structs, Dicts> // what Complete does, one call shorter
      : Complete<C, K['basic'][C], Rest, K, Done, Top, Structs, Dicts>
    : C extends 'a'
      ? Read<Rest, K, [], ['a', Done, Top], Structs, Dicts>
      : C extends '('
        ? Structs['length'] extends 32
          ? Fault<'more than 32 nested structs'>
          : Read<Rest, K, [], ['(', Done, Top], [...Structs, 0], Dicts>
        : C extends '{'
          ? Dicts['length'] extends 32
            ? Fault<'more than 32 nested dict entries'>
            : Top[0] extends 'a'
              ? Read<Rest, K, [], ['{', Done, Top], Structs, [...Dicts, 0]>
              : Fault<'a dict entry outside an array'>
          : C extends ')'
            ? Top extends ['(', infer Outer extends unknown[], infer Next extends Open]
              ? Done extends []
                ? Fault<'a struct without members'>
                : Complete<'(', StructOf<K, Done>, Rest, K, Outer, Next, Tail<Structs>, Dicts>
              : Top[0] extends 'a'
                ? Fault<NoElement>
                : Fault<'a ")" that closes no struct'>
            : C extends '}'
              ? Top extends ['{', unknown[], ['a', infer Outer extends unknown[], infer Next extends Open]]
                ? Done extends [infer Code, infer Key, infer T]
                  ? Complete<'a', DictOf<K['dict'], Code, Key, T>, Rest, K, Outer, Next, Structs, Tail<Dicts>>
                  : Fault<Done extends [] ? 'a dict entry without key and value' : 'a dict entry without a value'>
                : Top[0] extends 'a'
                  ? Fault<NoElement>
                  : Fault<'a "}" that closes no dict entry'>
              : Fault<`"${C}" is no type code`>
  : S extends ''
    ? Top[0] extends ''
      ? StructOf<K, Done>
      : Fault<Top[0] extends 'a' ? NoElement : Top[0] extends '(' ? 'a "(" that is not closed' : 'a "{" that is not closed'>
    : Wide

type NoElement = 'an array without an element type'

/** A complete type of this code, become T, has been read: it closes the arrays it is the element of. */
type Complete<
  Code extends PropertyKey,
  T,
  S extends string,
  K extends Kit,
  Done extends unknown[],
  Top extends Open,
  Structs extends 0[],
  Dicts extends 0[],
> = Top[0] extends 'a'
  ? Top extends [string, infer Outer extends unknown[], infer Next extends Open]
    ? Complete<'a', ArrayOf<K['arrays'], K['array'], Code, T>, S, K, Outer, Next, Structs, Dicts>
    : never
  : Top[0] extends '{'
    ? Done extends []
      ? Code extends Basic
        ? Read<S, K, [Code, T], Top, Structs, Dicts>
        : Fault<'a dict key that is not of a basic type'>
      : Done extends [unknown, unknown]
        ? Read<S, K, [...Done, T], Top, Structs, Dicts>
        : Fault<'a dict entry with more than key and value'>
    : Read<S, K, [...Done, T], Top, Structs, Dicts>

type Tail<Unary extends 0[]> = Unary extends [0, ...infer Rest extends 0[]] ? Rest : []

type Arrays33 = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'

/** Sixteen characters a call: the sixteenth call that finds them has found the 256th. */
type Over255<
  S extends string,
  Calls extends 0[] = [],
> = S extends `${infer _0}${infer _1}${infer _2}${infer _3}${infer _4}${infer _5}${infer _6}${infer _7}${infer Rest8}`
  ? Rest8 extends `${infer _0}${infer _1}${infer _2}${infer _3}${infer _4}${infer _5}${infer _6}${infer _7}${infer Rest}`
    ? Calls['length'] extends 15
      ? true
      : Over255<Rest, [...Calls, 0]>
    : false
  : false
