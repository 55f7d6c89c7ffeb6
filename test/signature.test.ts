// Signatures and names: every short signature, the long ones, and each name rule at both of its edges.
import { describe, expect, test } from 'vitest'
import {
  createCodec,
  isBusName,
  isDBusCodecError,
  isErrorName,
  isInterfaceName,
  isMemberName,
  isObjectPath,
  isSignature,
  parseSignature,
} from '../js/index.ts'
import { BAD_NAMES, BAD_SIGNATURES } from './broken.ts'
import { ENGINES } from './engines.ts'
import { chooseSeed, generateSignature, seededSource } from './generate.ts'
import { bodyStart, signalOf } from './messages.ts'
import {
  referenceIsBusName,
  referenceIsErrorName,
  referenceIsInterfaceName,
  referenceIsMemberName,
  referenceIsObjectPath,
  referenceSignature,
} from './reference/index.ts'

/** Every signature of up to `length` codes from `codes`. */
function* enumerate(codes: readonly string[], length: number): Generator<string> {
  yield ''
  if (length === 0) return
  for (const rest of enumerate(codes, length - 1)) {
    if (rest.length === length - 1) for (const code of codes) yield rest + code
    if (rest !== '') yield rest
  }
}

const SHORT = [...new Set(enumerate(['y', 's', 'v', 'a', '(', ')', '{', '}', 'z'], 5))]

const LONG = [
  'y'.repeat(255),
  'y'.repeat(256),
  'a'.repeat(32) + 'y',
  'a'.repeat(33) + 'y',
  '('.repeat(32) + 'y' + ')'.repeat(32),
  '('.repeat(33) + 'y' + ')'.repeat(33),
  'a'.repeat(32) + '('.repeat(32) + 'y' + ')'.repeat(32),
  'a{y'.repeat(32) + 'y' + '}'.repeat(32),
  'a{y'.repeat(33) + 'y' + '}'.repeat(33),
  `${'('.repeat(17)}${'a{y'.repeat(16)}y${'}'.repeat(16)}${')'.repeat(17)}`,
  `${'a'.repeat(16)}(${'a'.repeat(17)}y)`,
  'a(a(a(a{sv}a{s(iua{sx})})))',
]

function faultOf(signature: string): { code: string; offset: number | undefined } | undefined {
  try {
    parseSignature(signature)
    return undefined
  } catch (error) {
    if (!isDBusCodecError(error)) throw error
    return { code: error.code, offset: error.offset }
  }
}

/** What the reference says, in the form of {@link faultOf}. */
function expectedFault(signature: string) {
  const verdict = referenceSignature(signature)
  return verdict.valid ? undefined : { code: verdict.code, offset: verdict.offset }
}

describe('parseSignature and isSignature', () => {
  test(`say of ${SHORT.length} short signatures what the reference says`, () => {
    const wrong: string[] = []
    for (const signature of SHORT) {
      const expected = expectedFault(signature)
      const fault = faultOf(signature)
      if (JSON.stringify(fault) !== JSON.stringify(expected)) wrong.push(`${signature}: ${JSON.stringify(fault)}`)
      if (isSignature(signature) !== (expected === undefined)) wrong.push(`${signature}: isSignature`)
    }
    expect(wrong.slice(0, 20)).toEqual([])
  })

  test.each([...LONG, ...BAD_SIGNATURES.map(({ signature }) => signature)])('say of %j what the reference says', (signature) => {
    expect(faultOf(signature)).toEqual(expectedFault(signature))
    expect(isSignature(signature)).toBe(expectedFault(signature) === undefined)
  })

  test('say it of random ones, and of these with one character changed', () => {
    const source = seededSource(chooseSeed('signatures'))
    for (let i = 0; i < 2000; i++) {
      const signature = generateSignature(source)
      expect(faultOf(signature), signature).toBeUndefined()
      const at = source.below(signature.length + 1)
      const changed = signature.slice(0, at) + 'ysva(){}\0é'[source.below(10)] + signature.slice(at + source.below(2))
      expect(faultOf(changed), changed).toEqual(expectedFault(changed))
    }
  })

  test('take nothing but strings', () => {
    for (const value of [undefined, null, 5, ['s'], {}]) {
      expect(isSignature(value as never)).toBe(false)
      expect(() => parseSignature(value as never)).toThrow()
    }
  })

  test('give the complete types of a signature', () => {
    expect(parseSignature('')).toHaveLength(0)
    expect(parseSignature('sa{sv}(ii)as')).toHaveLength(4)
  })
})

