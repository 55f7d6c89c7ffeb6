// Cuts a byte stream into messages. It knows the first 16 bytes of a header and nothing else: content is the codec's matter.
import { DBusCodecError, type Fault } from './errors.ts'
import { checkedMaximum, claimedLength, claimOffset } from './length.ts'
import { FAULT_INCOMPLETE, HEADER_FIELDS } from './wire.ts'

/** What a {@link MessageFramer} is made with. */
export interface MessageFramerOptions {
  /**
   * Gets each whole message, in order, with the descriptors that belong to it. What it returns is ignored; what it throws
   * comes out of `push`, and the message counts as delivered.
   *
   * A message that lay inside one chunk is a view of that chunk, not a copy: keep it beyond the call only if the chunk is
   * not written to again, and know that it keeps the chunk alive. A message put together from several chunks has a buffer
   * of its own, of exactly its length.
   */
  onMessage: (bytes: Uint8Array, fds?: unknown[]) => void
  /** Longest message accepted, header included; at most (and by default) 134217728, the specification's limit. */
  maxMessageLength?: number | undefined
  /**
   * Says how many descriptors a message owns (its UNIX_FDS field, 0 without one). Then each message gets that many from the
   * front of the queue, or all that are left if they are fewer. Without this function a message gets every descriptor
   * that came with its last chunk or before. A malformed message may make it throw, which ends the stream like a false length.
   */
  countFds?: ((bytes: Uint8Array) => number) | undefined
}

/** A chunk, or what is left of it. */
interface Part {
  bytes: Uint8Array
  /** Its memory: asking for it once a chunk and not once a message saves a call into the runtime. */
  buffer: ArrayBufferLike
  at: number
  /** Whether `bytes` is ours: the caller may reuse its chunk as soon as `push` returns or throws. */
  owned: boolean
  fds: readonly unknown[] | undefined
  next: Part | undefined
}

const NOTHING = new Uint8Array(0)

/**
 * First size of the buffer for a message that a chunk cuts in two; it then doubles up to the message's length. Against a
 * peer that claims 128 MiB, sends 16 bytes and stops, on many connections: memory follows what came, not what was claimed.
 */
const FIRST_CAPACITY = 1024

/**
 * Turns chunks, cut anywhere, into whole messages.
 *
 * The stream is refused (an exception of `push`) as soon as the first 16 bytes of a message are there and claim what no
 * message may have; `offset` counts from byte 0 of that message. From then on every call throws the same error until
 * {@link MessageFramer.reset}: a stream that lost its frame has no next message.
 *
 * Between messages it holds no memory; inside one, at most `FIRST_CAPACITY` or twice the bytes received.
 */
export class MessageFramer {
  readonly #onMessage: (bytes: Uint8Array, fds?: unknown[]) => void
  readonly #countFds: ((bytes: Uint8Array) => number) | undefined
  readonly #maxMessageLength: number

  // The message in progress, when a chunk ended inside it. #wanted is its length once 16 bytes are there, else 0.
  #held: Uint8Array = NOTHING
  #heldLength = 0
  #wanted = 0

  // Chunks not looked at yet: a handler called push, or threw. Normally the one chunk of the running push.
  #first: Part | undefined
  #last: Part | undefined

  #fds: unknown[] = []
  #running = false
  #failed = false
  #error: unknown

  constructor(options: MessageFramerOptions) {
    if (typeof options?.onMessage !== 'function') throw new TypeError('onMessage must be a function')
    if (options.countFds !== undefined && typeof options.countFds !== 'function') {
      throw new TypeError('countFds must be a function')
    }
    this.#onMessage = options.onMessage
    this.#countFds = options.countFds
    this.#maxMessageLength = checkedMaximum(options.maxMessageLength)
  }

