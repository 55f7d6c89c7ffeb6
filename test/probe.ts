// Puts a value to a codec and says what became of it; afterwards the codec has to be as good as before.
import { expect } from 'vitest'
import { createCodec, isDBusCodecError, type MessageInput, Variant } from '../js/index.ts'
import type { EngineName } from './engines.ts'
import { hexOf } from './messages.ts'

export const HEADER = { type: 4, serial: 1, path: '/a', interface: 'a.b', member: 'M' } as const

/** The code of a value that is not what its type asks for. */
export const WRONG = 'ERR_DBUS_VALUE_TYPE'

export const signal = (signature: string, body: unknown): MessageInput => ({ ...HEADER, signature, body }) as MessageInput

// What an error from inside would say.
const INTERNAL =
  /undefined|null|not iterable|not a function|is not defined|out of bounds|Maximum call stack|memory|Invalid (typed )?array/

const KNOWN = signal('sa{sv}ay', ['probe', { a: new Variant('u', 7) }, new Uint8Array(2000)])

/** A codec that is watched. */
export class Probe {
  readonly codec: ReturnType<typeof createCodec>
  readonly known = KNOWN
  readonly bytes: Uint8Array

  constructor(engine: EngineName) {
    this.codec = createCodec({ engine })
    this.bytes = this.codec.encode(KNOWN)
  }

  /** The body as it comes back, or the code of the refusal, or the message of a TypeError. */
  outcome(signature: string, body: unknown): unknown {
    const { codec } = this
    let result: unknown
    try {
      const bytes = codec.encode(signal(signature, body))
      expect(codec.validate(bytes)).toEqual({ valid: true })
      result = codec.decode(bytes).body
    } catch (error) {
      result = this.refusal(error)
    }
    this.check()
    return result
  }

  /** The code of a refusal with a path, or the message of a TypeError that is no accident. */
  private refusal(error: unknown): string {
    if (isDBusCodecError(error)) {
      expect(error.path, error.message).toMatch(/^body/)
      return error.code
    }
    expect(error).toBeInstanceOf(TypeError)
    expect((error as Error).message).not.toMatch(INTERNAL)
    return (error as Error).message
  }

  /** Whether the codec still writes and reads what it did. */
  check(): void {
    expect(hexOf(this.codec.encode(KNOWN))).toBe(hexOf(this.bytes))
    expect(this.codec.decode(this.bytes).body[0]).toBe('probe')
  }
}
