// Every signature up to a length, in the three places where one stands: as a value, as the SIGNATURE field, in a variant.
import { encodeMarked, type HeaderInput } from '../reference/index.ts'
import { setUint32 } from './messages.ts'

export const ALPHABET = 'ybnqiuxtdsogva(){}h'
/** No type codes, though near ones: NUL, GVariant's maybe, the reserved codes of struct and dict entry, a space, 8 bits. */
const BAD = '\0mre \xff'

const HEADER: HeaderInput = { type: 4, serial: 1, path: '/', interface: 'a.b', member: 'M' }
/** Zeros for the values: enough for some types and too many for others, so that both ends of the walk are seen. */
const BODY = 24

type Place = 'value' | 'field' | 'variant'
const PLACES: readonly Place[] = ['value', 'field', 'variant']

interface Template {
  readonly bytes: Uint8Array
  readonly at: number
}

/** A message with room for `length` characters at `at`. */
function template(place: Place, length: number, byteOrder: 'little' | 'big'): Template {
  const characters = 'y'.repeat(length)
  if (place === 'field') {
    const values = Array.from(characters, () => ['y', 0] as ['y', number])
    const { bytes, marks } = encodeMarked(HEADER, characters, values, { byteOrder, emptySignature: true })
    return {
      bytes: withBody(bytes, bytes.length - length, BODY),
      at: marks.findLast((mark) => mark.kind === 'signature')!.offset,
    }
  }
  const { bytes, marks } = encodeMarked(HEADER, 'g', [['g', characters]], { byteOrder })
  const [field, value] = marks.filter((mark) => mark.kind === 'signature').slice(-2)
  if (place === 'value') return { bytes, at: value.offset }
  bytes[field.offset] = 0x76 // the same bytes as a variant: its value is the zeros that follow
  return { bytes: withBody(bytes, bytes.length - length - 2, length + 2 + BODY), at: value.offset }
}

/** The message with its body, of zeros beyond what it had, made `length` bytes long. */
function withBody(bytes: Uint8Array, bodyStart: number, length: number): Uint8Array {
  const longer = new Uint8Array(bodyStart + length)
  longer.set(bytes.subarray(0, longer.length))
  setUint32(longer, 4, length, bytes[0] === 0x6c)
  return longer
}

function* words(alphabet: readonly number[], length: number): Generator<Uint8Array> {
  const word = new Uint8Array(length)
  const digits = new Uint8Array(length)
  for (let i = 0; i < length; i++) word[i] = alphabet[0]
  for (;;) {
    yield word
    let i = length - 1
    while (i >= 0 && digits[i] === alphabet.length - 1) {
      digits[i] = 0
      word[i--] = alphabet[0]
    }
    if (i < 0) return
    word[i] = alphabet[++digits[i]]
  }
}

const codesOf = (text: string) => Array.from(text, (character) => character.charCodeAt(0))

/** All words of one length over the type codes and, up to length 3, the bad ones; each in every place given. */
export function* signatureMessages(length: number, places: readonly Place[] = PLACES): Generator<Uint8Array> {
  const alphabet = codesOf(length <= 3 ? ALPHABET + BAD : ALPHABET)
  const templates = places.flatMap((place) => [template(place, length, 'little'), template(place, length, 'big')])
  let turn = 0
  for (const word of words(alphabet, length)) {
    for (let place = 0; place < templates.length; place += 2) {
      // The order of bytes in turn: it touches the lengths, never the characters.
      const { bytes, at } = templates[place + (turn & 1)]
      const message = bytes.slice()
      message.set(word, at)
      yield message
    }
    turn++
  }
}

/** Deep and long signatures: every mix of opening codes up to and past the limits, closed or not. */
export function* deepSignatures(): Generator<Uint8Array> {
  const closed = (opening: string, inner: string) =>
    opening + inner + Array.from(opening).reverse().join('').replaceAll('a', '').replaceAll('(', ')')
  for (let arrays = 0; arrays <= 34; arrays++) {
    for (let structs = 0; structs <= 34; structs++) {
      const a = 'a'.repeat(arrays)
      const s = '('.repeat(structs)
      yield* inAllPlaces([a + s, closed(a + s, 'y'), closed(s + a, 's'), closed(`${a}(${a}`, 'y'), closed(s + a + s, 'v')])
    }
  }
  for (let entries = 0; entries <= 34; entries++) {
    for (const structs of [0, 1, 17, 31, 32, 33]) {
      const open = '('.repeat(structs) + 'a{y'.repeat(entries)
      yield* inAllPlaces([open, `${open}s${'}'.repeat(entries)}${')'.repeat(structs)}`])
      yield* inAllPlaces([`${'a{y'.repeat(entries)}${'('.repeat(structs)}s${')'.repeat(structs)}${'}'.repeat(entries)}`])
    }
  }
  for (let length = 250; length <= 255; length++) {
    yield* inAllPlaces(['y'.repeat(length), 'as'.repeat(length).slice(0, length), '(y)'.repeat(85).slice(0, length)])
  }
}

function* inAllPlaces(signatures: readonly string[]): Generator<Uint8Array> {
  for (const signature of signatures) {
    if (signature.length > 255) continue
    for (const place of PLACES) {
      const { bytes, at } = template(place, signature.length, signature.length % 2 === 0 ? 'little' : 'big')
      bytes.set(codesOf(signature), at)
      yield bytes
    }
  }
}
