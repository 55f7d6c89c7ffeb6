// Strict UTF-8 as the specification wants it: no overlong form, no surrogate, nothing above U+10FFFF, no NUL. Noncharacters pass
// (Unicode Corrigendum 9).
import { count } from './fault'
import { get128Any, get8, isPlain, plainPrefix } from './memory'

// All bytes are from 1 to 127.
export const UTF8_PLAIN = -1
// Well-formed, with bytes above 127.
export const UTF8_WIDE = -2

// Up to this length a text is looked at twice when it is not all ASCII.
const SHORT: u32 = 64

// Bytes looked at in one go. A single block is quicker already than sequence after sequence (bench/text.js).
const BLOCK: u32 = 16

// UTF8_PLAIN, UTF8_WIDE or the index of the first byte of the first ill-formed sequence.
export function utf8Fault(p: usize, length: u32): i32 {
  count(length)
  if (ASC_FEATURE_SIMD && length <= SHORT && isPlain(p, length)) return UTF8_PLAIN
  let i: u32 = (p & 3) == 0 ? plainPrefix(p, length) : 0
  let wide = false
  while (i < length) {
    const c = get8(p + i)
    if (c - 1 < 0x7f) {
      i += 1
      continue
    }
    const bytes = sequence(p + i, length - i, c)
    if (bytes == 0) return i
    i += bytes
    wide = true
    if (ASC_FEATURE_SIMD) {
      // A block depends on the three bytes before it; with two of the text behind, the third is a stranger's.
      if (length - i >= BLOCK && get8(p + i - 3) < 0xf0) i = wideEnd(p + i, p + length) - p
    } else if (((p + i) & 3) == 0) {
      // Long runs of ASCII between: back to whole steps as soon as the address allows.
      i += plainPrefix(p + i, length - i)
    }
  }
  return wide ? UTF8_WIDE : UTF8_PLAIN
}

// What may be wrong with two bytes that follow one another, a bit each. The first byte's upper half, its lower half and the
// second byte's upper half each say which of these they allow; what all three allow is so. Keiser and Lemire, "Validating UTF-8
// In Less Than One Instruction Per Byte" (2021); a NUL as the first byte is our addition, for which LONG3 has room.
const UNFINISHED: i8 = 0x01 // a first byte, and no continuation after it
const LOOSE: i8 = 0x02 // a continuation after ASCII
const LONG3: i8 = 0x04 // E0 or NUL, and not A0 to BF after it
const BEYOND: i8 = 0x08 // F4 and 90 to BF, F5 to FF and 90 to BF
const SURROGATE: i8 = 0x10 // ED and A0 to BF
const LONG2: i8 = 0x20 // C0 or C1, and a continuation
const LONG4: i8 = 0x40 // F0 or F5 to FF, and 80 to 8F
const SECOND: i8 = -0x80 // two continuations: wrong unless a sequence of three or four bytes has begun before

