// The reference codec against the corpus: only an oracle that agrees with libdbus may judge the product.
import { describe, expect, test } from 'vitest'
import { type CorpusRecord, corpusBytes, corpusDirectories, corpusRecords, corpusValues } from './corpus.ts'
import { referenceDecode, referenceEncode, referenceSwap, referenceValidate } from './reference/index.ts'

// Cut and bad at once: the label names what is bad, libdbus and we ask first whether the message is all there (VALIDATION 0.6).
const CUT_AND_BAD = ['mutant-props-le-del-11', 'mutant-error-be-ins-19']

const DIRECTORIES = corpusDirectories()
const directoryName = (directory: string) => directory.split('/').at(-2)

describe.each(DIRECTORIES.map((directory) => [directoryName(directory), directory]))('corpus %s', (_, directory) => {
  const records = corpusRecords(directory as string)
  const small = records.filter((record) => record.parts === undefined)
  const byName = new Map(small.map((record) => [`${record.file} ${record.name}`, record]))

  test('gives every verdict that is not open', () => {
    const wrong: string[] = []
    const judged = small.filter((record) => record.valid !== null)
    for (const record of judged) {
      const verdict = referenceValidate(corpusBytes(record))
      if (verdict.valid !== record.valid) wrong.push(describeRecord(record, verdict))
    }
    expect(wrong).toEqual([])
    console.log(`reference agrees with ${judged.length} verdicts of ${small.length} messages`)
  })

  test('tells a cut message from a bad one', () => {
    const wrong: string[] = []
    for (const record of small.filter(({ expect }) => expect === 'more' || expect === 'bad')) {
      const verdict = referenceValidate(corpusBytes(record))
      const more = !verdict.valid && verdict.code === 'ERR_DBUS_INCOMPLETE'
      const right = CUT_AND_BAD.includes(record.name) || more === (record.expect === 'more')
      if (!right) wrong.push(describeRecord(record, verdict))
    }
    expect(wrong).toEqual([])
  })

  test('gives every value', () => {
    const values = corpusValues(directory as string)
    for (const { file, name, value } of values) {
      const record = byName.get(`${file} ${name}`)
      expect(record, `${file} ${name}`).toBeDefined()
      const { header, body } = referenceDecode(corpusBytes(record as CorpusRecord))
      const { fields, ...facts } = header
      expect({ ...facts, body }, `${file} ${name}`).toEqual(value)
      expect(fields.length).toBeGreaterThan(0)
    }
    console.log(`reference agrees with ${values.length} values`)
  })

  test('writes every valid message byte for byte, and swaps it there and back', () => {
    for (const record of small.filter(({ valid }) => valid === true)) {
      const bytes = corpusBytes(record)
      const { header, body } = referenceDecode(bytes)
      const byteOrder = header.endian === 'l' ? 'little' : 'big'
      const again = referenceEncode(header, header.signature, body, { byteOrder, fields: header.fields })
      expect(Buffer.compare(again, bytes), `${record.file} ${record.name}`).toBe(0)
      const swapped = referenceSwap(bytes)
      expect(referenceDecode(swapped).body).toEqual(body)
      expect(Buffer.compare(referenceSwap(swapped), bytes), `${record.file} ${record.name}`).toBe(0)
    }
  })

  test('gives the verdict on messages of many megabytes', () => {
    for (const record of records.filter(({ parts }) => parts !== undefined)) {
      expect(referenceValidate(corpusBytes(record)).valid, record.name).toBe(record.valid)
    }
  }, 120_000)
})

function describeRecord(record: CorpusRecord, verdict: unknown): string {
  return `${record.file} ${record.name} (${record.note}): ${JSON.stringify(verdict)}`
}
