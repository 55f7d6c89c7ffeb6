// Names and object paths (specification, "Valid Names", "Valid Object Paths"). Each check gives -1 or the index of the first
// character that may not stand there; the length when something is missing at the end; 0 when the name is empty or too long.
import { get128Any, get8 } from './memory'
import { MAX_NAME_LENGTH } from './shared/wire'

const DOT: u32 = 46
const SLASH: u32 = 47
const COLON: u32 = 58
const HYPHEN: u32 = 45
const UNDERSCORE: u32 = 95

// @ts-ignore: decorator
@inline function letter(c: u32): bool {
  return (c | 32) - 97 < 26 || c == UNDERSCORE
}
// @ts-ignore: decorator
@inline function digit(c: u32): bool {
  return c - 48 < 10
}

// Elements split by dots from index `from` on, at least `least` of them.
function elements(p: usize, from: u32, length: u32, least: u32, hyphens: bool, digits: bool): i32 {
  let first = true
  let n: u32 = 1
  for (let i = from; i < length; i++) {
    const c = get8(p + i)
    if (c == DOT) {
      if (first) return i
      first = true
      n += 1
    } else if (letter(c) || (hyphens && c == HYPHEN) || (digit(c) && (digits || !first))) {
      first = false
    } else {
      return i
    }
  }
  return first || n < least ? length : -1
}

const MANY: u32 = 0xffffffff

// Whether all of the name is plainly right; sixteen characters a step. What is not is looked at again, one by one, for its place.
// `first`: whether an element's first character may be a digit.
function plainly(p: usize, length: u32, separator: u32, first: bool, hyphens: bool, least: u32, most: u32): bool {
  let starts: u32 = 1
  let elements: u32 = 1
  for (let i: u32 = 0; i < length; i += 16) {
    const v = get128Any(p + i)
    const shown: u32 = length - i < 16 ? (1 << (length - i)) - 1 : 0xffff
    const letters = i8x16.lt_u(i8x16.sub(v128.or(v, i8x16.splat(0x20)), i8x16.splat(97)), i8x16.splat(26))
    const digits = i8x16.lt_u(i8x16.sub(v, i8x16.splat(48)), i8x16.splat(10))
    const separators: u32 = i8x16.bitmask(i8x16.eq(v, i8x16.splat(separator as i8))) & shown
    let others = i8x16.eq(v, i8x16.splat(95))
    if (hyphens) others = v128.or(others, i8x16.eq(v, i8x16.splat(45)))
    const allowed: u32 = i8x16.bitmask(v128.or(v128.or(letters, digits), others)) | separators
    if ((allowed & shown) != shown) return false
    const begin = (separators << 1) | starts
    if (begin & separators) return false
    if (!first && begin & i8x16.bitmask(digits)) return false
    starts = (separators >>> 15) & 1
    if (length - i <= 16 && (separators >>> (length - i - 1)) & 1) return false
    elements += popcnt<u32>(separators)
  }
  return elements >= least && elements <= most
}

// Interface names; error names follow the same rules.
export function interfaceFault(p: usize, length: u32): i32 {
  if (length - 1 >= <u32>MAX_NAME_LENGTH) return 0
  if (ASC_FEATURE_SIMD && plainly(p, length, DOT, false, false, 2, MANY)) return -1
  return elements(p, 0, length, 2, false, false)
}

export function memberFault(p: usize, length: u32): i32 {
  if (length - 1 >= <u32>MAX_NAME_LENGTH) return 0
  if (ASC_FEATURE_SIMD && plainly(p, length, DOT, false, false, 1, 1)) return -1
  for (let i: u32 = 0; i < length; i++) {
    const c = get8(p + i)
    if (!letter(c) && !(digit(c) && i > 0)) return i
  }
  return -1
}

// A unique name has two elements at least: libdbus takes ":" and ":1" as well, the specification does not (VALIDATION.md 5.5).
export function busNameFault(p: usize, length: u32): i32 {
  if (length - 1 >= <u32>MAX_NAME_LENGTH) return 0
  if (get8(p) == COLON) {
    if (ASC_FEATURE_SIMD && length > 1 && plainly(p + 1, length - 1, DOT, true, true, 2, MANY)) return -1
    return elements(p, 1, length, 2, true, true)
  }
  if (ASC_FEATURE_SIMD && plainly(p, length, DOT, false, true, 2, MANY)) return -1
  return elements(p, 0, length, 2, true, false)
}

// Whether the next character of the path in pieces may be a slash no more; -1 before the first character.
let afterSlash: i32 = -1

export function pathFault(p: usize, length: u32): i32 {
  if (ASC_FEATURE_SIMD && length > 1 && get8(p) == SLASH && plainly(p + 1, length - 1, SLASH, true, false, 1, MANY)) return -1
  afterSlash = -1
  const at = pathPiece(p, length)
  return at >= 0 ? at : pathEnd(length)
}

export function startPath(): void {
  afterSlash = -1
}

// A piece of a path that is longer than the window: -1 or the index in this piece.
export function pathPiece(p: usize, length: u32): i32 {
  let i: u32 = 0
  if (afterSlash < 0) {
    if (length == 0) return -1
    if (get8(p) != SLASH) return 0
    afterSlash = 2
    i = 1
  }
  let slash = afterSlash
  for (; i < length; i++) {
    const c = get8(p + i)
    if (c == SLASH) {
      if (slash) return i
      slash = 1
    } else if (letter(c) || digit(c)) {
      slash = 0
    } else {
      return i
    }
  }
  afterSlash = slash
  return -1
}

// What is missing at the end of a path of `length` characters: -1 when nothing is. "/" alone is complete, "/a/" is not.
export function pathEnd(length: u32): i32 {
  return afterSlash == 0 || afterSlash == 2 ? -1 : length
}

// "org.freedesktop.DBus.Local" and "/org/freedesktop/DBus/Local", which nobody may send: compared exactly.
export function isLocal(p: usize, length: u32, slashes: bool): bool {
  const from: u32 = slashes ? 1 : 0
  if (length - from != 26) return false
  if (slashes && get8(p) != SLASH) return false
  const text = LOCAL
  for (let i: u32 = 0; i < 26; i++) {
    let c = get8(text + i)
    if (slashes && c == DOT) c = SLASH
    if (get8(p + from + i) != c) return false
  }
  return true
}

// prettier-ignore
const LOCAL: usize = memory.data<u8>([
  111, 114, 103, 46, 102, 114, 101, 101, 100, 101, 115, 107, 116, 111, 112, 46, 68, 66, 117, 115, 46, 76, 111, 99, 97, 108,
])
