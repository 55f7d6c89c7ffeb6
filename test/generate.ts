// Random valid messages in neutral form. Every choice is drawn from a Source, in which 0 is the simplest choice: a seeded
// generator for the long differential runs, or a list of numbers that fast-check makes and shrinks.
import fc from 'fast-check'
import {
  type ByteOrder,
  encodeMarked,
  FIELD_ORDER,
  fieldsOf,
  fixedSizeOf,
  type HeaderInput,
  type Mark,
  type Neutral,
  type NeutralField,
  parseTypes,
  type Type,
} from './reference/index.ts'

/** Draws whole numbers from 0 to n - 1. */
export interface Source {
  below(n: number): number
}

/** A small seeded generator (mulberry32): the same seed gives the same draws on every machine. */
export function seededSource(seed: number): Source {
  let state = seed | 0
  return {
    below(n) {
      state = (state + 0x6d2b79f5) | 0
      let mixed = Math.imul(state ^ (state >>> 15), state | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * n)
    },
  }
}

/** Draws from a list; when it is used up, always 0. */
export function listSource(draws: readonly number[]): Source {
  let next = 0
  return { below: (n) => (next < draws.length ? draws[next++] % n : 0) }
}

/** The run's seed, printed so that a failure can be repeated: from DBUS_CODEC_TEST_SEED, or new. */
export function chooseSeed(what: string): number {
  const given = process.env.DBUS_CODEC_TEST_SEED
  const seed = given === undefined || given === '' ? Date.now() % 0x7fffffff : Number(given)
  console.log(`${what}: DBUS_CODEC_TEST_SEED=${seed}`)
  return seed
}

export interface GenerateOptions {
  /** Duplicate dict keys (valid, but an object or Map keeps the last only). */
  duplicateKeys?: boolean
  /** Now and then text or an array longer than the codec's 64 KiB window. */
  large?: boolean
  /** Field code 10, unknown to us and known to libdbus (VALIDATION 2.7). */
  fieldTen?: boolean
}

export interface GeneratedMessage {
  header: HeaderInput & { type: number; serial: number }
  signature: string
  body: Neutral[]
  byteOrder: ByteOrder
  /** All header fields in message order, unknown ones among them. */
  fields: NeutralField[]
  bytes: Uint8Array
  marks: Mark[]
}

