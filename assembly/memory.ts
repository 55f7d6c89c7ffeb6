// The only file with raw loads and stores; everyone else calls it, and all of it inlines. Aligned unless the name says "Any":
// wasm2js turns an access into a typed-array access and would silently read the wrong bytes at an unaligned address.

// @ts-ignore: decorator
@inline export function get8(p: usize): u32 {
  return load<u8>(p)
}
// @ts-ignore: decorator
@inline export function get16(p: usize): u32 {
  return load<u16>(p)
}
// @ts-ignore: decorator
@inline export function get32(p: usize): u32 {
  return load<u32>(p)
}
// @ts-ignore: decorator
@inline export function get64Any(p: usize): u64 {
  return load<u64>(p)
}
// @ts-ignore: decorator
@inline export function get128Any(p: usize): v128 {
  return v128.load(p)
}
// @ts-ignore: decorator
@inline export function put8(p: usize, value: u32): void {
  store<u8>(p, value)
}
// @ts-ignore: decorator
@inline export function put16(p: usize, value: u32): void {
  store<u16>(p, value)
}
// @ts-ignore: decorator
@inline export function put32(p: usize, value: u32): void {
  store<u32>(p, value)
}

// Multiplicative hash of 32-bit words (the constant is 2^32 over the golden ratio): no 64-bit multiply, which wasm2js has to emulate.
// @ts-ignore: decorator
@inline export function mix(hash: u32, word: u32): u32 {
  const h = (hash ^ word) * 0x9e3779b1
  return h ^ (h >>> 15)
}

// Hash of `length` bytes, a multiple of 8, at an 8-aligned address: four lanes, since one would wait for its own multiplications.
export function hashBlock(p: usize, length: u32, seed: u32): u32 {
  let a = seed
  let b = length
  let c: u32 = 0x85ebca6b
  let d: u32 = 0xc2b2ae35
  const end = p + length
  for (; p + 16 <= end; p += 16) {
    a = rotl<u32>((a ^ load<u32>(p)) * 0x9e3779b1, 13)
    b = rotl<u32>((b ^ load<u32>(p, 4)) * 0x9e3779b1, 13)
    c = rotl<u32>((c ^ load<u32>(p, 8)) * 0x9e3779b1, 13)
    d = rotl<u32>((d ^ load<u32>(p, 12)) * 0x9e3779b1, 13)
  }
  if (p < end) {
    a = rotl<u32>((a ^ load<u32>(p)) * 0x9e3779b1, 13)
    b = rotl<u32>((b ^ load<u32>(p, 4)) * 0x9e3779b1, 13)
  }
  return mix(mix(mix(a, b), c), d)
}

// Of a mask of 16 bytes, what belongs to the first `length`, at most 16.
// @ts-ignore: decorator
@inline function among(mask: u32, length: u32): u32 {
  return mask & ((1 << length) - 1)
}

// Whether two runs of `length` bytes are equal; both 4-aligned, both readable up to the next multiple of 4. With SIMD, here and below,
// the last step of a long run overlaps the one before, and that of a short one goes beyond it: there always is memory.
export function equal(a: usize, b: usize, length: u32): bool {
  if (ASC_FEATURE_SIMD) {
    if (length <= 16) return among(i8x16.bitmask(i8x16.ne(v128.load(a), v128.load(b))), length) == 0
    const last = a + length - 16
    for (; a < last; a += 16) {
      if (v128.any_true(v128.xor(v128.load(a), v128.load(b)))) return false
      b += 16
    }
    return !v128.any_true(v128.xor(v128.load(last), v128.load(b + last - a)))
  }
  let n = length
  while (n >= 4) {
    if (load<u32>(a) != load<u32>(b)) return false
    a += 4
    b += 4
    n -= 4
  }
  return n == 0 || ((load<u32>(a) ^ load<u32>(b)) << ((4 - n) << 3)) == 0
}

// Copies `length` bytes rounded up to a multiple of 4, or of 16 with SIMD; both 4-aligned. A loop beats memory.copy up to a few hundred
// bytes (DESIGN §8), and the js engine has no memory.copy.
export function copyWords(to: usize, from: usize, length: u32): void {
  const end = from + length
  if (ASC_FEATURE_SIMD) {
    for (; from < end; from += 16) {
      v128.store(to, v128.load(from))
      to += 16
    }
    return
  }
  while (from < end) {
    store<u32>(to, load<u32>(from))
    from += 4
    to += 4
  }
}

