// Plans on this side of the border: a signature's words, and the closures made from them. The words come from the one signature
// compiler, in assembly/. Plans are kept for each codec (they depend on its shapes) and engine instance (which numbers them).
import { Refusal } from './check.ts'
import type { Engine } from './engine.ts'
import { DBusCodecError, type Fault } from './errors.ts'
import { locate, type Place, type TapeView } from './path.ts'
import { makeRead, spanOf } from './reader.ts'
import { utf8Text } from './strings.ts'
import { type Read, Reader, type VariantPlan, type VariantWriter, type Write, Writer } from './tape.ts'
import type { Texts } from './texts.ts'
import type { ShapeChoice } from './values.ts'
import {
  CONTROL_FAULT,
  CONTROL_FAULT_AT,
  CONTROL_PLAN_EPOCH,
  PLAN_FIRST,
  PLAN_LOOSE,
  PLAN_RECORD,
  PLAN_SINGLES,
  PLAN_TABLE,
  SCRATCH,
  SCRATCH_LENGTH,
  TAPE,
  TEXT_GAP,
} from './wire.ts'
import { checkSingle, makeWrite, writeMembers } from './writer.ts'

/** A compiled signature. Readers and writers are made when first asked for. @internal */
export class Plan {
  readonly number: number
  readonly signature: string
  readonly words: Int32Array
  private readonly choice: ShapeChoice
  private readers: Read[] | undefined
  private writers: Write[] | undefined

  constructor(number: number, words: Int32Array, choice: ShapeChoice) {
    this.number = number
    this.words = words
    this.choice = choice
    let signature = ''
    for (const word of words) signature += String.fromCharCode(word & 0xff)
    this.signature = signature
  }

  private each<T>(make: (words: Int32Array, at: number, choice: ShapeChoice, signature: string) => T): T[] {
    const made: T[] = []
    for (let i = 0; i < this.words.length; i += spanOf(this.words[i])) made.push(make(this.words, i, this.choice, this.signature))
    return made
  }

  get reads(): Read[] {
    return (this.readers ??= this.each(makeRead))
  }
  get writes(): Write[] {
    return (this.writers ??= this.each(makeWrite))
  }

  /** All values of the signature, from the tape. */
  readAll(r: Reader): unknown[] {
    const reads = this.reads
    // Literals have just the room they need; `push` would begin with seventeen places.
    switch (reads.length) {
      case 0:
        return []
      case 1:
        return [reads[0](r)]
      case 2:
        return [reads[0](r), reads[1](r)]
      case 3:
        return [reads[0](r), reads[1](r), reads[2](r)]
    }
    const values = new Array<unknown>(reads.length)
    for (let i = 0; i < reads.length; i++) values[i] = reads[i](r)
    return values
  }
  writeAll(w: Writer, values: unknown): void {
    writeMembers(w, this.writes, values, -1)
  }
}

/** A variant's plan with its closures, kept by number for both directions. */
class Single implements VariantPlan, VariantWriter {
  readonly plan: Plan
  readonly number: number
  readonly signature: string
  private reader: Read | undefined
  private writer: Write | undefined

  constructor(plan: Plan, number: number) {
    this.plan = plan
    this.number = number
    this.signature = plan.signature
  }
  get read(): Read {
    return (this.reader ??= this.plan.reads[0])
  }
  get write(): Write {
    return (this.writer ??= this.plan.writes[0])
  }
}

/** Compiles a signature; its number, or a thrown DBusCodecError with the offset in the signature. @internal */
export function compile(engine: Engine, signature: string, fresh: boolean): number {
  const { u8, exports } = engine
  const length = signature.length
  for (let i = 0; i < length && i < SCRATCH_LENGTH; i++) {
    const c = signature.charCodeAt(i)
    u8[SCRATCH + i] = c < 128 ? c : 255
  }
  const number = exports.planOf(SCRATCH, length, fresh ? 1 : 0)
  if (number === -1) {
    const fault = engine.i32[CONTROL_FAULT >> 2] as Fault
    throw new DBusCodecError(fault, { offset: engine.i32[CONTROL_FAULT_AT >> 2], signature: signature.slice(0, 256) })
  }
  return number
}

/** The words of the plan that was compiled or found last. @internal */
export function wordsAt(engine: Engine, address: number, length: number): Int32Array {
  return engine.i32.slice(address >> 2, (address >> 2) + length)
}

/** One codec on one engine instance: its cursors and its plans. @internal */
export class Session {
  readonly engine: Engine
  readonly reader: Reader
  readonly writer: Writer
  readonly texts: Texts
  private readonly choice: ShapeChoice
  private epoch: number
  private readonly plans = new Map<string, Plan>()
  private byNumber: (Plan | undefined)[] = []
  private readonly singles = new Map<string, Single>()
  // The plan asked for last needs no look-up in the Map.
  private last: Plan | undefined = undefined
  private lastSignature = ''
  // Variants of the message being written whose plans found no room in the table.
  private loose = new Map<number, Plan>()

