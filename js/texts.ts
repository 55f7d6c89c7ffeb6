// The JavaScript strings of interned text.
import type { Engine } from './engine.ts'
import { asciiText, utf8Text } from './strings.ts'
import { INTERN_COUNT, INTERN_INFO, INTERN_LENGTH, INTERN_RECORD, INTERN_RECORDS, INTERN_TEXTS, TEXT_IS_WIDE } from './wire.ts'

/** The JavaScript strings of interned text, one table for each engine instance. @internal */
export class Texts {
  private readonly strings: string[] = new Array<string>(INTERN_COUNT).fill('')
  private readonly generations = new Int32Array(INTERN_COUNT)

  get(engine: Engine, slot: number, generation: number): string {
    if (this.generations[slot] === generation) return this.strings[slot]
    const info = engine.i32[(INTERN_RECORDS + slot * INTERN_RECORD + INTERN_INFO) >> 2]
    const at = INTERN_TEXTS + slot * INTERN_LENGTH
    const end = at + (info & 0xff)
    const text = info & TEXT_IS_WIDE ? utf8Text(engine.u8, at, end) : asciiText(engine.u8, at, end)
    this.generations[slot] = generation
    this.strings[slot] = text
    return text
  }
}
