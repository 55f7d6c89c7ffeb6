// One call of a codec: takes an engine instance that is not busy, has a message read or written, and says what went wrong. An
// inner call, from a getter or a shape's function, finds the instance busy and gets another.
import { Refusal } from './check.ts'
import { chooseEngine, dropEngine, type Engine, type EngineChoice, idleEngine, VERDICT_WHOLE } from './engine.ts'
import { DBusCodecError } from './errors.ts'
import { FIELD_NAMES, type Fields, pendingKey, pendingSlot, placeHeader, Shared, uint32Field, writeFields } from './message.ts'
import type { Settings } from './options.ts'
import { type Plan, Session } from './plan.ts'
import type { PreparedMessage } from './prepare.ts'
import { Unreadable } from './tape.ts'
import { Texts } from './texts.ts'
import type { MessageInput } from './types.ts'
import { bytesOf, elementsOf, typedArrayKind } from './values.ts'
import {
  CALL_BIG,
  CALL_STRUCTURE,
  CALL_VERDICT,
  COMPOSED_LENGTH,
  CONTROL_BODY,
  CONTROL_FLAGS,
  CONTROL_OUTPUT_LENGTH,
  CONTROL_PLAN,
  CONTROL_SERIAL,
  FAULT_FD_COUNT,
  FAULT_MESSAGE_LENGTH,
  FAULT_MESSAGE_TYPE,
  FAULT_MISSING_ERROR_NAME,
  FAULT_MISSING_INTERFACE,
  FAULT_MISSING_MEMBER,
  FAULT_MISSING_PATH,
  FAULT_MISSING_REPLY_SERIAL,
  FAULT_SERIAL,
  PLAN_LOOSE,
  TAPE,
  WINDOW_SIZE,
} from './wire.ts'

// Per engine instance: strings, headers and composed headers, whichever codec uses it.
const states = new WeakMap<Engine, Shared>()

function stateOf(engine: Engine): Shared {
  let state = states.get(engine)
  if (state === undefined) {
    state = new Shared(new Texts())
    states.set(engine, state)
  }
  return state
}

/** A codec on one engine instance. @internal */
export class Work {
  readonly engine: Engine
  readonly session: Session
  readonly shared: Shared
  /** The plan of the values being written or read, for the path of one that is refused. */
  plan: Plan | undefined = undefined
  error: DBusCodecError | undefined = undefined

  constructor(engine: Engine, settings: Settings) {
    this.engine = engine
    this.shared = stateOf(engine)
    this.session = new Session(engine, this.shared.texts, settings)
  }

  /** Remembers an error that is made here. */
  own(error: DBusCodecError): DBusCodecError {
    this.error = error
    return error
  }

  /** Whether an error was made here: what a getter throws may be another call's. */
  owns(error: unknown): boolean {
    return error instanceof Refusal || error === this.error
  }
}

// Faults that are found without a field's code.
const FIELD_OF_FAULT: Record<number, string> = {
  [FAULT_MESSAGE_TYPE]: 'type',
  [FAULT_SERIAL]: 'serial',
  [FAULT_MISSING_INTERFACE]: 'interface',
  [FAULT_MISSING_PATH]: 'path',
  [FAULT_MISSING_MEMBER]: 'member',
  [FAULT_MISSING_ERROR_NAME]: 'errorName',
  [FAULT_MISSING_REPLY_SERIAL]: 'replySerial',
}

/** What all calls of a codec are made of; use {@link Codec}. */
export class Calls {
  /** Which engine runs, and why. */
  readonly engine: EngineChoice
  /** @internal */
  protected readonly settings: Settings
  private readonly flags: number
  private works: Work[] = []
  // The work on the thread's first instance: nearly every call's.
  private first: Work | undefined = undefined

  /** @internal */
  constructor(settings: Settings) {
    this.settings = settings
    this.flags = settings.validation === 'structure' ? CALL_STRUCTURE : 0
    this.engine = chooseEngine(settings.engine)
    // An instance now: what does not work must show when the codec is made, not in the middle of a connection.
    idleEngine(this.engine.name)
  }

  /** An instance of the codec's own until `busy` is taken back. @internal */
  protected begin(): Work {
    const first = this.first
    if (first !== undefined && !first.engine.busy && !first.engine.bloated) {
      first.engine.busy = true
      return first
    }
    const engine = idleEngine(this.engine.name)
    const works = this.works
    for (let i = 0; i < works.length; i++) {
      if (works[i].engine !== engine) continue
      engine.busy = true
      return works[i]
    }
    // Instances that grew too large have been replaced: no work must hold them any longer.
    this.works = works.filter((work) => work.engine.busy)
    const work = new Work(engine, this.settings)
    this.works.push(work)
    if (works.length === 0 || this.first?.engine.bloated === true) this.first = work
    // Last: what is thrown before it (the stack may be full) must leave no instance behind that looks busy for ever.
    engine.busy = true
    return work
  }