export function zero(p: usize, end: usize): void {
  while (p < end) {
    store<u32>(p, 0)
    p += 4
  }
}

// Reverses each element of `size` bytes (2, 4 or 8); p is aligned to 4 at least, length is a multiple of size.
export function swapElements(p: usize, length: u32, size: u32): void {
  const end = p + length
  if (ASC_FEATURE_SIMD) {
    // prettier-ignore
    const order = size == 2
      ? i8x16(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14)
      : size == 4
        ? i8x16(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)
        : i8x16(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8)
    while (p + 16 <= end) {
      v128.store(p, i8x16.swizzle(v128.load(p), order))
      p += 16
    }
  }
  if (size == 2) {
    for (; p < end; p += 2) store<u16>(p, bswap<u16>(load<u16>(p)))
  } else if (size == 4) {
    for (; p < end; p += 4) store<u32>(p, bswap<u32>(load<u32>(p)))
  } else {
    for (; p < end; p += 8) {
      const low = load<u32>(p)
      store<u32>(p, bswap<u32>(load<u32>(p, 4)))
      store<u32>(p, bswap<u32>(low), 4)
    }
  }
}

// Index of the first of `length` bytes, in whole steps of 64, 16 or 4, whose step has a byte outside 1 to 127; what is not
// looked at (the rest below a step) is the caller's. p is 4-aligned.
// @ts-ignore: decorator
@inline export function plainPrefix(p: usize, length: u32): u32 {
  let i: u32 = 0
  if (ASC_FEATURE_SIMD) {
    while (i + 16 <= length) {
      // Signed, 0 and all from 128 are below 1.
      if (v128.any_true(i8x16.lt_s(v128.load(p + i), i8x16.splat(1)))) return i
      i += 16
      // Only here, so that a short text does not pay for the question.
      while (i + 64 <= length) {
        const q = p + i
        const least = i8x16.min_s(
          i8x16.min_s(v128.load(q), v128.load(q, 16)),
          i8x16.min_s(v128.load(q, 32), v128.load(q, 48)),
        )
        if (v128.any_true(i8x16.lt_s(least, i8x16.splat(1)))) break
        i += 64
      }
    }
  }
  while (i + 4 <= length) {
    const word = load<u32>(p + i)
    // A zero byte borrows and so sets its top bit; a byte from 128 has it set.
    if (((word - 0x01010101) | word) & 0x80808080) return i
    i += 4
  }
  return i
}

// Whether all bytes are from 1 to 127. p is 4-aligned.
export function isPlain(p: usize, length: u32): bool {
  if (ASC_FEATURE_SIMD) {
    if (length <= 16) return among(i8x16.bitmask(i8x16.lt_s(v128.load(p), i8x16.splat(1))), length) == 0
    const last = p + length - 16
    for (; p < last; p += 16) {
      if (v128.any_true(i8x16.lt_s(v128.load(p), i8x16.splat(1)))) return false
    }
    return !v128.any_true(i8x16.lt_s(v128.load(last), i8x16.splat(1)))
  }
  for (let i = plainPrefix(p, length); i < length; i++) {
    if ((load<u8>(p + i) as u32) - 1 >= 127) return false
  }
  return true
}

// Whether the `length` bytes at p are from 1 to 127 and a NUL follows them; with SIMD only. What may look beyond the text, as above.
// @ts-ignore: decorator
@inline export function isPlainWithNul(p: usize, length: u32): bool {
  let i: u32 = 0
  let others: u32
  do {
    others = i8x16.bitmask(i8x16.lt_s(v128.load(p + i), i8x16.splat(1)))
    if (others != 0) break
    i += 16
  } while (i <= length)
  return i + ctz<u32>(others) == length && load<u8>(p + length) == 0
}

// Index of the first of `length` 32-bit words that is neither 0 nor 1 in the given byte order, or -1. 4-aligned.
export function booleanFault(p: usize, length: u32, big: bool): i32 {
  for (let i: u32 = 0; i < length; i += 4) {
    const word = load<u32>(p + i)
    if (word > 1 && !(big && word == 0x01000000)) return i
    if (big && word == 1) return i
  }
  return -1
}

// Adds pages; false when the engine has no more to give.
export function grow(pages: i32): bool {
  return memory.grow(pages) >= 0
}

export function pages(): u32 {
  return memory.size()
}
