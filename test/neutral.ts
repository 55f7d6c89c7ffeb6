// Between JavaScript values and the neutral form of the corpus and the reference codec: what the façade's shapes mean.
import { Variant } from '../js/index.ts'
import { fixedSizeOf, type Neutral, parseTypes, type Type } from './reference/index.ts'

/** How {@link fromNeutral} shows values that can be given in several ways. */
export interface Shapes {
  dict?: 'object' | 'map'
  arrays?: 'typed' | 'plain'
}

const TYPED = {
  n: Int16Array,
  q: Uint16Array,
  i: Int32Array,
  u: Uint32Array,
  h: Uint32Array,
  x: BigInt64Array,
  t: BigUint64Array,
  d: Float64Array,
} as const

/** What a decoded body says, for the types of its signature. */
export function bodyToNeutral(signature: string, body: readonly unknown[]): Neutral[] {
  const types = parseTypes(signature)
  if (types.length !== body.length) throw new Error(`${body.length} values for "${signature}"`)
  return types.map((type, i) => toNeutral(type, body[i]))
}

export function toNeutral(type: Type, value: unknown): Neutral {
  const { code } = type
  switch (code) {
    case 'x':
    case 't':
      return [code, String(value)]
    case 'd':
      return ['d', bitsOf(value as number)]
    case 'v': {
      const { signature, value: content } = value as Variant
      return ['v', signature, toNeutral(parseTypes(signature)[0], content)]
    }
    case '(':
      return ['(', type.members.map((member, i) => toNeutral(member, (value as unknown[])[i]))]
    case 'a':
      return arrayToNeutral(type.members[0], value)
    default:
      return [code, value] as Neutral
  }
}

function arrayToNeutral(element: Type, value: unknown): Neutral {
  if (element.code === 'y') return ['ay', Buffer.from(value as Uint8Array).toString('hex')]
  if (element.code === '{') {
    const [keyType, valueType] = element.members
    const entries = value instanceof Map ? [...value] : Object.entries(value as object)
    return [
      'a',
      element.signature,
      entries.map(([key, content]): Neutral => ['{', toNeutral(keyType, key), toNeutral(valueType, content)]),
    ]
  }
  return ['a', element.signature, Array.from(value as ArrayLike<unknown>, (item) => toNeutral(element, item))]
}

function bitsOf(value: number): string {
  const bits = Buffer.alloc(8)
  bits.writeDoubleBE(value)
  return bits.toString('hex')
}

export function bodyFromNeutral(body: readonly Neutral[], shapes: Shapes = {}): unknown[] {
  return body.map((value) => fromNeutral(value, shapes))
}

/** The JavaScript value that decoding gives (or, by `shapes`, one that encoding accepts as well). */
export function fromNeutral(value: Neutral, shapes: Shapes = {}): unknown {
  switch (value[0]) {
    case 'x':
    case 't':
      return BigInt(value[1])
    case 'd':
      return Buffer.from(value[1], 'hex').readDoubleBE()
    case 'ay':
      return new Uint8Array(Buffer.from(value[1], 'hex'))
    case 'v':
      return new Variant(value[1], fromNeutral(value[2], shapes))
    case '(':
      return bodyFromNeutral(value[1], shapes)
    case 'a':
      return arrayFromNeutral(value[1], value[2], shapes)
    default:
      return value[1]
  }
}

function arrayFromNeutral(element: string, items: Neutral[], shapes: Shapes): unknown {
  if (element[0] !== '{') {
    const values = bodyFromNeutral(items, shapes)
    const typed = TYPED[element as keyof typeof TYPED]
    return typed === undefined || shapes.arrays === 'plain' ? values : (typed as typeof Float64Array).from(values as number[])
  }
  const entries = items.map((item) => {
    const [, key, content] = item as ['{', Neutral, Neutral]
    return [fromNeutral(key), fromNeutral(content, shapes)] as const
  })
  return shapes.dict !== 'map' && 'sog'.includes(element[1]) ? objectOf(entries) : new Map(entries)
}

function objectOf(entries: readonly (readonly [unknown, unknown])[]): object {
  const object = {}
  for (const [key, value] of entries) {
    Object.defineProperty(object, key as string, { value, configurable: true, enumerable: true, writable: true })
  }
  return object
}

/**
 * What a JavaScript value can keep of a neutral one: of equal dict keys the last, an object's integer-like keys in no order
 * of their own, of a NaN that it is one.
 */
export function kept(value: Neutral): Neutral {
  switch (value[0]) {
    case 'd':
      return ['d', Number.isNaN(Buffer.from(value[1], 'hex').readDoubleBE()) ? 'NaN' : value[1]]
    case 'v':
      return ['v', value[1], kept(value[2])]
    case '(':
      return ['(', value[1].map(kept)]
    case 'a':
      return ['a', value[1], value[1][0] === '{' ? keptEntries(value[2]) : value[2].map(kept)]
    default:
      return value
  }
}

function keptEntries(items: Neutral[]): Neutral[] {
  const entries = new Map<string, Neutral>()
  for (const item of items) {
    const [, key, content] = item as ['{', Neutral, Neutral]
    entries.set(JSON.stringify(keyOf(key)), ['{', keyOf(key), kept(content)])
  }
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry)
  return [...entries.keys()].some((key) => /^\["[sog]","\d+"\]$/.test(key)) ? sorted : [...entries.values()]
}

// A Map takes 0 and -0 for one key, as it does all NaNs.
function keyOf(key: Neutral): Neutral {
  return key[0] === 'd' && key[1] === '8000000000000000' ? ['d', '0000000000000000'] : kept(key)
}

/** Whether encoding the decoded value gives its bytes again: nothing of it is lost or moved. */
export function isLossless(body: readonly Neutral[]): boolean {
  return JSON.stringify(body.map(kept)) === JSON.stringify(body)
}

/** Whether an element type's arrays decode to typed arrays. */
export function isNumeric(type: Type): boolean {
  return fixedSizeOf(type) > 0 && !'yb'.includes(type.code)
}