  /** A call that nobody makes often, from its begin to its end. @internal */
  protected within<T>(call: (work: Work) => T): T {
    const work = this.begin()
    try {
      return call(work)
    } catch (error) {
      throw this.explained(work, error)
    } finally {
      work.engine.busy = false
      this.end(work)
    }
  }

  /** @internal */
  protected beginRead(bytes: Uint8Array): Work {
    checkBytes(bytes)
    return this.begin()
  }

  /** Lets go of what the call worked on. The instance has been given back before, without a call: the stack may be full. @internal */
  protected end(work: Work): void {
    const { engine, session } = work
    work.plan = undefined
    work.error = undefined
    session.reader.end()
    session.writer.end()
    engine.close()
    if (engine.bloated) this.drop(work)
  }

  // One large message must not fix its memory to this codec until its next. Apart: a closure in a function that every call goes through
  // costs each of them a context.
  private drop(work: Work): void {
    dropEngine(work.engine)
    this.works = this.works.filter((other) => other !== work)
    if (this.first === work) this.first = undefined
  }

  /** Whether the message is well-formed and valid; the tape holds its values then. @internal */
  protected tried(work: Work, bytes: Uint8Array, flags: number): boolean {
    const { engine, session } = work
    const { maxMessageLength, maxValues } = this.settings
    const length = bytes.length
    const values = flags !== CALL_VERDICT
    const whole = values ? WINDOW_SIZE : VERDICT_WHOLE
    const first = length <= whole ? engine.open(bytes, 0) : engine.openPiece(bytes, length, 0, values)
    const read = engine.exports.decode(length, first, maxMessageLength, flags | this.flags, maxValues)
    engine.views()
    session.refresh()
    return read !== 0
  }

  /** @internal */
  protected read(work: Work, bytes: Uint8Array, flags: number, fds?: readonly unknown[], at = 0): void {
    if (!this.tried(work, bytes, flags)) throw work.engine.error({ fds }, -at)
  }

  /** The values of an unmarshalled body on the tape; false after a fault. @internal */
  protected readBody(work: Work, plan: Plan, bytes: Uint8Array, phase: number, big: boolean): boolean {
    const { engine } = work
    const first =
      bytes.length + phase <= WINDOW_SIZE ? engine.open(bytes, phase) : engine.openPiece(bytes, bytes.length, phase, true)
    const flags = this.flags | (big ? CALL_BIG : 0)
    const read = engine.exports.unmarshal(plan.number, phase, bytes.length + phase, first, flags, this.settings.maxValues)
    engine.views()
    return read !== 0
  }

  /** The plan of the body that has just been read. @internal */
  protected bodyPlan(work: Work, fields: Fields): Plan {
    const number = work.engine.i32[CONTROL_PLAN >> 2]
    return number === PLAN_LOOSE ? work.session.loosePlan(fields.signature) : work.session.numbered(number)
  }

  /** @internal */
  protected readAll(work: Work, plan: Plan): unknown[] {
    const { reader } = work.session
    try {
      return plan.readAll(reader)
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      const { path, signature } = work.session.place(plan, reader.p - 1, -1, true)
      throw new DBusCodecError(error.fault, { path: `body${path}`, signature, detail: error.detail, fds: reader.fds })
    }
  }

  /** @internal */
  protected checkFds(fields: Fields, fds: readonly unknown[] | undefined): void {
    if (fds === undefined || fds.length === (fields.unixFds ?? 0)) return
    const detail = `${fds.length} for ${fields.unixFds ?? 0}`
    throw new DBusCodecError(FAULT_FD_COUNT, { detail, path: 'unixFds', fds })
  }

