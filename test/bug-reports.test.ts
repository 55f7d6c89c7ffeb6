// What users of other D-Bus libraries were bitten by: each case of vectors/bug-reports.jsonl that concerns the codec.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  createCodec,
  type DBusCodecError,
  isBusName,
  isDBusCodecError,
  isErrorName,
  isInterfaceName,
  isMemberName,
  isObjectPath,
  isSignature,
  parseSignature,
  Variant,
} from '../js/index.ts'
import { ENGINES } from './engines.ts'
import { hexOf, signalOf } from './messages.ts'
import { bodyToNeutral } from './neutral.ts'
import { parseTypes } from './reference/index.ts'

interface Case {
  id: string
  title: string
  op: string
  sig: string
  value: unknown
  body_le?: string
  body_be?: string
  msg?: string
  expect: string
  must: string
  from: string
  to: string
  kind: string
  accept: string[]
  reject: string[]
  fds?: unknown[]
  note?: string
}

const REPORTS = readFileSync(new URL('./vectors/bug-reports.jsonl', import.meta.url), 'utf8')
const CASES: Case[] = REPORTS.split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line))
  .flatMap(({ id, title, cases }) => cases.map((one: object) => ({ id, title, ...one })))

// Cut into messages: framer.test.ts. Match rules: match.test.ts. Prose: tests by hand, in the file of what they are about.
const ELSEWHERE = ['frame', 'frame-all-splits', 'frame-after-auth', 'match', 'parse-rules', 'scenario', 'shell', 'note']
const HERE = ['roundtrip', 'decode', 'decode-message', 'encode', 'swap', 'validate-signature', 'validate-name']

const ORDERS = [
  ['little', 'body_le'],
  ['big', 'body_be'],
] as const

const NAME_CHECKS: Record<string, (name: string) => boolean> = {
  bus_name: isBusName,
  interface: isInterfaceName,
  error_name: isErrorName,
  member: isMemberName,
  path: isObjectPath,
  object_path: isObjectPath,
}

// What the error has to name, as the reports put it.
const MUST: Record<string, { code?: RegExp; text: RegExp }> = {
  'RangeError/TypeError naming path body[0]': { code: /TEXT_NUL/, text: /body\[0\]/ },
  'throw by default; never emit eda080': { code: /TEXT_SURROGATE/, text: /body\[0\]/ },
  'path like body[0].k': { code: /TEXT_SURROGATE/, text: /body\[0\]\["k"\]/ },
  'range error naming key': { code: /VALUE_RANGE/, text: /70000/ },
  'type error naming key': { text: /abc/ },
  range: { code: /VALUE_RANGE/, text: /body\[0\]/ },
  'unsafe integer number refused': { code: /VALUE_RANGE|UNSAFE_INTEGER/, text: /body\[0\]/ },
  'not an integer': { code: /VALUE_RANGE|VALUE_TYPE/, text: /body\[0\]/ },
  'message contains mpris:length and x': { text: /body\[0\]\["mpris:length"\][^]*"x"|"x"[^]*mpris:length/ },
  'message contains a and s': { code: /VALUE_TYPE/, text: /body\[0\]\["a"\][^]*"s"|"s"[^]*\["a"\]/ },
  'message contains [2]': { code: /VALUE_TYPE/, text: /body\[0\]\[2\]/ },
  'range 0..4294967295': { code: /VALUE_RANGE/, text: /0 to 4294967295/ },
  boolean: { text: /boolean/ },
  'no silent string-to-number': { code: /VALUE_TYPE/, text: /body\[0\]/ },
  'variant without signature refused in the default mode': { code: /VALUE_TYPE/, text: /body\[0\]/ },
}

/** The value that the JSON stands for. */
function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revive)
  if (typeof value !== 'object' || value === null) return value
  const [[key, content]] = [...Object.entries(value), ['', undefined]] as [string, unknown][]
  switch (key) {
    case '$bigint':
      return BigInt(content as string)
    case '$bytes':
      return new Uint8Array(Buffer.from(content as string, 'hex'))
    case '$variant':
      return new Variant((content as [string])[0], revive((content as unknown[])[1]))
    case '$map':
      return new Map((content as unknown[]).map(revive) as [unknown, unknown][])
    case '$num':
      return Number(content)
    case '$undefined':
      return undefined
    case '$null':
      return null
    default:
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, revive(item)]))
  }
}

/** One value per complete type. */
function bodyOf({ sig, value }: Case): unknown[] {
  return parseTypes(sig).length === 1 ? [revive(value)] : (revive(value) as unknown[])
}

function casesOf(op: string): [string, Case][] {
  return CASES.filter((one) => one.op === op).map((one, i) => {
    const what = one.note ?? one.sig ?? one.kind ?? ''
    return [`${one.id} ${one.title} (${i}: ${what.slice(0, 50)})`, one]
  })
}

const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))

