// Dict keys that a peer has chosen to collide. Engines hash texts with a secret, numbers without one (V8's ComputeUnseededHash and
// ComputeLongHash): keys that share a bucket are easily found, and a Map of n of them takes n²/2 steps: 512 kB of wire, six seconds.

/** A dict of no more keys than this is not looked at: it costs half as many steps a key at most. */
const FEW_KEYS = 1024
/** So many keys in one bucket are no accident: 12 are the most that random keys have. */
const MOST_IN_BUCKET = 64

/** Counts the keys of a dict by bucket. @internal */
export class Buckets {
  private readonly counts: Uint8Array

  private constructor(keys: number) {
    // V8 has a bucket for every two keys that there is room for; room doubles.
    this.counts = new Uint8Array(1 << (31 - Math.clz32(keys - 1)))
  }

  /** For a dict of so many keys, when there are enough of them to do harm. */
  static of(keys: number): Buckets | undefined {
    return keys > FEW_KEYS ? new Buckets(keys) : undefined
  }

  /** Whether this key's bucket is not too full. */
  take(key: unknown): boolean {
    const hash = hashOf(key)
    return hash < 0 || ++this.counts[hash & (this.counts.length - 1)] <= MOST_IN_BUCKET
  }
}

// -1: hashed with a secret.
function hashOf(key: unknown): number {
  if (typeof key === 'number') return (key | 0) === key ? hash32(key) : hash64(bitsOf(key))
  if (typeof key === 'bigint') return hash64(key < 0n ? -key : key)
  // Short texts that are an array index are hashed as what they say.
  return typeof key === 'string' && key.length < 8 && /^(?:0|[1-9][0-9]*)$/.test(key) ? Number(key) : -1
}

function hash32(key: number): number {
  let hash = ~key + (key << 15)
  hash ^= hash >>> 12
  hash += hash << 2
  hash ^= hash >>> 4
  hash = Math.imul(hash, 2057)
  hash ^= hash >>> 16
  return hash & 0x3fffffff
}

function hash64(key: bigint): number {
  let hash = BigInt.asUintN(64, (key << 18n) - key - 1n)
  hash ^= hash >> 31n
  hash = BigInt.asUintN(64, hash * 21n)
  hash ^= hash >> 11n
  hash = BigInt.asUintN(64, hash * 65n)
  hash ^= hash >> 22n
  return Number(hash & 0x3fffffffn)
}

const double = new Float64Array(1)
const bits = new BigUint64Array(double.buffer)

function bitsOf(key: number): bigint {
  double[0] = key
  return bits[0]
}