  constructor(engine: Engine, texts: Texts, choice: ShapeChoice) {
    this.engine = engine
    this.texts = texts
    this.choice = choice
    this.reader = new Reader(engine, texts, (number, r) => this.variantRead(number, r))
    this.writer = new Writer(engine, (signature, w, at) => this.variantWrite(signature, w, at))
    this.epoch = engine.i32[CONTROL_PLAN_EPOCH >> 2]
    engine.heldBy(this)
  }

  /** The engine is no more. */
  letGo(): void {
    this.reader.letGo()
    this.writer.letGo()
  }

  /** Forgets all plans if their numbers have been given anew. Call it after every call that starts a message. */
  refresh(): void {
    const epoch = this.engine.i32[CONTROL_PLAN_EPOCH >> 2]
    if (epoch === this.epoch) return
    this.epoch = epoch
    this.plans.clear()
    this.singles.clear()
    this.writer.basics = []
    this.last = undefined
    this.byNumber = []
    this.reader.plans = []
  }

  /** The plan of a signature, between messages. */
  plan(signature: string): Plan {
    const current = this.engine.i32[CONTROL_PLAN_EPOCH >> 2] === this.epoch
    if (current && this.last !== undefined && signature === this.lastSignature) return this.last
    const kept = this.plans.get(signature)
    if (kept !== undefined && current) {
      this.last = kept
      this.lastSignature = signature
      return kept
    }
    const number = compile(this.engine, signature, true)
    this.refresh()
    const plan = this.numbered(number)
    this.plans.set(signature, plan)
    return plan
  }

  /** The plan with this number. */
  numbered(number: number): Plan {
    const kept = this.byNumber[number]
    if (kept !== undefined) return kept
    const { i32 } = this.engine
    let words: Int32Array
    if (number === 0) words = new Int32Array(0)
    else if (number < PLAN_FIRST) words = wordsAt(this.engine, PLAN_SINGLES + number * 4, 1)
    else {
      const record = (PLAN_TABLE + (number - PLAN_FIRST) * PLAN_RECORD) >> 2
      words = wordsAt(this.engine, i32[record], i32[record + 1])
    }
    const plan = new Plan(number, words, this.choice)
    this.byNumber[number] = plan
    return plan
  }

  /** A plan that is used once: of a signature for which the table has no room in this message. */
  loosePlan(signature: string): Plan {
    const number = compile(this.engine, signature, false)
    if (number !== PLAN_LOOSE) return this.numbered(number)
    return new Plan(PLAN_LOOSE, wordsAt(this.engine, this.engine.exports.planWords(), signature.length), this.choice)
  }

  private variantRead(number: number, r: Reader): VariantPlan {
    if (number < 0) {
      const at = number & 0x7fffffff
      const single = new Single(this.loosePlan(r.signatureAt(at)), number)
      return single
    }
    const single = new Single(this.numbered(number), number)
    r.plans[number] = single
    return single
  }

  private variantWrite(signature: string, w: Writer, at: number): VariantWriter {
    const kept = this.singles.get(signature)
    if (kept !== undefined) return kept
    let number: number
    try {
      number = compile(this.engine, signature, false)
    } catch (error) {
      if (!(error instanceof DBusCodecError)) throw error
      throw new Refusal(this.engine.fault, at, `${JSON.stringify(signature.slice(0, 256))}, character ${error.offset}`)
    }
    if (number !== PLAN_LOOSE) {
      const single = new Single(this.numbered(number), number)
      checkSingle(single.plan.words, at, signature)
      this.singles.set(signature, single)
      if (signature.length === 1) w.basics[number] = single
      return single
    }
    const words = wordsAt(this.engine, this.engine.exports.planWords(), signature.length)
    checkSingle(words, at, signature)
    const plan = new Plan(PLAN_LOOSE, words, this.choice)
    const offset = w.looseSignature(signature)
    this.loose.set(offset, plan)
    return new Single(plan, PLAN_LOOSE | offset)
  }

  /** Starts a message on its way out; before its plans are asked for. */
  startWrite(): void {
    this.writer.start()
    if (this.loose.size === 0) return
    // The last message overflowed the table: any fresh compilation empties it.
    this.loose.clear()
    compile(this.engine, 'y', true)
    this.refresh()
  }

  /** The place of a value on the tape that was written, or read. */
  place(plan: Plan, target: number, at: number, reading: boolean): Place {
    const { engine, reader, loose } = this
    const tape: TapeView = {
      i32: engine.i32,
      f64: engine.f64,
      i64: engine.i64,
      u64: engine.u64,
      planOf: (number) => {
        if (number >= 0) return this.numbered(number).words
        const offset = number & 0x7fffffff
        return reading ? this.loosePlan(reader.signatureAt(offset)).words : loose.get(offset)?.words
      },
      textAt: (p) => (reading ? this.readText(p) : this.writtenText(p)),
    }
    return locate(tape, plan.words, TAPE >> 2, target, at)
  }

  private readText(p: number): string {
    this.reader.p = p
    return this.reader.text()
  }
  private writtenText(p: number): string {
    const first = this.engine.i32[p]
    const length = this.engine.i32[p + 1]
    if (first & TEXT_GAP) return this.writer.gaps[first & ~TEXT_GAP]?.text ?? ''
    return utf8Text(this.engine.u8, this.engine.text + first, this.engine.text + first + length)
  }
}
