// The benches' own inputs and yardsticks: figures about wrong messages, or against a validator that misses rules, are worth nothing.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { read } from '../bench/messages/read.js'
import { messagesOf, ROTATION, ROWS, type Row } from '../bench/messages/rows.js'
import { canonical } from '../bench/messages/types.js'
import { write } from '../bench/messages/write.js'
import { corpusDirectories, corpusRecords } from './corpus.ts'
import { referenceValidate } from './reference/index.ts'

const NATIVE = new URL('../bench/native/', import.meta.url).pathname
const lengthOf = (row: Row) => messagesOf(row, false).map((message) => write(message).length)[0]
const SMALL = ROWS.filter(({ size }) => size === 'small')

describe.each(ROWS)('the bench row $name', (row) => {
  test.each(['little', 'big'] as const)('is a valid message by the reference (%s)', (byteOrder) => {
    const [message] = messagesOf(row, false)
    const bytes = write(message, { byteOrder })
    // A megabyte takes the reference seconds: the 8 kB row of the same kind stands for it.
    if (bytes.length < 500_000) expect(referenceValidate(bytes)).toMatchObject({ valid: true })
    const again = read(bytes)
    expect(canonical(again.signature, again.body)).toBe(canonical(message.signature, message.body))
  })
})

describe.each(SMALL)('the rotation of $name', (row) => {
  test('is of valid messages that all differ and are as long as the row', () => {
    const wires = messagesOf(row, true).map((message) => write(message))
    expect(new Set(wires.map((bytes) => bytes.toString('latin1'))).size).toBe(ROTATION)
    expect(new Set(wires.map(({ length }) => length))).toEqual(new Set([lengthOf(row)]))
    for (let i = 0; i < wires.length; i += 101) expect(referenceValidate(wires[i])).toMatchObject({ valid: true })
  })
})

const hasCompiler = spawnSync('gcc', ['--version']).status === 0

test.skipIf(!hasCompiler)('the C validator of the benches gives the right verdict on every vector', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(`${tmpdir()}/dbus-codec-`)
  const command = `${folder}/validate`
  const sources = ['validate.c', 'validator.c', 'values.c', 'protocol.c']
  for (const flags of [[], ['-DVALIDATOR_SSE2']]) {
    if (flags.length && process.arch !== 'x64') continue
    expect(spawnSync('gcc', ['-O2', ...flags, '-o', command, ...sources], { cwd: NATIVE, encoding: 'utf8' }).stderr).toBe('')
    for (const directory of corpusDirectories()) {
      const messages = corpusRecords(directory).filter(({ hex, valid }) => hex !== undefined && valid !== null)
      const input = messages.map(({ hex }) => `${hex}\n`).join('')
      const { stdout } = spawnSync(command, ['--verdicts'], { input, encoding: 'utf8', maxBuffer: 1 << 26 })
      const wrong = messages.filter(({ valid }, i) => (stdout[2 * i] === '1') !== valid).map(({ name }) => name)
      expect(wrong).toEqual([])
    }
  }
  rmSync(folder, { recursive: true })
})
