import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { checkSignature, parseTypes, type Type } from '../reference/signature.ts'

// The grammar at the type level and the grammar at run time are twins. Here the compiler is asked about every short
// signature, and about the longest ones, and has to give the verdict and the type that follow from the run-time parse.

const BASIC: Record<string, string> = {
  y: 'number',
  b: 'boolean',
  n: 'number',
  q: 'number',
  i: 'number',
  u: 'number',
  x: 'bigint',
  t: 'bigint',
  d: 'number',
  s: 'string',
  o: 'string',
  g: 'string',
  h: 'number',
  v: 'Variant<string>',
}
const TYPED: Record<string, string> = {
  y: 'Uint8Array',
  n: 'Int16Array',
  q: 'Uint16Array',
  i: 'Int32Array',
  u: 'Uint32Array',
  x: 'BigInt64Array',
  t: 'BigUint64Array',
  d: 'Float64Array',
  h: 'Uint32Array',
}

/** What decoding gives for a type, in the compiler's words. */
function valueOf({ code, members }: Type): string {
  if (code === '(') return `[${members.map(valueOf).join(', ')}]`
  if (code !== 'a') return BASIC[code]
  const [element] = members
  if (element.code === '{') {
    const [key, value] = element.members
    return 'sog'.includes(key.code) ? `{ [key: string]: ${valueOf(value)}; }` : `Map<${valueOf(key)}, ${valueOf(value)}>`
  }
  return element.code in TYPED ? `${TYPED[element.code]}<ArrayBufferLike>` : `${valueOf(element)}[]`
}

function bodyOf(signature: string): string {
  try {
    checkSignature(signature)
  } catch {
    return 'refused'
  }
  return `[${parseTypes(signature).map(valueOf).join(', ')}]`
}

interface Answer {
  bodies: string[]
  errors: string[]
  instantiations: number
}

const FILE = new URL('./questions.ts', import.meta.url).pathname

/** Asks the compiler what BodyOf and InputBodyOf make of these signatures. */
function ask(signatures: string[]): Answer {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2022.d.ts'],
    types: [],
  }
  const text = [
    `import type { BodyOf, InputBodyOf } from '../../js/types.ts'`,
    ...signatures.map((each, i) => `export type B${i} = BodyOf<'${each}'>; export type I${i} = InputBodyOf<'${each}'>`),
  ].join('\n')
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists } = host
  host.fileExists = (name) => name === FILE || fileExists.call(host, name)
  host.getSourceFile = (name, ...rest) =>
    name === FILE ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022) : getSourceFile.call(host, name, ...rest)
  const program = ts.createProgram([FILE], options, host)
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(FILE) as ts.SourceFile
  const errors = program.getSemanticDiagnostics(source).map((each) => ts.flattenDiagnosticMessageText(each.messageText, '\n'))
  const bodies: string[] = []
  for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(source) as ts.Symbol)) {
    const type = checker.getDeclaredTypeOfSymbol(symbol)
    const refused = type.symbol?.name === 'SignatureError'
    if (symbol.name.startsWith('B')) {
      bodies.push(refused ? 'refused' : print(checker, type))
    } else if (refused !== (bodies.at(-1) === 'refused')) {
      errors.push(`BodyOf and InputBodyOf differ on "${signatures[bodies.length - 1]}"`)
    }
  }
  return { bodies, errors, instantiations: program.getInstantiationCount() }
}

/** As the compiler does, which however stops at the tenth object inside another. */
function print(checker: ts.TypeChecker, type: ts.Type): string {
  if (checker.isTupleType(type)) {
    const members = checker.getTypeArguments(type as ts.TypeReference)
    return `[${members.map((each) => print(checker, each)).join(', ')}]`
  }
  const [index] = type.symbol?.name === '__type' ? checker.getIndexInfosOfType(type) : []
  if (index) return `{ [key: string]: ${print(checker, index.type)}; }`
  return checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation)
}

function compare(signatures: string[]): Answer {
  const answer = ask(signatures)
  expect(answer.errors).toEqual([])
  expect(answer.bodies.length).toBe(signatures.length)
  const wrong = signatures.flatMap((signature, i) => {
    const right = bodyOf(signature)
    return answer.bodies[i] === right ? [] : [{ signature, got: answer.bodies[i], right }]
  })
  expect(wrong.slice(0, 10)).toEqual([])
  return answer
}

/** Every string of at most this length. */
function* strings(alphabet: string, length: number): Generator<string> {
  yield ''
  if (length > 0) for (const head of alphabet) for (const tail of strings(alphabet, length - 1)) yield head + tail
}

const nest = (open: string, inner: string, close: string, times: number) => open.repeat(times) + inner + close.repeat(times)

const LONGEST = [
  'y'.repeat(255),
  'v'.repeat(255),
  `${'ay'.repeat(127)}y`,
  'as'.repeat(127),
  'aay'.repeat(85),
  '(y)'.repeat(85),
  'a(y)'.repeat(63),
  'a{sv}'.repeat(51),
  nest('(', 'y', ')', 32).repeat(3),
  `${'a'.repeat(32)}y`.repeat(7),
  'a'.repeat(32) + nest('(', 's', ')', 32),
  nest('a{s', 'v', '}', 32),
  nest('a{s', nest('(', 'ay', ')', 32), '}', 32),
  nest('aa(', 's', ')', 32),
  `${'a'.repeat(16)}(${'a'.repeat(17)}(s))`,
]

const OVER = [
  'y'.repeat(256),
  'y'.repeat(300),
  'y'.repeat(4000),
  `${'a'.repeat(33)}y`,
  `a${nest('(', 'y', ')', 33)}`,
  nest('a{s', 'v', '}', 33),
  '('.repeat(255),
  'a'.repeat(255),
  'a{s'.repeat(85),
]

describe('the grammar of types.ts', () => {
  it('agrees with the reference on every short string of the characters that matter', () => {
    const inside = [...strings('sva(){}', 3)]
    compare([
      ...strings('ysva(){}', 3),
      ...strings('ya(){}', 4),
      ...inside.map((each) => `a{${each}}`),
      ...inside.map((each) => `(${each})`),
      ...inside.map((each) => `a{s(${each})}`),
    ])
  }, 120_000)

  it('agrees with the reference on every single character, alone, in an array, as key and as member', () => {
    const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).filter((c) => c !== "'" && c !== '\\')
    compare(printable.flatMap((c) => [c, `a${c}`, `a{${c}s}`, `a{s${c}}`, `(${c})`, `a(${c})`, `aa${c}`]))
  }, 60_000)

  it('takes the longest and deepest signatures without running into a limit of the compiler', () => {
    expect(LONGEST.every((signature) => signature.length <= 255 && bodyOf(signature) !== 'refused')).toBe(true)
    const { instantiations } = compare(LONGEST)
    // 15 signatures, twice: 300 000 as of TypeScript 6.0. The compiler gives up at 5 000 000 for one expression.
    expect(instantiations).toBeLessThan(900_000)
  }, 60_000)

  it('refuses what is over a limit of the specification', () => {
    compare(OVER)
    expect(OVER.map(bodyOf)).toEqual(OVER.map(() => 'refused'))
  }, 60_000)

  it('costs little for the signatures of every day', () => {
    const everyday = 's as su sa{sv}as a{oa{sa{sv}}} susssasa{sv}i a(ssssssouso) v ay ssv iiibiiay'
    const { instantiations } = compare(everyday.split(' '))
    const { instantiations: none } = ask([])
    // 6 300 for these eleven, twice, as of TypeScript 6.0
    expect(instantiations - none).toBeLessThan(20_000)
  }, 60_000)
})
