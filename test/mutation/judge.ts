// The quick suite that mutants are put to: what the codec says and makes of thousands of inputs, compared with what it says and makes
// without a mutant. (That this is right is for the other tests, which compare it with the reference and with libdbus.)
import { dropEngine, idleEngine } from '../../js/engine.ts'
import {
  createCodec,
  isBusName,
  isDBusCodecError,
  isInterfaceName,
  isMemberName,
  isObjectPath,
  isSignature,
  Variant,
} from '../../js/index.ts'
import { CONTROL_STEPS, HEADER_VALUES, MAX_MESSAGE_LENGTH, PLAN_CAPACITY } from '../../js/wire.ts'
import { BREAKERS, breakMessage, breakSeveral } from '../break.ts'
import { BAD_NAMES, BAD_SIGNATURES, BAD_TEXT } from '../broken.ts'
import { corpusBytes, corpusDirectories, corpusRecords } from '../corpus.ts'
import { EDGES, mutants } from '../differential/bytes.ts'
import { everNewTexts, manySignatures, textsInRoles } from '../differential/caches.ts'
import { acrossTheEdge } from '../differential/large.ts'
import { FAULT_EXAMPLES, provoke } from '../fault-examples.ts'
import { generateMessage, seededSource } from '../generate.ts'
import { FAMILIES, signatureNumber, variantsOf } from '../hostile-messages.ts'
import { signalOf, textOf, wordOf } from '../messages.ts'

Error.stackTraceLimit = 0
// Hashes are made with a seed: the same for all.
Math.random = () => 0.3

const ENGINE = 'simd'
const HEADER = { type: 4, serial: 1, path: '/a', interface: 'a.b', member: 'M' } as const

interface Item {
  readonly name: string
  readonly run: (codecs: Codecs) => string
}

class Codecs {
  readonly full = createCodec({ engine: ENGINE })
  readonly structure = createCodec({ engine: ENGINE, validation: 'structure' })
  readonly few = createCodec({ engine: ENGINE, maxValues: 5, maxMessageLength: 400 })
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, part) => {
    if (typeof part === 'bigint') return `${part}n`
    if (part instanceof Map) return [...part]
    return ArrayBuffer.isView(part) ? Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('base64') : part
  })

const hex = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')

function told(call: () => string): string {
  try {
    return call()
  } catch (error) {
    if (isDBusCodecError(error)) return `${error.code} at ${error.offset} ${error.path}`
    throw error
  }
}

/** What there is to say of some bytes. The second time a codec knows some of it. */
function reading(name: string, bytes: Uint8Array, times = 2): Item[] {
  const item: Item = {
    name,
    run: ({ full, structure, few }) => {
      const decoded = told(() => text(full.decode(bytes)))
      const rest = [
        told(() => (structure.validate(bytes).valid ? 'valid' : (structure.validate(bytes).error?.code ?? ''))),
        told(() => text(few.decodeHeader(bytes))),
        few.validate(bytes).error?.code ?? '',
      ]
      if (decoded[0] === '{') rest.push(told(() => hex(full.swap(bytes))))
      return `${decoded} ${rest.join(' ')}`
    },
  }
  return Array<Item>(times).fill(item)
}

function writing(name: string, bytes: Uint8Array): Item[] {
  const run = (byteOrder: 'little' | 'big') => ({
    name: `${name}, written ${byteOrder}-endian`,
    run: ({ full }: Codecs) =>
      told(() => {
        const message = full.decode(bytes)
        const target = new Uint8Array(bytes.length + 512)
        const { signature, body } = message
        const offset = byteOrder === 'big' ? 3 : 4
        const written = full.encode(message, { byteOrder })
        const again = full.encode({ ...message, serial: 77, flags: 1 }, { byteOrder })
        const length = full.encodeInto(message, target, 5, { byteOrder })
        const values = full.marshal(signature, body as never, { byteOrder, offset })
        const back = text(full.unmarshal(signature, values, { byteOrder, offset }))
        const prepared = full.prepare({ ...message, body: undefined } as never, { byteOrder })
        const calls = [prepared.encode(5, body as never), prepared.encode(6, body as never)].map(hex)
        return [hex(written), hex(again), hex(target.subarray(5, 5 + length)), hex(values), back, ...calls].join(' ')
      }),
  })
  return [run('little'), run('big')]
}