  /** Bytes received that are not part of a message handed out. */
  get pending(): number {
    let count = this.#heldLength
    for (let part = this.#first; part; part = part.next) count += part.bytes.length - part.at
    return count
  }

  /**
   * Takes the next bytes of the stream, and the descriptors that came with them, and hands out every message that is whole.
   *
   * If `onMessage` throws, so does `push`; the messages after that one are kept and come with the next call, be its chunk
   * empty. Called from inside `onMessage`, it only queues: the messages come, in order, when the handler has returned.
   */
  push(chunk: Uint8Array, fds?: readonly unknown[]): void {
    if (!isUint8Array(chunk)) throw new TypeError('a chunk must be a Uint8Array')
    if (this.#failed) throw this.#error
    if (chunk.length > 0 || fds !== undefined) this.#queue(chunk, fds)
    if (!this.#running) this.#run()
  }

  /**
   * Says that the stream has ended. Throws ERR_DBUS_INCOMPLETE if it did so inside a message; the error's `offset` is the
   * number of bytes of it that came, its `fds` the descriptors not handed out. Messages that an exception of `onMessage`
   * held up are delivered first.
   */
  end(): void {
    if (this.#running) throw new TypeError('end() was called from inside onMessage')
    if (this.#failed) throw this.#error
    this.#run()
    if (this.#heldLength > 0) this.#fail(FAULT_INCOMPLETE, this.#heldLength)
  }

  /** Forgets everything but the options: for a new stream. Returns the descriptors not handed out, to be closed. */
  reset(): unknown[] {
    const fds = this.#clear()
    this.#failed = false
    this.#error = undefined
    return fds
  }

  #queue(bytes: Uint8Array, fds: readonly unknown[] | undefined): void {
    const part: Part = { bytes, buffer: bytes.buffer, at: 0, owned: false, fds, next: undefined }
    if (this.#running || this.#first) own(part)
    if (this.#last) this.#last.next = part
    else this.#first = part
    this.#last = part
  }

  #run(): void {
    this.#running = true
    try {
      // All state is in fields: a handler may push, or reset, while we are in here.
      for (let part = this.#first; part; part = this.#first) {
        if (part.fds) {
          for (const fd of part.fds) this.#fds.push(fd)
          part.fds = undefined
        }
        if (part.at === part.bytes.length) this.#drop()
        else this.#step(part)
      }
    } finally {
      this.#running = false
      if (this.#first) own(this.#first)
    }
  }

  #drop(): void {
    this.#first = this.#first?.next
    if (!this.#first) this.#last = undefined
  }

  /** Takes one message, or a piece of one, off the front of a chunk that is not empty. */
  #step(part: Part): void {
    const { bytes, at } = part
    const rest = bytes.length - at
    if (this.#heldLength === 0 && rest >= HEADER_FIELDS) {
      const length = this.#claim(bytes, at)
      if (rest >= length) {
        part.at += length
        // Not subarray: for a Buffer that makes a Buffer, whose slice() means something else than that of a Uint8Array.
        this.#deliver(new Uint8Array(part.buffer, bytes.byteOffset + at, length))
        return
      }
      this.#wanted = length
    }
    this.#hold(part, rest)
  }

  /** Moves bytes of a chunk to the message in progress: first until it has a header, then until it is whole. */
  #hold(part: Part, rest: number): void {
    const taken = Math.min(rest, (this.#wanted || HEADER_FIELDS) - this.#heldLength)
    const length = this.#heldLength + taken
    if (length > this.#held.length) this.#grow(length)
    this.#held.set(part.bytes.subarray(part.at, part.at + taken), this.#heldLength)
    this.#heldLength = length
    part.at += taken
    if (this.#wanted === 0 && length === HEADER_FIELDS) this.#wanted = this.#claim(this.#held, 0)
    if (length === this.#wanted) {
      const message = this.#held
      this.#letGo()
      this.#deliver(message)
    }
  }

  /** Doubles, so that the cost stays linear, but never past the message's length: the buffer is the message in the end. */
  #grow(length: number): void {
    const capacity = this.#wanted === 0 ? HEADER_FIELDS : Math.min(this.#wanted, Math.max(FIRST_CAPACITY, 2 * length))
    const held = new Uint8Array(capacity)
    held.set(this.#held.subarray(0, this.#heldLength))
    this.#held = held
  }

  #letGo(): void {
    this.#held = NOTHING
    this.#heldLength = 0
    this.#wanted = 0
  }

  #claim(bytes: Uint8Array, at: number): number {
    const length = claimedLength(bytes, at, this.#maxMessageLength)
    if (length < 0) this.#fail(-length as Fault, claimOffset(-length))
    return length
  }

  #deliver(message: Uint8Array): void {
    const onMessage = this.#onMessage
    if (this.#countFds) onMessage(message, this.#fdsCounted(message, this.#countFds))
    else if (this.#fds.length > 0) onMessage(message, this.#fds.splice(0))
    else onMessage(message)
  }

  /** None for a message that owns none. One that owns some gets an array even if they did not come: decode can then tell. */
  #fdsCounted(message: Uint8Array, countFds: (bytes: Uint8Array) => number): unknown[] | undefined {
    let count: number
    try {
      count = countFds(message)
    } catch (error) {
      // Whose the other descriptors are cannot be known any more. They wait for reset().
      this.#failed = true
      this.#error = error
      const fds = this.#clear()
      this.#fds = fds
      throw error
    }
    return count > 0 ? this.#fds.splice(0, count) : undefined
  }

  #fail(fault: Fault, offset: number): never {
    const fds = this.#clear()
    this.#failed = true
    this.#error = new DBusCodecError(fault, { offset, fds: fds.length > 0 ? fds : undefined })
    throw this.#error
  }

  #clear(): unknown[] {
    const fds = this.#fds
    for (let part = this.#first; part; part = part.next) if (part.fds) fds.push(...part.fds)
    this.#letGo()
    this.#first = this.#last = undefined
    this.#fds = []
    return fds
  }
}

/** By tag as well: one made in another realm (a vm context, jest, a frame) is no instance of ours. */
function isUint8Array(value: unknown): boolean {
  return value instanceof Uint8Array || Object.prototype.toString.call(value) === '[object Uint8Array]'
}

/** Copies what is left of a chunk. Once is enough, however often a handler throws on the way through it. */
function own(part: Part): void {
  if (part.owned) return
  part.bytes = new Uint8Array(part.bytes.subarray(part.at))
  part.buffer = part.bytes.buffer
  part.at = 0
  part.owned = true
}