// Looks at blocks of 16 bytes from p, where a sequence starts, up to `end`, at least 16 bytes on. Up to the result all is well,
// and a sequence starts there: the last one of the text, or one shortly before the first fault. The two bytes before p have been
// found well-formed; the third has been, too, or is below F0.
function wideEnd(p: usize, end: usize): usize {
  if (ASC_FEATURE_SIMD) {
    // The same sets for many halves.
    const ANY = UNFINISHED | LOOSE | SECOND
    const FROM_F5 = ANY | BEYOND | LONG4
    const NO_CONTINUATION = UNFINISHED | LONG3
    const CONTINUATION = LOOSE | LONG2 | SECOND
    // prettier-ignore
    const upper = i8x16(
      LOOSE | LONG3, LOOSE, LOOSE, LOOSE, LOOSE, LOOSE, LOOSE, LOOSE,
      SECOND, SECOND, SECOND, SECOND, UNFINISHED | LONG2, UNFINISHED,
      UNFINISHED | LONG3 | SURROGATE, UNFINISHED | BEYOND | LONG4)
    // prettier-ignore
    const lower = i8x16(
      ANY | LONG2 | LONG3 | LONG4, ANY | LONG2, ANY, ANY, ANY | BEYOND, FROM_F5, FROM_F5, FROM_F5,
      FROM_F5, FROM_F5, FROM_F5, FROM_F5, FROM_F5, FROM_F5 | SURROGATE, FROM_F5, FROM_F5)
    // prettier-ignore
    const next = i8x16(
      NO_CONTINUATION, NO_CONTINUATION, NO_CONTINUATION, NO_CONTINUATION,
      NO_CONTINUATION, NO_CONTINUATION, NO_CONTINUATION, NO_CONTINUATION,
      CONTINUATION | LONG3 | LONG4, CONTINUATION | LONG3 | BEYOND,
      CONTINUATION | SURROGATE | BEYOND, CONTINUATION | SURROGATE | BEYOND,
      NO_CONTINUATION, NO_CONTINUATION, NO_CONTINUATION, NO_CONTINUATION)
    const half = i8x16.splat(15)
    const last = end - BLOCK
    let at = p
    while (true) {
      // What stands before each byte is loaded again, one to three bytes further back: smaller than shuffles.
      const block = get128Any(at)
      const third = get128Any(at - 3)
      // ASCII after ASCII needs no more.
      if (v128.any_true(i8x16.lt_s(i8x16.min_s(block, third), i8x16.splat(1)))) {
        const first = get128Any(at - 1)
        // By words, since there is no shift of bytes in x86.
        const wrong = v128.and(
          v128.and(
            i8x16.swizzle(upper, v128.and(i16x8.shr_u(first, 4), half)),
            i8x16.swizzle(lower, v128.and(first, half)),
          ),
          i8x16.swizzle(next, v128.and(i16x8.shr_u(block, 4), half)),
        )
        // The top bit where there must be a second continuation: two bytes after E0 or more, three after F0 or more.
        const begun = v128.or(
          i8x16.sub_sat_u(get128Any(at - 2), i8x16.splat(0x60)),
          i8x16.sub_sat_u(third, i8x16.splat(0x70)),
        )
        if (v128.any_true(v128.xor(wrong, v128.and(begun, i8x16.splat(-128))))) break
      }
      if (at == last) {
        at = end
        break
      }
      // The last block may overlap the one before.
      at = min(at + BLOCK, last)
    }
    if (at == p) return p
    // A sequence that the block's end may cut, and a NUL there, are for the caller.
    do at--
    while ((get8(at) & 0xc0) == 0x80)
    return at
  }
  return p
}

// Bytes of the well-formed sequence that starts with c (NUL or above 127) at p, 0 if there is none within `left` bytes.
function sequence(p: usize, left: u32, c: u32): u32 {
  if (c < 0xc2 || c > 0xf4 || left < 2) return 0
  const second = get8(p + 1)
  if (c < 0xe0) return (second & 0xc0) == 0x80 ? 2 : 0
  // The second byte's range rules out overlong forms, surrogates and what is above U+10FFFF (Unicode, table 3-7).
  let low: u32 = 0x80
  let high: u32 = 0xbf
  if (c == 0xe0) low = 0xa0
  else if (c == 0xed) high = 0x9f
  else if (c == 0xf0) low = 0x90
  else if (c == 0xf4) high = 0x8f
  if (second < low || second > high || left < 3 || (get8(p + 2) & 0xc0) != 0x80) return 0
  if (c < 0xf0) return 3
  return left >= 4 && (get8(p + 3) & 0xc0) == 0x80 ? 4 : 0
}

// Bytes at the end of a piece that may be the start of a sequence whose rest is in the next piece: 0 to 3.
export function utf8Tail(p: usize, length: u32): u32 {
  const most = min<u32>(length, 3)
  for (let back: u32 = 1; back <= most; back++) {
    const c = get8(p + length - back)
    if (c < 0x80) return 0
    if (c >= 0xc0) {
      const bytes: u32 = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2
      return bytes > back ? back : 0
    }
  }
  return 0
}