function refusing(signature: string, body: unknown[], extra: object = {}): Item {
  return {
    name: `${signature} that is refused or not, ${text(extra).slice(0, 40)}`,
    run: ({ full, few }) =>
      [full, few].map((codec) => told(() => hex(codec.encode({ ...HEADER, signature, body, ...extra } as never)))).join(' '),
  }
}

/** How many bytes and values were looked at: no more than without a mutant, nor much fewer. */
function counting(name: string, bytes: Uint8Array): Item {
  return {
    name: `${name}, counted`,
    run: ({ full }) => {
      const steps = [0, 1].map(() => {
        full.validate(bytes)
        return Math.round(Math.log2(1 + idleEngine(ENGINE).i32[CONTROL_STEPS >> 2]) * 4)
      })
      return steps.join(' ')
    },
  }
}

const nested = (levels: number): Variant =>
  levels === 0 ? new Variant('y', 1 as never) : new Variant('v', nested(levels - 1) as never)

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
    yield counting(name, make(6000))
    yield counting(`${name}, over a window`, make(70_000))
  }
  yield* limits()
}

function* limits(): Generator<Item> {
  for (const word of EDGES) {
    for (const at of [4, 12]) {
      const bytes = signalOf('', Buffer.alloc(0)).slice()
      bytes.set(wordOf(word), at)
      yield* reading(`claim of ${word} at ${at}`, bytes, 1)
    }
  }
  for (const levels of [62, 63, 64, 65]) yield refusing('v', [nested(levels)])
  for (const depth of [31, 32, 33]) {
    yield refusing(`${'a'.repeat(depth)}y`, [[]])
    yield refusing(`${'('.repeat(depth)}y${')'.repeat(depth)}`, [[]])
  }
  for (const length of [254, 255, 256]) {
    yield refusing('y'.repeat(length), Array(length).fill(1))
    yield refusing('g', ['y'.repeat(length)])
    yield refusing('', [], {
      member: 'M'.repeat(length),
      interface: `a.${'b'.repeat(length - 2)}`,
      destination: `:1.${'2'.repeat(length - 3)}`,
    })
  }
  for (const length of [60, 63, 64, 65, 68, 500, 504, 508, 512, 1000]) {
    const message = signalOf('s', textOf('x'.repeat(length)), { path: `/${'p'.repeat(length)}` })
    yield* reading(`text and path of ${length}`, message, 3)
    yield* writing(`text and path of ${length}`, message)
  }
  for (const length of [65_400, 65_440, 65_450, 65_456, 65_457, 65_464, 65_465, 65_528, 65_536, 65_537, 131_072]) {
    for (const type of ['s', 'o']) {
      const content = type === 's' ? 'é'.repeat(length >> 1) : `/${'p'.repeat(length - 1)}`
      yield* reading(`${type} of ${length}`, signalOf(type, textOf(content)), 1)
      yield* writing(`${type} of ${length}`, signalOf(type, textOf(content)))
    }
    yield* reading(
      `au of ${length}`,
      signalOf('au', Buffer.concat([wordOf(length & -4, 'big'), Buffer.alloc(length & -4, 1)]), { byteOrder: 'big' }),
      1,
    )
    yield* reading(
      `ab of ${length}`,
      signalOf('ab', Buffer.concat([wordOf(length & -4), Buffer.alloc((length & -4) - 4), wordOf(2)])),
      1,
    )
  }
  for (const values of [1, 2, 4, 5, 6, 7])
    yield* reading(`${values} values`, signalOf('y'.repeat(values), Buffer.alloc(values)), 1)
  for (const fields of [
    HEADER_VALUES / 2 - 4,
    HEADER_VALUES / 2 - 3,
    HEADER_VALUES / 2 - 2,
    HEADER_VALUES / 2 - 1,
    HEADER_VALUES / 2,
  ]) {
    yield {
      name: `${fields} values in a field`,
      run: () => createCodec({ engine: ENGINE, maxValues: 1 }).validate(withField(fields)).error?.code ?? '',
    }
  }
  // More plans than there is room for, of either kind.
  for (const [count, length] of [
    [PLAN_CAPACITY - 1, 5],
    [PLAN_CAPACITY, 5],
    [PLAN_CAPACITY + 1, 5],
    [64, 250],
    [70, 250],
  ]) {
    const variants = Array.from({ length: count }, (_, i) => {
      const signature = `a${signatureNumber(i, length)}`
      const head = Buffer.concat([Buffer.from([signature.length]), Buffer.from(`${signature}\0`)])
      const padding = -head.length & 3
      return Buffer.concat([head, Buffer.alloc(padding + 4 + (-(head.length + padding + 4) & 7))])
    })
    const message = variantsOf(Buffer.concat(variants))
    yield* reading(`${count} signatures of ${length}`, message, 2)
    yield counting(`${count} signatures of ${length}`, message)
    yield {
      name: `${count} signatures of ${length}, written`,
      run: ({ full }) => {
        const decoded = full.decode(message)
        return told(() => hex(full.encode(decoded)))
      },
    }
  }
  for (const size of [67_108_864, 67_108_865]) {
    yield {
      name: `${size} bytes`,
      run: ({ full }) =>
        told(() => String(full.encodeSegments({ ...HEADER, signature: 'ay', body: [zeros.subarray(0, size)] }).length)),
    }
    yield {
      name: `an array of ${size} bytes`,
      run: ({ full }) =>
        told(() => String(full.encodeSegments({ ...HEADER, signature: 'aay', body: [[zeros.subarray(0, size - 4)]] }).length)),
    }
  }
  for (const more of [-1, 0, 1]) {
    yield {
      name: `a message of 128 MiB and ${more}`,
      run: ({ full }) => {
        const length = (rest: number) => {
          const body: [Uint8Array, Uint8Array, Uint8Array] = [
            zeros.subarray(0, 67_000_000),
            zeros.subarray(0, 67_000_000),
            zeros.subarray(0, rest),
          ]
          return full.encodeSegments({ ...HEADER, signature: 'ayayay', body }).reduce((sum, piece) => sum + piece.length, 0)
        }
        return told(() => String(length(MAX_MESSAGE_LENGTH - length(0) + more)))
      },
    }
  }
}

