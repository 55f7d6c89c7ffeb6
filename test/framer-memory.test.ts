import { describe, expect, it } from 'vitest'
import { MessageFramer } from '../js/framer.ts'
import { claim, concat, cut, MAX, message, watchAllocations } from './framing.ts'

describe('MessageFramer and memory', () => {
  it('hands out a view of the chunk for each message that lies inside it', () => {
    const pool = new Uint8Array(4096)
    const chunk = pool.subarray(100, 300)
    chunk.set(message(4, 1))
    chunk.set(message(84, 2), 20)
    chunk.set(message(64, 3), 120)
    const seen: [boolean, number, number][] = []
    const framer = new MessageFramer({
      onMessage: (bytes) => seen.push([bytes.buffer === pool.buffer, bytes.byteOffset, bytes.length]),
    })
    framer.push(chunk)
    expect(seen).toEqual([
      [true, 100, 20],
      [true, 120, 100],
      [true, 220, 80],
    ])
  })

  it('copies only the message that a cut goes through', () => {
    const stream = concat(message(1), message(2), message(3), message(4))
    for (let at = 0; at <= stream.length; at++) {
      const chunks = [...cut(stream, at)]
      const copied: number[] = []
      const framer = new MessageFramer({
        onMessage: (bytes) => {
          if (!chunks.some((chunk) => chunk.buffer === bytes.buffer)) copied.push(bytes.length)
        },
      })
      for (const chunk of chunks) framer.push(chunk)
      expect(copied.length).toBe([0, 17, 35, 54, 74].includes(at) ? 0 : 1)
    }
  })

  it('gives a message from several chunks a buffer of exactly its length, its own', () => {
    const buffers: Uint8Array[] = []
    const framer = new MessageFramer({ onMessage: (bytes) => void buffers.push(bytes) })
    const stream = concat(message(5000, 1), message(5000, 2))
    for (const chunk of cut(stream, 10, 700, 5300, 9000)) framer.push(chunk)
    expect(buffers.map((bytes) => bytes.buffer.byteLength)).toEqual([5016, 5016])
    expect(buffers[0].buffer).not.toBe(buffers[1].buffer)
    expect(concat(...buffers)).toEqual(stream)
  })

  it('hands out plain Uint8Arrays, also of Buffers', () => {
    const kinds: unknown[] = []
    const framer = new MessageFramer({ onMessage: (bytes) => void kinds.push(bytes.constructor) })
    const stream = Buffer.concat([message(8), message(8)])
    framer.push(stream.subarray(0, 30))
    framer.push(stream.subarray(30))
    expect(kinds).toEqual([Uint8Array, Uint8Array])
  })

  it('holds at most twice what came, or 1 KiB, whatever the header claims', () => {
    const start = claim(0, MAX - 16)
    const sizes = watchAllocations(() => {
      const framer = new MessageFramer({ onMessage: () => {} })
      framer.push(start)
      for (let received = 16 + 1000; received < 300000; received += 1000) framer.push(new Uint8Array(new ArrayBuffer(1000)))
    })
    expect(sizes.slice(0, 2)).toEqual([1024, 4032])
    expect(Math.max(...sizes)).toBeLessThan(2 * 300000)
  })

  it('joins 128 MiB of 64 KiB chunks with copies of at most three times the bytes, and keeps nothing of it', () => {
    const piece = new Uint8Array(65536).fill(9)
    const first = piece.slice()
    first.set(claim(0, MAX - 16))
    let got: Uint8Array | undefined
    const framer = new MessageFramer({
      onMessage: (bytes) => {
        got = bytes
      },
    })
    const sizes = watchAllocations(() => {
      framer.push(first)
      for (let sent = 65536; sent < MAX; sent += 65536) framer.push(piece)
    })
    expect(got?.length).toBe(MAX)
    expect(got?.buffer.byteLength).toBe(MAX)
    expect([got?.[16], got?.[MAX - 1]]).toEqual([9, 9])
    // Each buffer is filled once at most: their sum bounds the bytes copied.
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(3 * MAX)
    expect(framer.pending).toBe(0)
    const start = message(8).subarray(0, 3)
    const after = watchAllocations(() => framer.push(start))
    expect(after).toEqual([16])
  })
})
