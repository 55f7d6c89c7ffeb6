// How much work a message makes: bytes, characters and values looked at, as the debug build counts them. A peer pays for each step with
// a share of a byte, whatever it sends; the signature compiler, the table of plans and the window are part of it.
import { describe, expect, test } from 'vitest'
import { createCodec } from '../js/index.ts'
import { PLAN_BUCKET_COUNT, PLAN_CAPACITY, WINDOW_SIZE } from '../js/wire.ts'
import { CountingEngine } from './debug.ts'
import { FAMILIES, signatureNumber, variantsOf } from './hostile-messages.ts'
import { signalOf, wordOf } from './messages.ts'

// Structs in structs round one byte: 33 values in 8 bytes are the most.
const STEPS_PER_BYTE = 6
// A table that is emptied, a header that is looked up.
const STEPS_PER_MESSAGE = 4096

const KIB = 1024
const allowed = (bytes: Uint8Array) => STEPS_PER_BYTE * bytes.length + STEPS_PER_MESSAGE

describe.each(FAMILIES)('$name', ({ make, code = '' }) => {
  test.each([1, 64, 512])('%i KiB take steps in proportion', (size) => {
    const bytes = make(size * KIB)
    const engine = new CountingEngine()
    // The second time some of it is known; the third time it may be forgotten again.
    for (let round = 0; round < 3; round++) {
      const counted = engine.count(bytes)
      expect(counted.code).toBe(code)
      expect(counted.steps).toBeLessThanOrEqual(allowed(bytes))
      const structure = engine.count(bytes, { structure: true })
      expect(structure.steps).toBeLessThanOrEqual(allowed(bytes))
    }
    if (code === '') expect(engine.count(bytes, { swap: true }).steps).toBeLessThanOrEqual(2 * allowed(bytes))
  })

  test('twice the bytes take no more than twice the steps', () => {
    const [once, twice] = [256, 512].map((size) => make(size * KIB))
    const [before, after] = [once, twice].map((bytes) => new CountingEngine(7).count(bytes).steps)
    // Pieces of a size do not double to the byte: 7 texts of 33 000 bytes are followed by 15. The first piece is not counted, since
    // nothing is moved for it.
    expect(after).toBeLessThanOrEqual(1.05 * before * (twice.length / once.length) + 2 * WINDOW_SIZE)
  })
})

test('16 MiB of empty arrays take less than two steps a byte', () => {
  const bytes = signalOf('aay', Buffer.concat([wordOf(1 << 24), Buffer.alloc(1 << 24)]))
  const { code, values, steps } = new CountingEngine().count(bytes)
  expect({ code, values }).toEqual({ code: '', values: (1 << 22) + 1 })
  expect(steps).toBeLessThan(2 * bytes.length)
})

test('headers that come again take fewer steps, also after a thousand that did not', () => {
  const codec = createCodec()
  const engine = new CountingEngine()
  const steps = (n: number) =>
    engine.count(codec.encode({ type: 4, serial: 1, path: `/org/example/N${n}`, interface: 'org.example.Bench', member: 'M' }))
      .steps
  const fresh = Array.from({ length: 1000 }, (_, n) => steps(1000 + n)).at(-1)
  for (let round = 0; round < 16; round++) [7001, 7002].map(steps)
  expect(steps(7001)).toBeLessThan(fresh ?? 0)
  expect(steps(7002)).toBeLessThan(fresh ?? 0)
})

test('values stop being counted where maxValues stops them', () => {
  const bytes = FAMILIES[0].make(512 * KIB)
  const { code, steps } = new CountingEngine().count(bytes, { maxValues: 1000 })
  expect(code).toBe('ERR_DBUS_TOO_MANY_VALUES')
  // What is looked at lies in the second piece of the message, which is a whole window.
  expect(steps).toBeLessThan(STEPS_PER_MESSAGE + WINDOW_SIZE)
})

test('a claim is refused before anything of it is looked at', () => {
  const bytes = FAMILIES[0].make(512 * KIB).slice()
  bytes.set(wordOf(0x7fffffff), 4)
  const { code, steps, bytes: memory } = new CountingEngine().count(bytes)
  expect(code).toBe('ERR_DBUS_BODY_LENGTH')
  expect(steps).toBeLessThanOrEqual(STEPS_PER_MESSAGE)
  expect(memory).toBe(1 << 20)
})

describe('signatures whose hashes collide', () => {
  // What assembly/signature.ts does with a seed of 0.
  const bucketOf = (signature: string): number => {
    let hash = signature.length
    for (let i = 0; i < signature.length; i++) {
      const mixed = Math.imul(hash ^ signature.charCodeAt(i), 0x9e3779b1)
      hash = (mixed ^ (mixed >>> 15)) >>> 0
    }
    return hash & (PLAN_BUCKET_COUNT - 1)
  }
  const message = (signatures: readonly string[]) => {
    const variants = signatures.map((signature) => {
      const head = Buffer.concat([Buffer.from([signature.length]), Buffer.from(`${signature}\0`)])
      // Starts on a multiple of 8: padding, an empty array of structs, and what brings the next there.
      const padding = -head.length & 3
      const length = head.length + padding + 4
      return Buffer.concat([head, Buffer.alloc(padding + 4 + (-length & 7))])
    })
    return variantsOf(Buffer.concat(variants))
  }
  const all = Array.from({ length: 60_000 }, (_, i) => `a${signatureNumber(i, 29)}`)
  const colliding = all.filter((signature) => bucketOf(signature) < 1).slice(0, 50)
  const spread = all.slice(0, colliding.length)

  test('cost a few comparisons each, and no more', () => {
    expect(colliding.length).toBeGreaterThan(32)
    const cost = (signatures: readonly string[]) => {
      const engine = new CountingEngine(0)
      engine.count(message(signatures))
      const { code, steps } = engine.count(message(signatures))
      expect(code).toBe('')
      return steps
    }
    const most = cost(colliding)
    // The attack is one: without a limit each would be compared with all before it.
    expect(most).toBeGreaterThan(2 * cost(spread))
    expect(most).toBeLessThan((16 + 4) * message(colliding).length)
  })

  test('share the table with those that do not', () => {
    const engine = new CountingEngine(0)
    for (let round = 0; round < 3; round++) {
      expect(engine.count(message(colliding)).code).toBe('')
      expect(engine.count(message(spread)).code).toBe('')
    }
  })
})

test('a table of plans that is full is emptied once a message, at a fixed price', () => {
  const engine = new CountingEngine()
  const many = variantsOf(
    Buffer.concat(
      Array.from({ length: PLAN_CAPACITY + 100 }, (_, i) => {
        const signature = `a${signatureNumber(i, 6)}`
        return Buffer.concat([Buffer.from([signature.length]), Buffer.from(`${signature}\0`), Buffer.alloc(7)])
      }),
    ),
  )
  const small = signalOf('u', Buffer.alloc(4))
  const quiet = engine.count(small).steps
  for (let round = 0; round < 3; round++) {
    expect(engine.count(many).code).toBe('')
    expect(engine.count(small).steps).toBeLessThanOrEqual(quiet + STEPS_PER_MESSAGE)
    expect(engine.count(small).steps).toBeLessThanOrEqual(quiet + 256)
  }
})
