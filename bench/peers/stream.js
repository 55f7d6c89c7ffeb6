// The peers read messages from a stream; this one hands them a message that is already there: two reads, no event loop.

export class OneMessage {
  #bytes
  #at = 0
  #readable

  on(event, listener) {
    if (event === 'readable') this.#readable = listener
    return this
  }

  read(n) {
    const end = this.#at + n
    if (n === 0 || end > this.#bytes.length) return null
    const piece = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return piece
  }

  /** Lets the peer read one whole message. */
  push(bytes) {
    this.#bytes = bytes
    this.#at = 0
    this.#readable()
  }
}
