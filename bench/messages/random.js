// Seeded numbers and texts: the same seed gives the same messages on every machine and in every process.

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const DIGITS = '0123456789'
const PRINTABLE = `${LOWER}${UPPER}${DIGITS} .,;:-_/()=+*`

/** xorshift32: small, fast, and good enough to keep messages apart. */
export class Random {
  #state

  constructor(seed) {
    this.#state = seed >>> 0 || 1
  }

  /** A whole number from 0 to 2^32 - 1. */
  next() {
    let x = this.#state
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.#state = x >>> 0
    return this.#state
  }

  /** A whole number from 0 to n - 1. */
  below(n) {
    return Math.floor((this.next() / 4294967296) * n)
  }

  pick(list) {
    return list[this.below(list.length)]
  }

  /** A text of n characters of the alphabet. It goes through a Buffer so that it is one flat string, never a rope. */
  text(n, alphabet = PRINTABLE) {
    const bytes = Buffer.allocUnsafe(n)
    for (let i = 0; i < n; i++) bytes[i] = alphabet.charCodeAt(this.below(alphabet.length))
    return bytes.latin1Slice(0, n)
  }

  hex(n, digits = '0123456789ABCDEF') {
    return this.text(n, digits)
  }

  /** A name element: a capital, then small letters. */
  name(n) {
    return flat(this.text(1, UPPER) + this.text(n - 1, LOWER))
  }

  digits(n) {
    return flat(this.text(1, '123456789') + this.text(n - 1, DIGITS))
  }

  bytes(n) {
    const bytes = Buffer.allocUnsafe(n)
    for (let i = 0; i < n; i++) bytes[i] = this.next() >>> 24
    return bytes
  }
}

/** The same ASCII text as one flat string: a rope would be flattened inside the first measurement that touches it. */
export function flat(text) {
  return Buffer.from(text, 'latin1').latin1Slice()
}