  /** Writes a message into the output area. @internal */
  protected write(work: Work, given: object, big: boolean, flags = 0): void {
    if (typeof given !== 'object' || given === null) throw new TypeError('a message must be an object')
    const message = given as MessageInput
    const { engine, session, shared } = work
    const w = session.writer
    session.startWrite()
    const signature: unknown = message.signature ?? ''
    if (typeof signature !== 'string') throw new TypeError('the signature must be a string')
    const plan = namedPlan(work, signature)
    const again = writeFields(w, shared, message, signature, big)
    const slot = pendingSlot
    const key = pendingKey
    if (flags === 0) {
      work.plan = plan
      plan.writeAll(w, message.body ?? NO_VALUES)
    }
    engine.i32[CONTROL_PLAN >> 2] = plan.number
    const written = engine.exports.encode(flags | (big ? CALL_BIG : 0), again, slot)
    engine.views()
    if (written === 0) throw this.writeFault(work, plan)
    // A header that is too long for the slot has not been kept.
    if (slot >= 0 && engine.i32[CONTROL_BODY >> 2] <= COMPOSED_LENGTH) shared.composed[slot] = key
    this.checkLength(work)
  }

  /** Writes a message whose header is ready. @internal */
  protected writePrepared(work: Work, prepared: PreparedMessage, serial: number, body: readonly unknown[]): void {
    const { engine, session, shared } = work
    const { flags, big } = prepared
    if (prepared.header.length > COMPOSED_LENGTH) return this.write(work, { ...prepared.template, serial, body }, big)
    session.startWrite()
    const plan = session.plan(prepared.signature)
    work.plan = plan
    plan.writeAll(session.writer, body)
    // A message may have been encoded by a getter of the body: on another instance.
    const slot = placeHeader(engine, shared, prepared)
    const { i32 } = engine
    i32[CONTROL_FLAGS >> 2] = flags
    i32[CONTROL_SERIAL >> 2] = uint32Field(serial, 'serial')
    i32[CONTROL_PLAN >> 2] = plan.number
    const written = engine.exports.encode(big ? CALL_BIG : 0, slot, -1)
    engine.views()
    if (written === 0) throw this.writeFault(work, plan)
    this.checkLength(work)
  }

  /** @internal */
  protected checkLength(work: Work): void {
    const length = work.engine.i32[CONTROL_OUTPUT_LENGTH >> 2]
    if (length > this.settings.maxMessageLength) {
      throw work.own(new DBusCodecError(FAULT_MESSAGE_LENGTH, { path: 'body', detail: `${length} bytes` }))
    }
  }

  /** The error for a fault that was found while writing. @internal */
  protected writeFault(work: Work, plan: Plan): DBusCodecError {
    const { engine, session } = work
    const { fault, faultAt } = engine
    if (faultAt >= TAPE) {
      const { path, signature } = session.place(plan, faultAt >> 2, -1, false)
      return work.own(new DBusCodecError(fault, { path: `body${path}`, signature }))
    }
    return work.own(new DBusCodecError(fault, { path: FIELD_OF_FAULT[fault] ?? (FIELD_NAMES[faultAt] || 'body') }))
  }

  /** What the caller gets to see of something thrown while writing. @internal */
  protected explained(work: Work, error: unknown): unknown {
    if (!(error instanceof Refusal)) return error
    const { plan, session } = work
    const { fault, detail } = error
    // Before there is a plan, a field of the header was being written.
    if (plan === undefined) return new DBusCodecError(fault, { path: error.path ?? FIELD_NAMES[-error.at], detail })
    if (error.path !== undefined) return new DBusCodecError(fault, { path: error.path, detail })
    const element = error.element === undefined ? '' : `[${error.element}]`
    if (error.at < 0) return new DBusCodecError(fault, { path: `body${element}`, detail, signature: plan.signature })
    const { path, signature } = session.place(plan, session.writer.p, error.at, false)
    return new DBusCodecError(fault, { path: `body${path}${element}`, detail, signature })
  }
}

// The plan of a message's signature: what is wrong with it is said as of a field of the message.
function namedPlan(work: Work, signature: string): Plan {
  try {
    return work.session.plan(signature)
  } catch (error) {
    if (!(error instanceof DBusCodecError)) throw error
    const { offset, signature: given } = error
    throw work.own(new DBusCodecError(work.engine.fault, { path: 'signature', offset, signature: given }))
  }
}

const NO_VALUES: readonly unknown[] = []

/** Refuses what is no byte array, of whatever realm. @internal */
export function checkBytes(bytes: unknown): void {
  // By intrinsic getters: a proxy or an object with the prototype is none, and a class of the caller's may say any length.
  if (typedArrayKind(bytes) !== 'Uint8Array' || elementsOf(bytes) !== (bytes as Uint8Array).length) {
    throw new TypeError('the message must be a Uint8Array')
  }
  // Throws a TypeError when the buffer is detached or has shrunk.
  if ((bytes as Uint8Array).length === 0) bytesOf(bytes)
}