describe.each(ENGINES)('engine %s', (engine) => {
  const codec = createCodec({ engine })

  test('judges a signature on the wire as parseSignature does', () => {
    const wrong: string[] = []
    for (const signature of [...SHORT.filter((_, i) => i % 7 === 0), ...LONG.filter(({ length }) => length < 256)]) {
      const body = Buffer.from([signature.length, ...Buffer.from(`${signature}\0`)])
      const bytes = signalOf('g', body)
      const verdict = codec.validate(bytes)
      const got = verdict.valid ? undefined : { code: verdict.error.code, offset: verdict.error.offset }
      const fault = expectedFault(signature)
      const expected = fault && { ...fault, offset: bodyStart(bytes) + 1 + (fault.offset as number) }
      if (JSON.stringify(got) !== JSON.stringify(expected)) wrong.push(`${signature}: ${JSON.stringify(got)}`)
    }
    expect(wrong.slice(0, 20)).toEqual([])
  })

  test('goes on after more signatures than its cache holds', () => {
    const bytes = codec.marshal('a{sv}', [{ k: { signature: 'u', value: 7 } }])
    for (let i = 0; i < 5000; i++) {
      const signature = `${'y'.repeat(1 + (i % 100))}${i % 2 === 0 ? 's' : 'u'}${'q'.repeat(Math.floor(i / 100))}`
      const values = [...signature].map((code) => (code === 's' ? `${i}` : 1))
      expect(codec.unmarshal(signature, codec.marshal(signature, values))).toEqual(values)
    }
    expect(codec.marshal('a{sv}', [{ k: { signature: 'u', value: 7 } }])).toEqual(bytes)
  })
})

const long = (start: string, length: number) => start + 'b'.repeat(length - start.length)

describe.each([
  ['isInterfaceName', isInterfaceName, referenceIsInterfaceName],
  ['isErrorName', isErrorName, referenceIsErrorName],
  ['isMemberName', isMemberName, referenceIsMemberName],
  ['isBusName', isBusName, referenceIsBusName],
  ['isObjectPath', isObjectPath, referenceIsObjectPath],
] as const)('%s', (_, check, reference) => {
  const pieces = ['', 'a', 'Z', '_', '9', '-', '.', ':', '/', 'é', '\0', ' ', '\ud800']
  const SHORT_NAMES = [...new Set(enumerate(pieces, 4))]

  test(`says of ${SHORT_NAMES.length} short names what the reference says`, () => {
    expect(SHORT_NAMES.filter((name) => isWellFormed(name) && check(name) !== reference(name))).toEqual([])
    expect(SHORT_NAMES.filter((name) => !isWellFormed(name) && check(name))).toEqual([])
  })

  test('says it of names at the limit of 255, and of the usual bad ones', () => {
    const starts = ['a', 'a.', 'a.b.', ':1.', '/', '/a/', '-.']
    const names = [
      ...starts.flatMap((start) => [254, 255, 256, 300].map((length) => long(start, length))),
      ...Object.values(BAD_NAMES).flat(),
    ]
    expect(names.filter((name) => check(name) !== reference(name))).toEqual([])
  })

  test('takes nothing but strings', () => {
    for (const value of [undefined, null, 5, ['a.b'], {}]) expect(check(value as never)).toBe(false)
  })
})

function isWellFormed(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text)
}
