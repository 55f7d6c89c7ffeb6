// The quick suite that mutants are put to: what the codec says and makes of thousands of inputs, compared with what it says and makes
// without a mutant. (That this is right is for the other tests, which compare it with the reference and with libdbus.)
import { dropEngine, idleEngine } from '../../js/engine.ts'
import { isBusName, isInterfaceName, isMemberName, isObjectPath, isSignature, Variant } from '../../js/index.ts'
import { BREAKERS, breakMessage, breakSeveral } from '../break.ts'
import { BAD_NAMES, BAD_SIGNATURES, BAD_TEXT } from '../broken.ts'
import { corpusBytes, corpusDirectories, corpusRecords } from '../corpus.ts'
import { mutants } from '../differential/bytes.ts'
import { everNewTexts, manySignatures, textsInRoles } from '../differential/caches.ts'
import { acrossTheEdge } from '../differential/large.ts'
import { FAULT_EXAMPLES, provoke } from '../fault-examples.ts'
import { generateMessage, seededSource } from '../generate.ts'
import { FAMILIES } from '../hostile-messages.ts'
import { signalOf, textOf } from '../messages.ts'
import { Codecs, ENGINE, hex, type Item, reading, refusing, told, writing } from './items.ts'
import { headers, limits } from './limits.ts'

Error.stackTraceLimit = 0
// Hashes are made with a seed: the same for all.
Math.random = () => 0.3

function* items(): Generator<Item> {
  const source = seededSource(11)
  const vectors = corpusDirectories()[0]
  const valid = [...corpusRecords(vectors, 'capture-types'), ...corpusRecords(vectors, 'capture-clients')].map(corpusBytes)
  for (const [i, bytes] of valid.entries()) {
    yield* reading(`capture ${i}`, bytes, 3)
    yield* writing(`capture ${i}`, bytes)
  }
  for (const example of FAULT_EXAMPLES) {
    yield {
      name: `fault example ${example.code}`,
      run: () => {
        const { code, offset, path } = provoke(example, ENGINE)
        return `${code} ${offset} ${path}`
      },
    }
  }
  for (const record of corpusRecords(vectors, 'hostile.')) yield* reading(record.name, corpusBytes(record))
  for (let i = 0; i < BREAKERS.length * 4; i++) {
    const broken = breakMessage(source, generateMessage(source), BREAKERS[i % BREAKERS.length])
    yield* reading(`broken: ${broken.breakers[0].name}`, broken.bytes)
  }
  for (let i = 0; i < 300; i++) {
    const { bytes } = generateMessage(source, { duplicateKeys: true })
    yield* reading(`generated ${i}`, bytes)
    yield* writing(`generated ${i}`, bytes)
    yield* reading(`several rules broken ${i}`, breakSeveral(source, generateMessage(source)).bytes, 1)
  }
  for (const name of [
    ...Object.values(BAD_NAMES).flat(),
    '/',
    '/a',
    '/a/b',
    '//',
    '/a/',
    'a.b',
    ':1.2',
    'M',
    '_9',
    'a-b.c',
    'z.y',
    'Z.Y9',
  ]) {
    yield {
      name: `name ${name.slice(0, 30)}`,
      run: () => [isInterfaceName, isMemberName, isBusName, isObjectPath].map((is) => is(name)).join(),
    }
    for (const field of ['path', 'interface', 'member', 'destination', 'sender', 'errorName'])
      yield refusing('', [], { [field]: name })
  }
  for (const { signature } of BAD_SIGNATURES) {
    yield {
      name: `signature ${signature.slice(0, 30)}`,
      run: ({ full }) =>
        `${isSignature(signature)} ${told(() => hex(full.marshal('gv', [signature, new Variant(signature, [] as never)])))}`,
    }
  }
  for (const bad of BAD_TEXT) {
    for (const before of [0, 1, 2, 3, 15, 16, 17, 60, 64, 65, 200]) {
      yield* reading(
        `text ${bad} after ${before}`,
        signalOf('s', textOf(Buffer.concat([Buffer.alloc(before, 0x61), Buffer.from(bad), Buffer.alloc(before % 5, 0x62)]))),
      )
    }
  }
  for (const bytes of mutants(valid, 1200, 5)) yield* reading('mutant of a capture', bytes, 1)
  for (const bytes of textsInRoles(1200, 3)) yield* reading('text in a role', bytes, 1)
  for (const bytes of everNewTexts(60, 4)) yield* reading('new text', bytes, 3)
  for (const bytes of manySignatures(6, 2)) yield* reading('many signatures', bytes, 1)
  for (const bytes of acrossTheEdge(5, 9)) yield* reading('across the edge', bytes, 1)
  for (const { name, make } of FAMILIES) {
    for (const size of [300, 66_000]) yield* reading(`${name}, ${size}`, make(size), 1)
    yield* reading(name, make(6000))
  }
  yield* headers()
  yield* limits()
}

const suite = [...items()]
let expected: string[] | undefined

/** FNV-1a: what is said can be long, and is only compared. */
function digest(said: string): string {
  if (said.length < 60) return said
  let hash = 0x811c9dc5
  for (let i = 0; i < said.length; i++) hash = Math.imul(hash ^ said.charCodeAt(i), 0x01000193)
  return `${said.slice(0, 40)}… ${hash >>> 0}`
}

/** Runs the suite without a mutant: what is right. A thread that comes later is told what another has found. */
export function prepare(told: string[] | undefined): string[] {
  expected = told
  // The first codec brings the module along.
  const codecs = new Codecs()
  if (expected === undefined) {
    expected = suite.map(({ run }) => digest(run(codecs)))
    // Twice the same, or it proves nothing.
    const difference = judge(() => {})
    if (difference !== '') throw new Error(`not the same twice: ${difference}`)
  }
  return expected
}

/** Puts the module that new instances are made of to the suite: '' or what shows that it is not right. */
export function judge(beat: () => void): string {
  for (let i = 0; i < 3; i++) dropEngine(idleEngine(ENGINE))
  try {
    const codecs = new Codecs()
    for (const [i, { name, run }] of suite.entries()) {
      beat()
      const said = digest(run(codecs))
      if (said !== expected?.[i]) return `${name}: ${said.slice(0, 100)} instead of ${expected?.[i].slice(0, 100)}`
    }
  } catch (error) {
    return String(error).slice(0, 200)
  }
  return ''
}
