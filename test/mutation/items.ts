// What is asked of a codec for each input: what it reads, what it writes, what it refuses.
import { idleEngine } from '../../js/engine.ts'
import { createCodec, isDBusCodecError } from '../../js/index.ts'
import { CONTROL_STEPS } from '../../js/wire.ts'

export const ENGINE = 'simd'
export const HEADER = { type: 4, serial: 1, path: '/a', interface: 'a.b', member: 'M' } as const

export interface Item {
  readonly name: string
  readonly run: (codecs: Codecs) => string
}

export class Codecs {
  readonly full = createCodec({ engine: ENGINE })
  readonly structure = createCodec({ engine: ENGINE, validation: 'structure' })
  readonly few = createCodec({ engine: ENGINE, maxValues: 5, maxMessageLength: 400 })
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, part) => {
    if (typeof part === 'bigint') return `${part}n`
    if (part instanceof Map) return [...part]
    return ArrayBuffer.isView(part) ? Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('base64') : part
  })

export const hex = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')

export function told(call: () => string): string {
  try {
    return call()
  } catch (error) {
    if (isDBusCodecError(error)) return `${error.code} at ${error.offset} ${error.path}`
    throw error
  }
}

/** How much the last call looked at, and how much memory it left. */
function spent(): string {
  const { i32, u8 } = idleEngine(ENGINE)
  return `${i32[CONTROL_STEPS >> 2]}/${u8.length}`
}

/** What there is to say of some bytes. The second time a codec knows some of it. */
export function reading(name: string, bytes: Uint8Array, times = 2): Item[] {
  const item: Item = {
    name,
    run: ({ full, structure, few }) => {
      const decoded = told(() => text(full.decode(bytes)))
      const rest = [
        spent(),
        told(() => (structure.validate(bytes).valid ? 'valid' : (structure.validate(bytes).error?.code ?? ''))),
        told(() => text(few.decodeHeader(bytes))),
        few.validate(bytes).error?.code ?? '',
      ]
      if (decoded[0] === '{')
        rest.push(
          told(() => hex(full.swap(bytes))),
          told(() => hex(full.setHeaderField(bytes, 'sender', ':1.9'))),
        )
      return `${decoded} ${rest.join(' ')}`
    },
  }
  return Array<Item>(times).fill(item)
}

export function writing(name: string, bytes: Uint8Array): Item[] {
  const run = (byteOrder: 'little' | 'big') => ({
    name: `${name}, written ${byteOrder}-endian`,
    run: ({ full }: Codecs) =>
      told(() => {
        const message = full.decode(bytes)
        const target = new Uint8Array(bytes.length + 512)
        const { signature, body } = message
        const offset = byteOrder === 'big' ? 3 : 4
        const written = full.encode(message, { byteOrder })
        const again = full.encode({ ...message, serial: 77, flags: 1 }, { byteOrder })
        const length = full.encodeInto(message, target, 5, { byteOrder })
        const values = full.marshal(signature, body as never, { byteOrder, offset })
        const back = text(full.unmarshal(signature, values, { byteOrder, offset }))
        const prepared = full.prepare({ ...message, body: undefined } as never, { byteOrder })
        const calls = [prepared.encode(5, body as never), prepared.encode(6, body as never)].map(hex)
        return [spent(), hex(written), hex(again), hex(target.subarray(5, 5 + length)), hex(values), back, ...calls].join(' ')
      }),
  })
  return [run('little'), run('big')]
}

export function refusing(signature: string, body: unknown[], extra: object = {}): Item {
  return {
    name: `${signature} that is refused or not, ${text(extra).slice(0, 40)}`,
    run: ({ full, few }) =>
      [full, few].map((codec) => told(() => hex(codec.encode({ ...HEADER, signature, body, ...extra } as never)))).join(' '),
  }
}
