// Streams that a test holds both ends of.
import { EventEmitter } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'

/** What usocket's sockets are to dbus-next: reads of exact sizes, and with each the descriptors that came along. */
export class DescriptorStream extends EventEmitter {
  readonly supportsUnixFd = true
  destroyed = false
  #bytes = Buffer.alloc(0)
  #fds: number[] = []

  receive(bytes: Uint8Array, fds: number[] = []): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes])
    this.#fds.push(...fds)
    this.emit('readable')
  }

  read(size?: number, fds?: null): unknown {
    if (size === undefined || this.#bytes.length < size) return null
    const data = this.#bytes.subarray(0, size)
    this.#bytes = this.#bytes.subarray(size)
    return fds === null ? { data, fds: this.#fds.splice(0) } : data
  }

  /** Closes, without an event. */
  destroy(): void {
    this.destroyed = true
  }
}

/** A server that lets anyone in and hands over the sockets behind their authentication. */
export async function startServer(
  folder: string,
  onSocket: (socket: Socket) => void,
): Promise<{ address: string; server: Server }> {
  const path = join(folder, 'bus')
  const server = createServer((socket) => {
    socket.on('error', () => {})
    let text = ''
    const listen = (data: Buffer) => {
      text += data.toString('latin1')
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end)
        text = text.slice(end + 2)
        if (line.includes('AUTH')) socket.write('OK 0123456789abcdef0123456789abcdef\r\n')
        else if (line.includes('NEGOTIATE')) socket.write('ERROR\r\n')
        else if (line.includes('BEGIN')) {
          socket.off('data', listen)
          socket.resume()
          onSocket(socket)
        }
      }
    }
    socket.on('data', listen)
  })
  await new Promise<void>((resolve) => server.listen(path, () => resolve()))
  return { address: `unix:path=${path}`, server }
}