const signal = (signature: string, body: readonly unknown[]) => ({
  type: 4,
  serial: 1,
  path: '/a',
  interface: 'a.b',
  member: 'M',
  signature,
  body: body as unknown[],
})

function errorOf(action: () => unknown): DBusCodecError {
  try {
    action()
  } catch (error) {
    if (isDBusCodecError(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

test('every case is tested here or elsewhere', () => {
  expect(CASES.map(({ op }) => op).filter((op) => ![...HERE, ...ELSEWHERE].includes(op))).toEqual([])
})

describe.each(ENGINES)('engine %s', (engine) => {
  const codec = createCodec({ engine })

  test.each(casesOf('roundtrip'))('writes and reads: %s', (_, one) => {
    const body = bodyOf(one)
    const expected = bodyToNeutral(one.sig, body)
    for (const [byteOrder, key] of ORDERS) {
      const hex = one[key] as string
      expect(hexOf(codec.marshal(one.sig, body, { byteOrder }))).toBe(hex)
      expect(bodyToNeutral(one.sig, codec.unmarshal(one.sig, bytesOf(hex), { byteOrder }))).toEqual(expected)
      const message = codec.encode(signal(one.sig, body), { byteOrder })
      expect(hexOf(message).endsWith(hex)).toBe(true)
      expect(bodyToNeutral(one.sig, codec.decode(message).body)).toEqual(expected)
      expect(hexOf(codec.encode(codec.decode(message), { byteOrder }))).toBe(hexOf(message))
    }
  })

  test.each(casesOf('decode'))('reads or refuses: %s', (_, one) => {
    for (const [byteOrder, key] of ORDERS) {
      const hex = one[key]
      if (hex === undefined) continue
      const message = signalOf(one.sig, hex, { byteOrder })
      expect(codec.validate(message).valid).toBe(one.expect === 'accept')
      const decoded = [() => codec.decode(message).body, () => codec.unmarshal(one.sig, bytesOf(hex), { byteOrder })]
      for (const decode of decoded) {
        if (one.expect === 'accept') expect(decode()).toHaveLength(parseTypes(one.sig).length)
        else expect(errorOf(decode).offset).toEqual(expect.any(Number))
      }
    }
    if (one.msg !== undefined) expect(codec.validate(bytesOf(one.msg)).valid).toBe(one.expect === 'accept')
  })

  test.each(casesOf('decode-message'))('reads or refuses the message: %s', (_, one) => {
    const bytes = bytesOf(one.msg as string)
    const accepted = one.expect.startsWith('accept')
    expect(codec.validate(bytes).valid).toBe(accepted)
    const options = one.fds === undefined ? {} : { fds: one.fds }
    if (!accepted) expect(errorOf(() => codec.decode(bytes, options)).offset).toEqual(expect.any(Number))
    else if (one.expect === 'accept') expect(codec.decode(bytes, options).serial).toBeGreaterThan(0)
    else expect(ACCEPTED[one.expect]).toEqual(codec.decode(bytes, options).body)
  })

  test.each(casesOf('encode'))('refuses: %s', (_, one) => {
    const { code, text } = MUST[one.must]
    for (const byteOrder of ['little', 'big'] as const) {
      const error = errorOf(() => codec.encode(signal(one.sig, bodyOf(one)), { byteOrder }))
      expect(error.path).toMatch(/^body\[0\]/)
      expect(error.message).toMatch(text)
      if (code !== undefined) expect(error.code).toMatch(code)
    }
    expect(codec.encode(signal('s', ['usable afterwards'])).length).toBeGreaterThan(0)
  })

  test.each(casesOf('swap'))('swaps: %s', (_, { from, to }) => {
    expect(hexOf(codec.swap(bytesOf(from)))).toBe(to)
    expect(hexOf(codec.swap(bytesOf(to)))).toBe(from)
  })
})

const ACCEPTED: Record<string, unknown[]> = {
  'accept: body = []': [],
  "accept: 1, 'abc'": [1, 'abc'],
  'accept: 1n, 2n': [new BigUint64Array([1n, 2n])],
  'accept: [11,10], {f: 10}': [[11, 10], { f: new Variant('h', 10) }],
}

describe.each(casesOf('validate-signature'))('%s', (_, { accept, reject }) => {
  test.skipIf(accept.length === 0).each(accept)('accepts the signature %j', (signature) => {
    expect(isSignature(signature)).toBe(true)
    expect(() => parseSignature(signature)).not.toThrow()
  })

  test.each(reject)('refuses the signature %j', (signature) => {
    expect(isSignature(signature)).toBe(false)
    expect(errorOf(() => parseSignature(signature)).code).toMatch(/^ERR_DBUS_/)
  })
})

describe.each(casesOf('validate-name'))('%s', (_, { kind, accept, reject }) => {
  test.each(accept)('accepts %j', (name) => expect(NAME_CHECKS[kind](name)).toBe(true))
  test.each(reject)('refuses %j', (name) => expect(NAME_CHECKS[kind](name)).toBe(false))
})
