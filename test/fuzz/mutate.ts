// One input made from others: bytes changed blindly, or what the format calls for, and lengths mended so that the change is reached.
import { breakMessage, breakSeveral } from '../break.ts'
import { EDGES } from '../differential/bytes.ts'
import { generateMessage, once, pick, type Source } from '../generate.ts'

const CODES = [...'ybnqiuxtdsogva(){}h'].map((code) => code.charCodeAt(0))
const PIECES: readonly Uint8Array[] = [
  ...['a{sv}', 'av', '(yv)', 'a(ss)', 'aay', 'a{s(v)}', 'aaaa', '((((', '))))', 'a{yv}', 'ab', 'at', 'g', 'o'].map((signature) =>
    Uint8Array.from([signature.length, ...Buffer.from(signature), 0]),
  ),
  ...['/', '/a/b', ':1.7', 'a.b', 'org.freedesktop.DBus.Local', '/org/freedesktop/DBus/Local', 'é', '€', '😀', '\ud7ff'].map(
    (text) => Uint8Array.from([Buffer.byteLength(text), 0, 0, 0, ...Buffer.from(text), 0]),
  ),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 200].map((field) =>
    Uint8Array.from([field, 1, 0x73, 0, 1, 0, 0, 0, 0x61, 0, 0, 0, 0, 0, 0, 0]),
  ),
  Uint8Array.from([1, 0x76, 0, 1, 0x76, 0, 1, 0x79, 0, 1]),
  Uint8Array.from([0xed, 0xa0, 0x80]),
  Uint8Array.from([0xf4, 0x90, 0x80, 0x80]),
  Uint8Array.from([0xc0, 0x80]),
]

const LONGEST = 4096

/** The next input, from what has been kept so far. */
export function nextInput(source: Source, kept: readonly Uint8Array[]): Uint8Array {
  const kind = source.below(100)
  if (kind === 0) return generateMessage(source, { duplicateKeys: true, fieldTen: true }).bytes
  if (kind < 4) return breakMessage(source, generateMessage(source)).bytes
  if (kind === 4) return breakSeveral(source, generateMessage(source)).bytes
  // The newer half as often as all of them.
  const from = once(source, 2) ? kept.length >> 1 : 0
  let bytes: Uint8Array = kept[from + source.below(kept.length - from)].slice()
  for (let changes = 1 << source.below(5); changes > 0; changes--) bytes = change(source, bytes, kept)
  if (bytes.length > LONGEST) bytes = bytes.slice(0, LONGEST)
  if (!once(source, 6)) mend(bytes)
  return bytes
}

function change(source: Source, bytes: Uint8Array, kept: readonly Uint8Array[]): Uint8Array {
  const { length } = bytes
  if (length === 0) return Uint8Array.from(pick(source, PIECES))
  const at = source.below(length)
  const word = at & -4
  switch (source.below(13)) {
    case 0:
      bytes[at] = source.below(256)
      return bytes
    case 1:
      bytes[at] ^= 1 << source.below(8)
      return bytes
    case 2:
      bytes[at] += source.below(2) === 0 ? 1 : -1
      return bytes
    case 3:
    case 4:
      bytes[at] = pick(source, CODES)
      return bytes
    case 5:
      return setWord(bytes, word, pick(source, EDGES))
    case 6:
      return setWord(bytes, word, source.below(length))
    case 7:
      return splice(bytes, at, source.below(17), new Uint8Array(0))
    case 8:
      return splice(bytes, at, 0, bytes.subarray(at, at + source.below(33)))
    case 9: {
      const other = pick(source, kept)
      const start = source.below(other.length + 1)
      return splice(bytes, at, source.below(2) * source.below(33), other.subarray(start, start + source.below(65)))
    }
    case 10: {
      // The head of one with the tail of another: both keep their alignment.
      const other = pick(source, kept)
      const cut = (source.below(Math.min(length, other.length) + 1) >> 3) << 3
      return splice(bytes, cut, length, other.subarray(cut))
    }
    case 11:
      return splice(bytes, at, source.below(2) * 8, pick(source, PIECES))
    default:
      return splice(bytes, at & -8, 0, new Uint8Array(8 * source.below(4)))
  }
}

function setWord(bytes: Uint8Array, at: number, value: number): Uint8Array {
  if (at + 4 <= bytes.length) new DataView(bytes.buffer, bytes.byteOffset).setUint32(at, value, bytes[0] !== 0x42)
  return bytes
}

function splice(bytes: Uint8Array, at: number, remove: number, insert: Uint8Array): Uint8Array {
  const tail = bytes.subarray(Math.min(at + remove, bytes.length))
  const result = new Uint8Array(at + insert.length + tail.length)
  result.set(bytes.subarray(0, at))
  result.set(insert, at)
  result.set(tail, at + insert.length)
  return result
}

// A body length that is right, if the header's is.
function mend(bytes: Uint8Array): void {
  if (bytes.length < 16) return
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const little = bytes[0] !== 0x42
  const body = Math.ceil((16 + view.getUint32(12, little)) / 8) * 8
  if (body <= bytes.length) view.setUint32(4, bytes.length - body, little)
}
