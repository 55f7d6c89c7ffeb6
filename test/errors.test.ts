import { describe, expect, test } from 'vitest'
import { FAULT_INCOMPLETE, FAULT_UTF8, FAULT_VALUE_RANGE } from '../assembly/shared/faults.ts'
import { DBusCodecError, FAULTS, isDBusCodecError } from '../js/errors.ts'
import { ENGINES } from './engines.ts'
import { errorsPage } from './errors-page.ts'
import { FAULT_EXAMPLES, provoke } from './fault-examples.ts'

const codes = Object.values(FAULTS).map(([code]) => code as string)

test('every fault has a code of its own', () => {
  expect(new Set(codes).size).toBe(codes.length)
  for (const code of codes) expect(code).toMatch(/^ERR_DBUS_[A-Z0-9_]+$/)
})

test('every fault has an example, in the order of the table', () => {
  expect([...new Set(FAULT_EXAMPLES.map(({ code }) => code))]).toEqual(codes)
})

describe.each(ENGINES)('engine %s', (engine) => {
  test.each(FAULT_EXAMPLES)('$code: $note', (example) => {
    const error = provoke(example, engine)
    expect(error.code).toBe(example.code)
    expect(error.offset).toBe(example.offset)
    expect(error.path).toBe(example.path)
    if (example.offset !== undefined) expect(error.message).toContain(`at byte ${example.offset}`)
    if (example.path !== undefined) expect(error.message).toContain(`at ${example.path}`)
  })
})

test('docs/errors.md is what the product says today (npm run docs:errors)', async () => {
  await expect(errorsPage()).toMatchFileSnapshot('../docs/errors.md')
})

describe('DBusCodecError', () => {
  test('says what, where and in which signature', () => {
    const error = new DBusCodecError(FAULT_VALUE_RANGE, {
      detail: 'expected a number from 0 to 255, got 256',
      path: 'body[0]',
      signature: 'y',
    })
    expect(error.message).toBe('a number is out of range: expected a number from 0 to 255, got 256, at body[0], in signature "y"')
    expect(new DBusCodecError(FAULT_UTF8, { offset: 7 }).message).toMatch(/, at byte 7$/)
  })

  test('is an Error with a name, a stack and no enumerable name', () => {
    const error = new DBusCodecError(FAULT_INCOMPLETE, { offset: 3 })
    expect(error).toBeInstanceOf(Error)
    expect(error.name).toBe('DBusCodecError')
    expect(error.stack).toContain('DBusCodecError')
    expect(Object.keys(error)).not.toContain('name')
  })

  test('keeps what user code threw as its cause, and has none otherwise', () => {
    const cause = new Error('from a getter')
    expect(new DBusCodecError(FAULT_VALUE_RANGE, { cause }).cause).toBe(cause)
    expect('cause' in new DBusCodecError(FAULT_VALUE_RANGE)).toBe(false)
  })

  test('is told by its brand, so that two copies of the package agree', () => {
    class Copy extends Error {}
    Object.defineProperty(Copy.prototype, Symbol.for('dbus-codec.error'), { value: true })
    expect(isDBusCodecError(new Copy())).toBe(true)
    expect(isDBusCodecError(new DBusCodecError(FAULT_UTF8))).toBe(true)
    for (const other of [new Error('x'), null, undefined, 7, 'ERR_DBUS_UTF8', {}]) expect(isDBusCodecError(other)).toBe(false)
  })
})