const BASIC = [...'ybnqiuxtdsogh']
const LETTERS = 'abcxyzABCXYZ_'
const TEXT_PIECES = [...'aé€😀\ufeff\uffff\ud7ff\u{10ffff}\u0001\u007f\u0080"\\']
const TEXT_LENGTHS = [0, 1, 3, 7, 8, 15, 16, 17, 31, 63, 64, 65, 127, 200]
const NUMBERS: Record<string, string[]> = {
  y: ['0', '1', '127', '128', '255'],
  n: ['0', '1', '-1', '32767', '-32768'],
  q: ['0', '1', '32768', '65535'],
  i: ['0', '1', '-1', '2147483647', '-2147483648'],
  u: ['0', '1', '2147483648', '4294967295'],
  h: ['0', '1', '4294967295'],
  x: ['0', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808'],
  t: ['0', '1', '9007199254740993', '18446744073709551615'],
}
const DOUBLES = [
  '0000000000000000', // 0
  '8000000000000000', // -0
  '3ff0000000000000', // 1
  '7ff0000000000000', // infinity
  'fff0000000000000',
  '7ff8000000000000', // NaN
  '7ff0000000000001', // signalling NaN
  'fff8123456789abc', // NaN with a payload
  '0000000000000001', // smallest subnormal
  '7fefffffffffffff', // largest
  '4037333333333333', // 23.2
]

export function pick<T>(source: Source, choices: readonly T[]): T {
  return choices[source.below(choices.length)]
}

/** True once in n draws, and never when the source is used up. */
export function once(source: Source, n: number): boolean {
  return source.below(n) === n - 1
}

export function generateText(source: Source, options: GenerateOptions = {}): string {
  if (options.large && once(source, 150)) return pick(source, TEXT_PIECES).repeat(65_530 + source.below(40))
  const length = pick(source, TEXT_LENGTHS)
  const ascii = source.below(3) > 0
  let text = ''
  while (text.length < length) {
    text += ascii ? String.fromCharCode(32 + source.below(95)) : pick(source, TEXT_PIECES)
  }
  return text
}

function generateElement(source: Source, digitFirst: boolean): string {
  let element = pick(source, [...LETTERS])
  if (digitFirst && once(source, 4)) element = String(source.below(10))
  for (let i = source.below(9); i > 0; i--) element += pick(source, [...LETTERS, '0', '9'])
  return element
}

export function generatePath(source: Source): string {
  const elements: string[] = []
  for (let i = source.below(5); i > 0; i--) elements.push(generateElement(source, true))
  return `/${elements.join('/')}`
}

/** An interface or error name; now and then of exactly 255 characters. */
export function generateInterfaceName(source: Source): string {
  const elements = [generateElement(source, false), generateElement(source, false)]
  for (let i = source.below(3); i > 0; i--) elements.push(generateElement(source, false))
  const name = elements.join('.')
  return once(source, 40) ? name.padEnd(255, 'x') : name
}

export function generateBusName(source: Source): string {
  if (once(source, 2)) return `:${source.below(100)}.${source.below(10_000)}${pick(source, ['', '.x-y', '.-'])}`
  return pick(source, ['', '-']) + generateInterfaceName(source).slice(0, 254)
}

export function generateMemberName(source: Source): string {
  return once(source, 40) ? 'M'.repeat(255) : generateElement(source, false)
}

/** A single complete type of at most `depth` nested containers. */
export function generateType(source: Source, depth: number): string {
  const kind = source.below(depth > 0 ? 10 : 5)
  if (kind < 4) return pick(source, BASIC)
  if (kind === 4) return 'v'
  if (kind < 7) return `a${generateType(source, depth - 1)}`
  if (kind < 9) return `(${generateTypes(source, 1 + source.below(4), depth - 1)})`
  return `a{${pick(source, BASIC)}${generateType(source, depth - 1)}}`
}

/** `count` complete types, fewer when they would be longer than 255 characters together. */
function generateTypes(source: Source, count: number, depth: number): string {
  let signature = generateType(source, depth)
  for (let i = 1; i < count; i++) {
    const next = generateType(source, depth)
    if (signature.length + next.length <= 120) signature += next
  }
  return signature
}

/** A valid signature, the empty one included. */
export function generateSignature(source: Source, depth = 4): string {
  const count = source.below(6)
  if (count === 0) return ''
  const signature = generateTypes(source, count, depth)
  if (!once(source, 60)) return signature
  let longest = signature
  while (longest.length < 255) longest += pick(source, BASIC)
  return longest
}

export function generateValue(source: Source, type: Type, depth: number, options: GenerateOptions = {}): Neutral {
  switch (type.code) {
    case 's':
      return ['s', generateText(source, options)]
    case 'o':
      return ['o', generatePath(source)]
    case 'g':
      return ['g', generateSignature(source, 2)]
    case 'v': {
      // At the bottom no further variant: the draws alone might never end.
      const signature = depth > 0 ? generateType(source, 2) : pick(source, BASIC)
      return ['v', signature, generateValue(source, parseTypes(signature)[0], depth - 1, options)]
    }
    case '(':
      return ['(', type.members.map((member) => generateValue(source, member, depth - 1, options))]
    case '{': {
      const [key, value] = type.members
      return ['{', generateValue(source, key, 0), generateValue(source, value, depth - 1, options)]
    }
    case 'a':
      return generateArray(source, type.members[0], depth, options)
    default:
      return generateFixed(source, type.code)
  }
}

function generateFixed(source: Source, code: string): Neutral {
  if (code === 'b') return ['b', source.below(2) === 1]
  if (code === 'd') return ['d', once(source, 4) ? randomHex(source, 8) : pick(source, DOUBLES)]
  const edge = pick(source, NUMBERS[code])
  if (code === 'x' || code === 't') {
    const random = BigInt(`0x${randomHex(source, 8)}`)
    const value = once(source, 3) ? String(code === 'x' ? BigInt.asIntN(64, random) : random) : edge
    return [code, value]
  }
  return [code, Number(edge)] as Neutral
}

function randomHex(source: Source, bytes: number): string {
  let hex = ''
  for (let i = 0; i < 2 * bytes; i++) hex += source.below(16).toString(16)
  return hex
}

function generateArray(source: Source, element: Type, depth: number, options: GenerateOptions): Neutral {
  const size = fixedSizeOf(element)
  let count = source.below(size > 0 ? 20 : depth > 0 ? 4 : 2)
  if (size > 0 && options.large && once(source, 100)) count = Math.floor(66_000 / size) + source.below(9)
  if (element.code === 'y') return ['ay', randomHex(source, count)]
  const values: Neutral[] = []
  const keys = new Set<string>()
  for (let i = 0; i < count; i++) {
    const value = generateValue(source, element, depth - 1, options)
    if (value[0] === '{' && !options.duplicateKeys) {
      const key = keyIdentity(value[1])
      if (keys.has(key)) continue
      keys.add(key)
    }
    values.push(value)
  }
  return ['a', element.signature, values]
}

/** Equal for keys that a JavaScript Map takes for the same: both zeros, every NaN. */
function keyIdentity(key: Neutral): string {
  if (key[0] !== 'd') return JSON.stringify(key[1])
  const bits = BigInt(`0x${key[1]}`) & 0x7fffffffffffffffn
  if (bits > 0x7ff0000000000000n) return 'NaN'
  return bits === 0n ? '0' : key[1]
}

/** A value nested in exactly `levels` containers, as validation counts them (VALIDATION 3.1). */
export function generateNested(source: Source, levels: number): { signature: string; value: Neutral } {
  let signature = 's'
  let value: Neutral = ['s', '']
  for (let level = 0; level < levels; level++) {
    const kind = source.below(3)
    const full = [...signature].filter((code) => code === (kind === 1 ? '(' : 'a')).length === 32
    if (kind === 0 || full) {
      value = ['v', signature, value]
      signature = 'v'
    } else if (kind === 1) {
      value = ['(', [value]]
      signature = `(${signature})`
    } else {
      value = ['a', signature, [value]]
      signature = `a${signature}`
    }
  }
  return { signature, value }
}

export function generateBody(source: Source, options: GenerateOptions = {}): { signature: string; body: Neutral[] } {
  if (once(source, 50)) {
    const { signature, value } = generateNested(source, 1 + source.below(64))
    return { signature, body: [value] }
  }
  const signature = generateSignature(source)
  return { signature, body: parseTypes(signature).map((type) => generateValue(source, type, 4, options)) }
}

function generateHeader(source: Source): GeneratedMessage['header'] {
  const type = once(source, 12) ? 5 + source.below(251) : 1 + source.below(4)
  const wanted = (required: boolean) => required || once(source, 3)
  return {
    type,
    flags: once(source, 4) ? source.below(256) : source.below(4),
    serial: once(source, 8) ? 4294967295 : 1 + source.below(1000),
    path: wanted(type === 1 || type === 4) ? generatePath(source) : null,
    interface: wanted(type === 4) ? generateInterfaceName(source) : null,
    member: wanted(type === 1 || type === 4) ? generateMemberName(source) : null,
    error: wanted(type === 3) ? generateInterfaceName(source) : null,
    reply_serial: wanted(type === 2 || type === 3) ? 1 + source.below(4294967295) : null,
    destination: wanted(false) ? generateBusName(source) : null,
    sender: wanted(false) ? generateBusName(source) : null,
    unix_fds: once(source, 6) ? source.below(4) : null,
  }
}

/** Fisher and Yates; unmoved when the source is used up. */
export function shuffle<T>(source: Source, items: readonly T[]): T[] {
  const shuffled = [...items]
  for (let i = 0; i < shuffled.length; i++) {
    const j = i + source.below(shuffled.length - i)
    ;[shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]]
  }
  return shuffled
}

