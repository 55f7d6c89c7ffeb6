// The messages that the enumerations start from, and the numbers that random choices start from.
import { fileURLToPath } from 'node:url'
import { type CorpusRecord, corpusBytes, corpusRecords } from '../corpus.ts'

const VECTORS = fileURLToPath(new URL('../vectors/', import.meta.url))

/** Of test/vectors: valid messages of at most `longest` bytes, of the files whose names begin with `prefix`. */
export function validMessages(prefix: string, longest: number): Uint8Array[] {
  return corpusRecords(VECTORS, prefix)
    .filter((record) => record.valid === true && record.hex !== undefined && record.hex.length <= 2 * longest)
    .map(corpusBytes)
}

/** Every message of test/vectors, whatever it is worth. */
export function allMessages(): { record: CorpusRecord; bytes: () => Uint8Array }[] {
  return corpusRecords(VECTORS).map((record) => ({ record, bytes: () => corpusBytes(record) }))
}

/** Several times the inputs for a long run: DBUS_CODEC_SCALE=10. */
export const SCALE = Number(process.env.DBUS_CODEC_SCALE ?? 1)

/** Where the first 16 bytes say that the header's fields end and the body begins. */
export function layoutOf(bytes: Uint8Array): { little: boolean; fieldsEnd: number; bodyStart: number } {
  const little = bytes[0] !== 0x42
  const fieldsEnd = 16 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, little)
  return { little, fieldsEnd, bodyStart: Math.ceil(fieldsEnd / 8) * 8 }
}

export function setUint32(bytes: Uint8Array, at: number, value: number, little: boolean): void {
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(at, value, little)
}
