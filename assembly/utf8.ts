// Strict UTF-8 as the specification wants it: no overlong form, no surrogate, nothing above U+10FFFF, no NUL. Noncharacters pass
// (Unicode Corrigendum 9).
import { count } from './fault'
import { get8, plainPrefix } from './memory'

// All bytes are from 1 to 127.
export const UTF8_PLAIN = -1
// Well-formed, with bytes above 127.
export const UTF8_WIDE = -2

// UTF8_PLAIN, UTF8_WIDE or the index of the first byte of the first ill-formed sequence.
export function utf8Fault(p: usize, length: u32): i32 {
  count(length)
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
    // Long runs of ASCII between: back to whole steps as soon as the address allows.
    if (((p + i) & 3) == 0) i += plainPrefix(p + i, length - i)
  }
  return wide ? UTF8_WIDE : UTF8_PLAIN
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