export function generateMessage(source: Source, options: GenerateOptions = {}): GeneratedMessage {
  const header = generateHeader(source)
  const { signature, body } = generateBody(source, options)
  const fieldOrder = once(source, 2) ? shuffle(source, FIELD_ORDER) : FIELD_ORDER
  const fields = fieldsOf(header, signature, { fieldOrder, emptySignature: once(source, 4) })
  while (once(source, 5)) {
    const code = options.fieldTen && once(source, 3) ? 10 : 11 + source.below(245)
    const type = parseTypes(generateType(source, 2))[0]
    const at = source.below(fields.length + 1)
    fields.splice(at, 0, [code, type.signature, generateValue(source, type, 2)])
  }
  return writeMessage({ header, signature, body, byteOrder: pick(source, ['little', 'big']), fields })
}

/** The same parts, and the bytes they make. */
export function writeMessage(parts: Omit<GeneratedMessage, 'bytes' | 'marks'>): GeneratedMessage {
  const { header, signature, body, byteOrder, fields } = parts
  return { ...parts, ...encodeMarked(header, signature, body, { byteOrder, fields }) }
}

/** fast-check: lists of draws, so that a failing message shrinks to fewer and simpler choices. */
const arbitraryDraws = fc.array(fc.nat(0xffffff), { maxLength: 300, size: 'max' })

export const arbitrarySignature: fc.Arbitrary<string> = arbitraryDraws.map((draws) => generateSignature(listSource(draws)))

export function arbitraryMessage(options: GenerateOptions = {}): fc.Arbitrary<GeneratedMessage> {
  return arbitraryDraws.map((draws) => generateMessage(listSource(draws), options))
}
