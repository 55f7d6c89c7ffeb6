// How values look to dbus-native and its fork @homebridge/dbus-native: what their options choose for reading, and everything that
// they take for writing, types inferred from plain values included.
import type { Shape } from '../values.ts'

/** The options of the peer that reading depends on; an application can change them between two messages. */
export interface ReadOptions {
  plainValues?: boolean | undefined
  variants?: 'tree' | 'plain' | 'wrap' | undefined
  returnBigInt?: boolean | undefined
  ayBuffer?: boolean | 'view' | undefined
  ReturnLongjs?: boolean | undefined
}

/** What the options come to. */
export interface Style {
  variants: 'tree' | 'plain' | 'wrap'
  /** Dicts with text keys as objects; others, or all, as pairs. */
  objects: boolean
  int64: 'bigint' | 'number' | 'long'
  bytes: 'copy' | 'view' | 'numbers'
}

export type VariantClass = new (signature: string, value: unknown) => { signature: string; value: unknown }
export interface LongClass {
  fromBits(low: number, high: number, unsigned: boolean): unknown
}

/** One copy of the peer. Its classes are asked for when a value of them is needed. */
export interface Peer {
  /** @homebridge/dbus-native: no options but ayBuffer and ReturnLongjs, no inference, no tags. */
  readonly fork: boolean
  readonly Variant: () => VariantClass
  readonly Long: () => LongClass
}

// The peer tells its own dicts and variants from other arrays by these marks.
const VARIANT_TAG = Symbol.for('dbus.variant')
const DICT_TAG = Symbol.for('dbus.dict')

export function styleOf(peer: Peer, options: ReadOptions | null | undefined): Style {
  const { plainValues, variants, returnBigInt, ayBuffer, ReturnLongjs } =
    typeof options === 'object' && options !== null ? options : {}
  if (peer.fork) {
    return {
      variants: 'tree',
      objects: false,
      int64: ReturnLongjs ? 'long' : 'number',
      bytes: ayBuffer === undefined || ayBuffer ? 'view' : 'numbers',
    }
  }
  if (variants !== undefined && variants !== 'tree' && variants !== 'plain' && variants !== 'wrap') {
    throw new TypeError(`Unknown 'variants' option ${JSON.stringify(variants)}; expected 'tree', 'plain' or 'wrap'`)
  }
  const objects = plainValues !== false
  return {
    variants: variants ?? (objects ? 'plain' : 'tree'),
    objects,
    int64: returnBigInt !== false ? 'bigint' : 'number',
    bytes: ayBuffer === 'view' ? 'view' : ayBuffer === undefined || ayBuffer ? 'copy' : 'numbers',
  }
}

/** The functions of one style; what the codec's options can say is left to them. */
export function nativeShape(peer: Peer, style: Style): Shape {
  return { ...readShape(peer, style), ...writeShape(peer) }
}

function readShape(peer: Peer, { variants, objects, int64, bytes }: Style): Shape {
  const shape: Shape = {
    makeBytes: bytes === 'numbers' ? (view) => Array.from(view) : bytes === 'copy' ? copied : asBuffer,
    makeDict: (entries, keyType) => {
      if (objects && (keyType === 's' || keyType === 'o' || keyType === 'g')) return objectOf(entries as [string, unknown][])
      return peer.fork ? entries : tagged(entries, DICT_TAG)
    },
  }
  if (variants === 'wrap') {
    const Variant = peer.Variant()
    shape.makeVariant = (signature, value) => new Variant(signature, value)
  } else if (variants === 'tree') {
    shape.makeVariant = peer.fork
      ? (signature, value) => [treeOf(signature), [value]]
      : (signature, value) => tagged([frozenTree(signature), [value]], VARIANT_TAG)
  }
  if (int64 === 'number') {
    // Good up to 53 bits: that is what the option asks for.
    shape.makeInt64 = (low, high) => high * 2 ** 32 + (low >>> 0)
    shape.makeUint64 = (low, high) => (high >>> 0) * 2 ** 32 + (low >>> 0)
  } else if (int64 === 'long') {
    const Long = peer.Long()
    shape.makeInt64 = (low, high) => Long.fromBits(low, high, false)
    shape.makeUint64 = (low, high) => Long.fromBits(low, high, true)
  }
  return shape
}

function objectOf(entries: [string, unknown][]): object {
  const object: Record<string, unknown> = {}
  for (let i = 0; i < entries.length; i++) {
    const key = entries[i][0]
    if (key !== '__proto__') object[key] = entries[i][1]
    else Object.defineProperty(object, key, { value: entries[i][1], writable: true, enumerable: true, configurable: true })
  }
  return object
}