const zeros = new Uint8Array(67_108_870)

function withField(count: number): Uint8Array {
  const content = Buffer.concat(Array(count).fill(Buffer.from([1, 0x79, 0, 7])))
  const signal = Buffer.from(signalOf('', '', { unsigned: true }))
  const array = Buffer.concat([Buffer.from([200, 2, 0x61, 0x76, 0, 0, 0, 0]), wordOf(content.length), content])
  const fields = Buffer.concat([array, Buffer.alloc(-array.length & 7), signal.subarray(16, 16 + signal.readUInt32LE(12))])
  const head = Buffer.from(signal.subarray(0, 16))
  head.writeUInt32LE(fields.length, 12)
  return new Uint8Array(Buffer.concat([head, fields, Buffer.alloc(-fields.length & 7)]))
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

/** Runs the suite without a mutant: what is right. @returns the number of items */
export function prepare(): number {
  const codecs = new Codecs()
  expected = suite.map(({ run }) => digest(run(codecs)))
  // Twice the same, or it proves nothing.
  const difference = judge()
  if (difference !== '') throw new Error(`not the same twice: ${difference}`)
  return suite.length
}

/** Puts the module that new instances are made of to the suite: '' or what shows that it is not right. */
export function judge(): string {
  for (let i = 0; i < 3; i++) dropEngine(idleEngine(ENGINE))
  try {
    const codecs = new Codecs()
    for (const [i, { name, run }] of suite.entries()) {
      const said = digest(run(codecs))
      if (said !== expected?.[i]) return `${name}: ${said.slice(0, 100)} instead of ${expected?.[i].slice(0, 100)}`
    }
  } catch (error) {
    return String(error).slice(0, 200)
  }
  return ''
}
