// One input of the fuzzer: the js engine, which the fuzzer sees into, and the reference have to give the same verdict, code and offset;
// what is valid survives swapping and being written anew. Anything thrown here is a finding.
import { createCodec, isDBusCodecError } from '../../js/index.ts'
import { bodyToNeutral, isLossless, kept } from '../neutral.ts'
import { referenceDecode, referenceSwap, referenceValidate } from '../reference/index.ts'

Error.stackTraceLimit = 0

const codec = createCodec({ engine: 'js' })
const wasm = [createCodec({ engine: 'simd' }), createCodec({ engine: 'baseline' })]
const structure = createCodec({ engine: 'js', validation: 'structure' })
// Objects put keys that look like numbers first; Maps keep the order of the wire.
const ordered = createCodec({ engine: 'js', dict: 'map' })
const shaped = createCodec({ engine: 'js', dict: 'map', variant: 'unwrap', arrays: 'plain', bytes: 'view' })

/** Verdicts seen, for the figures. */
export const seen = new Map<string, number>()
/** Inputs judged. */
export let inputs = 0

function said(of: Pick<typeof codec, 'validate'>, bytes: Uint8Array): string {
  const { valid, error } = of.validate(bytes)
  return valid ? 'valid' : `${error.code} at ${error.offset}`
}

function same(what: string, a: unknown, b: unknown): void {
  if (a !== b) throw new Error(`${what}: ${a} and ${b}`)
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')

/** Judges one input; throws when anyone disagrees. */
export function judge(data: Uint8Array): void {
  const bytes = new Uint8Array(data)
  inputs++
  const verdict = referenceValidate(bytes)
  const expected = verdict.valid ? 'valid' : `${verdict.code} at ${verdict.offset}`
  const name = verdict.valid ? 'valid' : verdict.code
  seen.set(name, (seen.get(name) ?? 0) + 1)
  same('js and reference', said(codec, bytes), expected)
  for (const other of wasm) same(`${other.engine.name} and reference`, said(other, bytes), expected)
  try {
    const message = structure.decode(bytes)
    if (verdict.valid) same('structure and full', text(message), text(codec.decode(bytes)))
  } catch (error) {
    if (!isDBusCodecError(error) || verdict.valid) throw error
  }
  if (verdict.valid) roundTrip(bytes)
}

const text = (value: unknown) =>
  JSON.stringify(value, (_, part) => {
    if (typeof part === 'bigint') return `${part}n`
    if (typeof part === 'number') return Object.is(part, -0) ? '-0' : String(part)
    return part instanceof Map ? [...part] : part
  })

function roundTrip(bytes: Uint8Array): void {
  const reference = referenceDecode(bytes)
  const message = codec.decode(bytes)
  shaped.decode(bytes)
  same(
    'values',
    JSON.stringify(bodyToNeutral(message.signature, message.body).map(kept)),
    JSON.stringify(reference.body.map(kept)),
  )
  const swapped = codec.swap(bytes)
  same('swap', hex(swapped), hex(referenceSwap(bytes)))
  same('swap twice', hex(codec.swap(swapped)), hex(bytes))
  for (const other of wasm) same(`swap on ${other.engine.name}`, hex(other.swap(bytes)), hex(swapped))
  const byteOrder = bytes[0] === 0x6c ? 'little' : 'big'
  const written = codec.encode(message, { byteOrder })
  for (const other of wasm) same(`encode on ${other.engine.name}`, hex(other.encode(message, { byteOrder })), hex(written))
  same('written anew', text(codec.decode(written)), text(message))
  if (isLossless(reference.body)) {
    const bodyAt = (of: Uint8Array) => 16 + ((new DataView(of.buffer, of.byteOffset).getUint32(12, of[0] === 0x6c) + 7) & ~7)
    const again = codec.encode(ordered.decode(bytes) as typeof message, { byteOrder })
    same('body', hex(again.subarray(bodyAt(again))), hex(bytes.subarray(bodyAt(bytes))))
  }
}