// Made once: making it costs a fifth of the call (bench/adapters). V8 is quickest with a plain object, but one that an app put a "get" or
// "set" on the prototype of would make an accessor.
const TAGGED = Object.freeze({ value: true, enumerable: false, configurable: false, writable: false })
const BARE = Object.freeze({ __proto__: null, ...TAGGED })

function tagged<T extends object>(value: T, tag: symbol): T {
  return Object.defineProperty(value, tag, 'get' in TAGGED || 'set' in TAGGED ? BARE : TAGGED)
}

/** Bytes as the peers have them. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength)
}

/** Out of Buffer's pool, as the peer does it, and faster than a slice (bench/adapters). */
function copied(view: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafe(view.length)
  copy.set(view)
  return copy
}

/** A signature taken apart, as the peers show it with a variant. */
interface Node {
  type: string
  child: Node[]
}

/** Makes the nodes of a signature anew. Built once for each: taking a signature apart costs more than the value that it is of. */
type MakeTree = () => Node[]

function treeMaker(signature: string): MakeTree {
  let at = 0
  const complete = (): (() => Node) => {
    const type = signature[at++]
    const children: (() => Node)[] = []
    if (type === 'a') children.push(complete())
    if (type === '(' || type === '{') {
      const end = type === '(' ? ')' : '}'
      while (signature[at] !== end) children.push(complete())
      at++
    }
    if (children.length === 0) return () => ({ type, child: [] })
    if (children.length === 1) return () => ({ type, child: [children[0]()] })
    return () => ({ type, child: children.map((make) => make()) })
  }
  // Most variants hold one of these two.
  if (signature.length === 1) return () => [{ type: signature, child: [] }]
  if (signature.length === 2) return () => [{ type: 'a', child: [{ type: signature[1], child: [] }] }]
  const first = complete()
  return () => [first()]
}

// Peers choose the signatures, so what is kept is bounded.
const MOST_TREES = 1000

/** `make` remembered by signature, for so many of them. */
function remembered<T>(make: (signature: string) => T): (signature: string) => T {
  const kept = new Map<string, T>()
  return (signature) => {
    const known = kept.get(signature)
    if (known !== undefined) return known
    const made = make(signature)
    if (kept.size === MOST_TREES) kept.clear()
    kept.set(signature, made)
    return made
  }
}

const makerOf = remembered(treeMaker)
/** A variant's signature, one complete type, as nodes that are the receiver's own. */
const treeOf = (signature: string): Node[] => makerOf(signature)()
/** Shared and frozen, as those of dbus-native are. */
const frozenTree = remembered((signature) => frozen(treeOf(signature)))

function frozen(nodes: Node[]): readonly Node[] {
  for (const node of nodes) {
    frozen(node.child)
    Object.freeze(node)
  }
  return Object.freeze(nodes)
}

function signatureOfTree(nodes: readonly Node[]): string {
  let signature = ''
  for (const { type, child } of nodes) {
    signature += type + signatureOfTree(child) + (type === '{' ? '}' : type === '(' ? ')' : '')
  }
  return signature
}

/**
 * An array out of a plain object: there it is the value, never [signature, value]. Only arrays that could be taken for that are
 * wrapped, and every place that takes an array unwraps them.
 */
class Inferred {
  readonly value: unknown[]

  constructor(value: unknown[]) {
    this.value = value
  }
}

function plain(value: unknown): unknown {
  return value instanceof Inferred ? value.value : value
}

function refuse(): never {
  // The text is of no use: the peer is asked for its own.
  throw new TypeError('not taken by the peer')
}

function writeShape(peer: Peer): Shape {
  const numbers: Shape = {
    toInt64: int64Of,
    toText: (value) => (Buffer.isBuffer(value) ? value.toString() : value),
    toBoolean: (value) => (value === 0 || value === 1 ? value === 1 : value),
    toNumber: (value, type) => (type === 'd' && !Number.isFinite(value) ? refuse() : value),
  }
  if (peer.fork) {
    return {
      ...numbers,
      variantSignature: (value) => (isPair(value) && typeof value[0] === 'string' ? value[0] : refuse()),
      variantValue: (value) => (value as unknown[])[1],
      arrayElements: finiteElements,
      // The fork takes pairs alone; objects are let through, as they cannot mean anything else.
      toUnixFd: refuse,
    }
  }
  const isVariant = (value: unknown) => value instanceof peer.Variant()
  return {
    ...numbers,
    variantSignature: (given) => {
      if (given instanceof Inferred) return inferred(given.value, isVariant)
      if (isClassic(given)) return typeof given[0] === 'string' ? given[0] : signatureOfTree(given[0])
      return inferred(given, isVariant)
    },
    variantValue: (given) => {
      if (given instanceof Inferred) return given.value
      if (isClassic(given)) return typeof given[0] === 'string' ? given[1] : only(given[1] as unknown[])
      return isVariant(given) ? (given as { value: unknown }).value : given
    },
    structMembers: plain,
    arrayElements: (given, type) => {
      const value = plain(given)
      return isListed(value) ? finiteElements(value, type) : refuse()
    },
    dictEntries: (given, keyType) => {
      const value = plain(given)
      if (Array.isArray(value)) return value
      return isPlainObject(value) && !isVariant(value) ? entriesOf(value, keyType) : refuse()
    },
    toBytes: (given) => {
      const value = plain(given)
      if (!isListed(value)) refuse()
      // Other typed arrays: their bytes, not their elements.
      return ArrayBuffer.isView(value) && !(value instanceof Uint8Array)
        ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
        : value
    },
  }
}

