// What this host is, and that a codec made without options takes the engine that it should have there.
import { expect, test } from 'vitest'
import { createCodec } from '../../js/index.ts'

const EXPECTED = process.env.DBUS_CODEC_TEST_DEFAULT

test('the engine chosen here is the best that works here', () => {
  const { name, reason } = createCodec().engine
  console.log(`node ${process.version} ${process.arch} ${process.execArgv.join(' ')}: engine ${name} (${reason})`)
  if (EXPECTED !== undefined) expect(name).toBe(EXPECTED)
  else expect(['simd', 'baseline', 'js']).toContain(name)
})

test('no code can be made from strings where that is forbidden', () => {
  if (!process.execArgv.includes('--disallow-code-generation-from-strings')) return
  expect(() => new Function('return 1')).toThrow(EvalError)
})
