// Streams that hang, crash or exhaust the untouched peers end, over the adapter, as that peer's own connection error.
// What the untouched peer does is told in streams.ts and tried in a bounded child only where DBUS_CODEC_HOSTILE_UNTOUCHED is set.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildAdapters } from './adapters.ts'
import { MODES, type Peer } from './conversation.ts'
import { BIG_ENDIAN_64, HOSTILE, LAST, WELL_FORMED } from './streams.ts'

const PEERS = Object.keys(MODES) as Peer[]
/** The bounds of a child: a hostile stream must not cost more. */
const HEAP_MIB = 96
const CHILD_MS = 10_000

interface Outcome {
  outcome: 'delivered' | 'connection error' | 'uncaught' | 'killed'
  error?: { name: string; code?: string; message: string; cause?: string }
  destroyed?: boolean
  bodies: string[]
}

/** Says yes to every authentication, then sends the chunks, each in a packet of its own. */
function serve(socket: Socket, chunks: Buffer[]): void {
  socket.setNoDelay()
  socket.on('error', () => {})
  let text = ''
  const listen = (data: Buffer) => {
    text += data.toString('latin1')
    for (;;) {
      const end = text.indexOf('\r\n')
      if (end < 0) return
      const line = text.slice(0, end).replace('\0', '')
      text = text.slice(end + 2)
      if (line.startsWith('AUTH')) socket.write('OK 0123456789abcdef0123456789abcdef\r\n')
      else if (line.startsWith('NEGOTIATE')) socket.write('ERROR\r\n')
      else if (line.startsWith('BEGIN')) {
        socket.off('data', listen)
        socket.resume()
        void sendAll(socket, chunks)
        return
      }
    }
  }
  socket.on('data', listen)
}

async function sendAll(socket: Socket, chunks: Buffer[]): Promise<void> {
  for (const chunk of chunks) {
    socket.write(chunk)
    if (chunks.length > 1) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** What became of each stream, each sent to a connection of its own of one child process. */
async function receive(peer: Peer, streams: Buffer[][], adapters: string | undefined): Promise<Outcome[]> {
  const folder = mkdtempSync(join(tmpdir(), 'dbus-codec-hostile-'))
  const path = join(folder, 'bus')
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    serve(socket, [...(streams[sockets.length] ?? []), LAST])
    sockets.push(socket)
  })
  await new Promise<void>((resolve) => server.listen(path, () => resolve()))
  try {
    const env: NodeJS.ProcessEnv = { ...process.env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` }
    if (adapters) env.DBUS_CODEC_ADAPTERS = adapters
    const program = join(import.meta.dirname, 'programs/hostile.cjs')
    const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MIB}`, program, peer, String(streams.length)], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: CHILD_MS,
      killSignal: 'SIGKILL',
    })
    let out = ''
    child.stdout.setEncoding('utf8')
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stderr.resume()
    await new Promise((resolve) => child.once('close', resolve))
    return out ? JSON.parse(out) : [{ outcome: 'killed', bodies: [] }]
  } finally {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
    rmSync(folder, { recursive: true, force: true })
  }
}

let adapters: string | undefined
beforeAll(async () => {
  adapters = await buildAdapters()
}, CHILD_MS)
afterAll(() => {
  if (adapters) rmSync(adapters, { recursive: true, force: true })
})

describe.each(PEERS)('%s', (peer) => {
  it(
    'reads well-formed messages in chunks of any cut, over the adapter as untouched',
    async () => {
      const streams = WELL_FORMED.map(([, chunks]) => chunks)
      const untouched = await receive(peer, streams, undefined)
      expect(untouched.map(({ bodies }) => bodies)).toEqual(WELL_FORMED.map(([, , bodies]) => [...bodies, '[]']))
      expect(await receive(peer, streams, adapters)).toEqual(untouched)
    },
    3 * CHILD_MS,
  )

  it(
    'reads big-endian 64-bit integers right',
    async () => {
      const [result] = await receive(peer, [[BIG_ENDIAN_64]], adapters)
      expect(result?.bodies[0]).toBe(peer === '@homebridge/dbus-native' ? '[-2,5]' : '[-2n,5n]')
    },
    2 * CHILD_MS,
  )

  describe('over the adapter', () => {
    let results: Outcome[] = []
    beforeAll(async () => {
      results = await receive(
        peer,
        HOSTILE.map(([, bytes]) => [bytes]),
        adapters,
      )
    }, 2 * CHILD_MS)

    it.each(HOSTILE.map(([name], index) => [name, index] as const))(
      'refuses %s with a connection error of its own',
      (_name, index) => {
        expect(results[index]).toMatchObject({ outcome: 'connection error', destroyed: true, bodies: [] })
        if (peer === 'dbus-native') expect(results[index]?.error).toMatchObject({ name: 'ProtocolError', code: 'EPROTO' })
      },
    )
  })

  it.skipIf(!process.env.DBUS_CODEC_HOSTILE_UNTOUCHED).each(HOSTILE)(
    'untouched: %s (%#)',
    async (name, bytes, told) => {
      const [result] = await receive(peer, [[bytes]], undefined)
      console.log(
        `${peer}: ${name}: ${result?.outcome} ${result?.error?.message ?? ''} ${result?.bodies.join().slice(0, 80)} (told: ${told})`,
      )
    },
    2 * CHILD_MS,
  )
})