/** What is a list to the peer: this codec takes more. */
function isListed(value: unknown): boolean {
  return Array.isArray(value) || ArrayBuffer.isView(value)
}

function only(values: unknown[]): unknown {
  return values.length === 1 ? values[0] : values
}

function finiteElements(value: unknown, type: string): unknown {
  return type === 'd' && value instanceof Float64Array && !value.every(Number.isFinite) ? refuse() : value
}

function isPair(value: unknown): value is [unknown, unknown] {
  return Array.isArray(value) && value.length === 2
}

/** [signature, value], or what the peer reads as 'tree': [tree, [value]]. */
function isClassic(value: unknown): value is [string, unknown] | [Node[], unknown[]] {
  if (!isPair(value)) return false
  const [first, second] = value
  if (typeof first === 'string') return true
  return Array.isArray(first) && Array.isArray(second) && typeof (first[0] as Node | undefined)?.type === 'string'
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (value === null || typeof value !== 'object') return false
  const prototype = Object.getPrototypeOf(value) as unknown
  return prototype === Object.prototype || prototype === null
}

/** The entries of an object given for a dict: keys as the key's type wants them, values that infer their type marked. */
function entriesOf(object: Record<string, unknown>, keyType: string): unknown {
  const keys = Object.keys(object)
  // Nor does the peer make these of text.
  if ((keyType === 'b' || keyType === 'h') && keys.length > 0) refuse()
  const numeric = 'ynqiud'.includes(keyType)
  // Most objects can stay as they are.
  if (!numeric && keyType !== 'x' && keyType !== 't' && !keys.some((key) => isClassic(object[key]))) return object
  return keys.map((key) => {
    const value = object[key]
    const number = numeric ? Number(key) : key
    if (numeric && !Number.isFinite(number)) refuse()
    return [number, isClassic(value) ? new Inferred(value) : value]
  })
}

/** The signature of a plain value, by the rules of the peer. */
function inferred(value: unknown, isVariant: (value: unknown) => boolean): string {
  switch (typeof value) {
    case 'string':
      return 's'
    case 'boolean':
      return 'b'
    case 'bigint':
      return 'x'
    case 'number':
      if (!Number.isInteger(value)) return Number.isFinite(value) ? 'd' : refuse()
      return value === (value | 0) ? 'i' : 'x'
  }
  if (isVariant(value)) return (value as { signature: string }).signature
  if (ArrayBuffer.isView(value)) return 'ay'
  if (Array.isArray(value)) {
    if (value.length === 0) refuse()
    const first = inferred(value[0], isVariant)
    // Arrays are homogeneous: anything else has no type.
    for (let i = 1; i < value.length; i++) if (inferred(value[i], isVariant) !== first) refuse()
    return `a${first}`
  }
  return isPlainObject(value) ? 'a{sv}' : refuse()
}

/** A 64-bit integer from any of the spellings that the peers take. */
function int64Of(given: unknown, type: string): unknown {
  if (typeof given === 'bigint' || typeof given === 'number') return given
  const value = given instanceof Number || given instanceof String ? given.valueOf() : given
  if (typeof value === 'string') {
    const [, sign, digits] = /^(-?)(0x[0-9a-f]+|[0-9]+)$/i.exec(value.trim()) ?? refuse()
    return sign ? -BigInt(digits) : BigInt(digits)
  }
  if (typeof value === 'number') return value
  if (typeof value !== 'object' || value === null) refuse()
  const { low, high, unsigned } = value as { low?: unknown; high?: unknown; unsigned?: unknown }
  if (typeof low !== 'number' || typeof high !== 'number') refuse()
  // A Long of the other sign is more likely a mistake than meant: the peers refuse it.
  if (Boolean(unsigned) !== (type === 't')) refuse()
  const bits = (BigInt(high | 0) << 32n) | BigInt(low >>> 0)
  return unsigned ? BigInt.asUintN(64, bits) : bits
}
