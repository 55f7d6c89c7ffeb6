// Sequences for a codec that remembers: texts, headers and signatures that were right in one place and are not in another, and
// more of them than any table has room for.
import { type Source, seededSource } from '../generate.ts'
import { type HeaderInput, type Neutral, referenceEncode, referenceSignature } from '../reference/index.ts'

const HEADER: HeaderInput = { type: 4, serial: 1, path: '/a', interface: 'a.b', member: 'M' }

// Texts that are good for some roles and bad for others, and neighbours of them.
const TEXTS = [
  '',
  '/',
  '/a',
  '/a/b',
  'a',
  'a.b',
  'a.b.c',
  'a-b.c',
  '-a.-b',
  ':1.2',
  ':1',
  ':',
  '1',
  'M',
  '_',
  's',
  'as',
  'a{sv}',
  'a{s',
  '(ii)',
  '()',
  '/a/',
  '//',
  'a.',
  '.a',
  'a..b',
  'é',
  'org.freedesktop.DBus.Local',
  '/org/freedesktop/DBus/Local',
  'org.freedesktop.DBus',
  '/org/freedesktop/DBus',
  'x'.repeat(63),
  'x'.repeat(64),
  'x'.repeat(79),
  'x'.repeat(80),
  'x'.repeat(81),
  `/${'x'.repeat(79)}`,
  `/${'x'.repeat(80)}`,
  'x'.repeat(65),
  `${'x'.repeat(31)}.${'y'.repeat(31)}`,
  `/${'x'.repeat(63)}`,
  `/${'x'.repeat(64)}`,
  'é'.repeat(32),
  `${'x'.repeat(62)}é`,
  'y'.repeat(64),
  'y'.repeat(65),
]
const ROLES = ['path', 'interface', 'member', 'error', 'destination', 'sender', 's', 'o', 'g', 'v', 'key'] as const

function inRole(role: (typeof ROLES)[number], text: string, byteOrder: 'little' | 'big'): Uint8Array {
  switch (role) {
    case 's':
    case 'o':
    case 'g':
      return referenceEncode(HEADER, role, [[role, text]], { byteOrder })
    case 'v':
      return referenceEncode(
        HEADER,
        'av',
        [
          [
            'a',
            'v',
            [
              ['v', 's', ['s', text]],
              ['v', 'o', ['o', text]],
            ],
          ],
        ],
        { byteOrder },
      )
    case 'key':
      return referenceEncode(HEADER, 'a{os}', [['a', '{os}', [['{', ['o', text], ['s', text]]]]], { byteOrder })
    default:
      return referenceEncode({ ...HEADER, [role]: text }, '', [], { byteOrder })
  }
}

/** The same few texts in every role, in any order, over and over; now and then with one byte changed. */
export function* textsInRoles(count: number, seed: number): Generator<Uint8Array> {
  const source = seededSource(seed)
  const all = TEXTS.flatMap((text) => ROLES.flatMap((role) => [inRole(role, text, 'little'), inRole(role, text, 'big')]))
  for (let i = 0; i < count; i++) {
    const message = all[source.below(all.length)]
    yield source.below(3) > 0 ? message : withByteChanged(source, message)
  }
}

function withByteChanged(source: Source, message: Uint8Array): Uint8Array {
  const changed = message.slice()
  changed[source.below(changed.length)] = source.below(256)
  return changed
}

/** Strangers that never say the same twice: every header and every text is new. */
export function* everNewTexts(count: number, seed: number): Generator<Uint8Array> {
  const source = seededSource(seed)
  for (let i = 0; i < count; i++) {
    const word = `n${i}x${source.below(1e9)}`
    const header = { ...HEADER, interface: `a.${word}`, member: word, path: `/${word}`, destination: `:1.${i}` }
    const message = referenceEncode(
      header,
      'ss',
      [
        ['s', word],
        ['s', `${word}é`],
      ],
      { byteOrder: i % 2 === 0 ? 'little' : 'big' },
    )
    yield source.below(3) > 0 ? message : withByteChanged(source, message)
  }
}

/** So many distinct signatures in one message, or in a row, that no table of plans has room for them. */
export function* manySignatures(count: number, seed: number): Generator<Uint8Array> {
  const source = seededSource(seed)
  const pool: Neutral[] = []
  for (const a of 'ybnqiu') {
    for (const b of 'xtdsog') {
      for (const c of 'ybnqiuxtdsogv') {
        pool.push(empty(`a${a}a${b}a${c}`), empty(`a(${a}${b}${c})`), empty(`a{${a}(${b}${c})}`))
      }
    }
  }
  for (let i = 0; i < count; i++) {
    const start = source.below(pool.length)
    const size = source.below(4) === 0 ? 600 + source.below(800) : source.below(20)
    const variants = Array.from({ length: size }, (_, n) => pool[(start + n) % pool.length])
    const message = referenceEncode(HEADER, 'av', [['a', 'v', variants]], { byteOrder: i % 2 === 0 ? 'little' : 'big' })
    yield message
    for (let n = 0; n < 3; n++) yield withByteChanged(source, message)
  }
}

/** A variant of a struct of empty arrays: any signature, hardly any bytes. */
function empty(signature: string): Neutral {
  if (!referenceSignature(signature).valid) throw new Error(`not a signature: ${signature}`)
  const members = signature.startsWith('a(') || signature.startsWith('a{') ? [signature] : signature.match(/a./g)!
  const values = members.map((member) => (member === 'ay' ? ['ay', ''] : ['a', member.slice(1), []]) as Neutral)
  return ['v', `(${signature})`, ['(', values]]
}
