import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { bytesOfHex, type Capture, readCapture } from '../js/cli/capture.ts'
import { messageLength } from '../js/length.ts'

const vectors = (name: string): URL => new URL(`vectors/${name}`, import.meta.url)
const linesOf = (name: string): { hex: string; valid: boolean }[] =>
  readFileSync(vectors(name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

// BUG-083: the same three messages in every container.
const messages = linesOf('capture-clients.jsonl')
  .slice(2, 5)
  .map(({ hex }) => Buffer.from(hex, 'hex'))

const word = (value: number, little: boolean): Buffer => {
  const bytes = Buffer.alloc(4)
  if (little) bytes.writeUInt32LE(value)
  else bytes.writeUInt32BE(value)
  return bytes
}
const half = (value: number, little: boolean): Buffer =>
  little ? word(value, true).subarray(0, 2) : word(value, false).subarray(2)

interface PcapOptions {
  little?: boolean
  nano?: boolean
  linkType?: number
  snap?: number
}

function pcap(
  packets: readonly Buffer[],
  { little = true, nano = false, linkType = 231, snap = 1 << 27 }: PcapOptions = {},
): Buffer {
  const u32 = (value: number) => word(value, little)
  const head = [u32(nano ? 0xa1b23c4d : 0xa1b2c3d4), half(2, little), half(4, little), u32(0), u32(0), u32(snap), u32(linkType)]
  const records = packets.flatMap((packet, index) => {
    const part = packet.subarray(0, snap)
    return [u32(1_700_000_000), u32(index + 1), u32(part.length), u32(packet.length), part]
  })
  return Buffer.concat([...head, ...records])
}

const block = (type: number, body: Buffer, little: boolean): Buffer => {
  const padded = Buffer.concat([body, Buffer.alloc(-body.length & 3)])
  const length = word(padded.length + 12, little)
  return Buffer.concat([word(type, little), length, padded, length])
}

const section = (little: boolean): Buffer =>
  block(0x0a0d0d0a, Buffer.concat([word(0x1a2b3c4d, little), half(1, little), half(0, little), Buffer.alloc(8, 0xff)]), little)

const describedInterface = (little: boolean, linkType = 231, snap = 0, options = Buffer.alloc(0)): Buffer =>
  block(1, Buffer.concat([half(linkType, little), half(0, little), word(snap, little), options]), little)

const enhancedPacket = (packet: Buffer, little: boolean, time = 0, from = 0): Buffer => {
  const head = [from, 0, time, packet.length, packet.length].map((value) => word(value, little))
  return block(6, Buffer.concat([...head, packet]), little)
}

const simplePacket = (packet: Buffer, little: boolean, length = packet.length): Buffer =>
  block(3, Buffer.concat([word(length, little), packet]), little)

function pcapng(packets: readonly Buffer[], little: boolean): Buffer {
  return Buffer.concat([section(little), describedInterface(little), ...packets.map((packet) => enhancedPacket(packet, little))])
}

function read(bytes: Uint8Array): Capture {
  const capture = readCapture(bytes, messageLength)
  if (capture === undefined) throw new Error('not a capture')
  return capture
}

const hexes = ({ packets }: Capture): string[] => packets.map(({ bytes }) => Buffer.from(bytes).toString('hex'))
const expected = messages.map((message) => message.toString('hex'))

const containers: [name: string, format: string, bytes: Buffer][] = [
  ['pcap, little-endian, microseconds', 'pcap', pcap(messages)],
  ['pcap, big-endian, microseconds', 'pcap', pcap(messages, { little: false })],
  ['pcap, little-endian, nanoseconds', 'pcap', pcap(messages, { nano: true })],
  ['pcap, big-endian, nanoseconds', 'pcap', pcap(messages, { little: false, nano: true })],
  ['pcapng, little-endian', 'pcapng', pcapng(messages, true)],
  ['pcapng, big-endian', 'pcapng', pcapng(messages, false)],
  [
    'pcapng with simple packets',
    'pcapng',
    Buffer.concat([section(true), describedInterface(true), ...messages.map((message) => simplePacket(message, true))]),
  ],
  [
    'pcapng with a section in each byte order',
    'pcapng',
    Buffer.concat([pcapng(messages.slice(0, 1), true), pcapng(messages.slice(1), false)]),
  ],
  ['messages back to back', 'raw', Buffer.concat(messages)],
  ['vectors', 'jsonl', Buffer.from(expected.map((hex) => `{"name":"x","hex":"${hex}"}\n`).join(''))],
  ['hexadecimal text', 'hex', Buffer.from(expected.join('\n').replace(/(..)/g, '$1 '))],
]

describe('the same three messages (BUG-083)', () => {
  test.each(containers)('are read from %s', (_name, format, bytes) => {
    const capture = read(bytes)
    expect(capture.format).toBe(format)
    expect(hexes(capture)).toEqual(expected)
    expect(capture.problems).toEqual([])
  })

  test.each(containers.slice(0, 7))(
    'are read from %s with garbage after them, which is reported with its offset',
    (_name, _format, bytes) => {
      for (const garbage of [Buffer.from([1, 2, 3]), Buffer.alloc(100, 0xee)]) {
        const capture = read(Buffer.concat([bytes, garbage]))
        expect(hexes(capture)).toEqual(expected)
        expect(capture.problems).toHaveLength(1)
        expect(capture.problems[0].offset).toBe(bytes.length)
      }
    },
  )

  test.each(containers.slice(0, 7))(
    'are read from %s with a fourth record that is cut, at every length',
    (name, format, bytes) => {
      const little = !name.includes('big-endian')
      const record =
        format === 'pcap'
          ? pcap([messages[0]], { little, nano: name.includes('nano') }).subarray(24)
          : enhancedPacket(messages[0], little)
      for (let length = 1; length < record.length; length++) {
        const capture = read(Buffer.concat([bytes, record.subarray(0, length)]))
        expect(hexes(capture)).toEqual(expected)
        expect(capture.problems.map(({ offset }) => offset)).toEqual([bytes.length])
      }
    },
  )
})

describe('pcap', () => {
  test('takes link type 0 with a remark, and no other', () => {
    const old = read(pcap(messages, { linkType: 0 }))
    expect(hexes(old)).toEqual(expected)
    expect(old.problems).toMatchObject([{ offset: 20, harmless: true }])
    const ethernet = read(pcap(messages, { linkType: 1 }))
    expect(ethernet.packets).toEqual([])
    expect(ethernet.problems).toMatchObject([{ offset: 20, text: expect.stringContaining('link type 1 ') }])
  })

  test('marks what the snap length cut', () => {
    const { packets } = read(pcap(messages, { snap: 64 }))
    expect(packets.map(({ bytes }) => bytes.length)).toEqual([64, 64, 64])
    expect(packets.map(({ length }) => length)).toEqual(messages.map(({ length }) => length))
  })

  test('gives times in nanoseconds whatever the unit in the file', () => {
    expect(read(pcap(messages)).packets[1].time).toBe(1_700_000_000_000_002_000n)
    expect(read(pcap(messages, { nano: true })).packets[1].time).toBe(1_700_000_000_000_000_002n)
  })

  test('splits a packet that holds two messages', () => {
    const capture = read(pcap([Buffer.concat(messages.slice(0, 2)), messages[2]]))
    expect(hexes(capture)).toEqual(expected)
    expect(capture.packets[1].offset).toBe(24 + 16 + messages[0].length)
  })

  test('leaves a packet with a message and something else whole', () => {
    const odd = Buffer.concat([messages[0], Buffer.from([1])])
    expect(hexes(read(pcap([odd])))).toEqual([odd.toString('hex')])
  })

  test('ends at a record that claims more than a message can have', () => {
    const bytes = pcap(messages)
    const claim = Buffer.alloc(16 + 40)
    claim.writeUInt32LE(0xffffffff, 8)
    claim.writeUInt32LE(0xffffffff, 12)
    const { packets, problems } = read(Buffer.concat([bytes, claim]))
    expect(packets).toHaveLength(3)
    expect(problems).toMatchObject([{ offset: bytes.length, text: expect.stringContaining('not a record') }])
  })
})

describe('pcapng', () => {
  const around = (...blocks: Buffer[]): Buffer => Buffer.concat([section(true), ...blocks])

  test('passes over blocks of other types', () => {
    const other = block(0x0bad, Buffer.from('anything'), true)
    expect(hexes(read(around(describedInterface(true), other, enhancedPacket(messages[0], true), other)))).toEqual([expected[0]])
  })

  test('leaves out the packets of interfaces of other link types', () => {
    const bytes = around(
      describedInterface(true, 1),
      describedInterface(true),
      enhancedPacket(messages[0], true, 0, 0),
      enhancedPacket(messages[1], true, 0, 1),
    )
    const capture = read(bytes)
    expect(hexes(capture)).toEqual([expected[1]])
    expect(capture.problems).toHaveLength(1)
  })

  test('reads the resolution of time stamps', () => {
    const resolution = (value: number) => Buffer.from([9, 0, 1, 0, value, 0, 0, 0, 0, 0, 0, 0])
    const timeWith = (value: number) =>
      read(around(describedInterface(true, 231, 0, resolution(value)), enhancedPacket(messages[0], true, 2048))).packets[0].time
    expect(timeWith(3)).toBe(2_048_000_000n)
    expect(timeWith(9)).toBe(2048n)
    expect(timeWith(0x80 | 10)).toBe(2_000_000_000n)
    expect(timeWith(127)).toBeUndefined()
    expect(timeWith(255)).toBeUndefined()
  })

  test('takes what the snap length left of a simple packet', () => {
    const cut = simplePacket(messages[0].subarray(0, 64), true, messages[0].length)
    const { packets } = read(around(describedInterface(true, 231, 64), cut))
    expect(packets).toMatchObject([{ length: messages[0].length }])
    expect(packets[0].bytes.length).toBe(64)
  })

  test('takes a block length that is not rounded up to 4', () => {
    const odd = Buffer.concat([messages[0], Buffer.from([0])]).subarray(0, messages[0].length - 2)
    const bytes = enhancedPacket(odd, true)
    const honest = 12 + 20 + odd.length
    bytes.writeUInt32LE(honest, 4)
    bytes.writeUInt32LE(honest, bytes.length - 4)
    expect(read(around(describedInterface(true), bytes, enhancedPacket(messages[1], true))).packets).toHaveLength(2)
  })

  test.each([
    ['a section without a byte order', Buffer.concat([Buffer.from('0a0d0d0a1c00000000000000', 'hex'), Buffer.alloc(16)]), 0],
    ['a packet of an interface that was not described', around(enhancedPacket(messages[0], true)), 0],
    ['a packet that is longer than its block', around(describedInterface(true), simplePacket(Buffer.alloc(4), true, 5000)), 0],
    ['a packet block that is too short', around(describedInterface(true), block(6, Buffer.alloc(16), true)), 0],
    ['an interface block that is too short', around(block(1, Buffer.alloc(4), true)), 0],
  ])('reports %s', (text, bytes, packets) => {
    const capture = read(bytes)
    expect(capture.packets).toHaveLength(packets)
    expect(capture.problems).toMatchObject([{ text }])
  })

  test('reports a block whose two lengths differ, and ends there', () => {
    const bytes = pcapng(messages, true)
    bytes[bytes.length - 4] ^= 4
    const { packets, problems } = read(bytes)
    expect(packets).toHaveLength(2)
    expect(problems).toMatchObject([{ text: 'a block whose two lengths differ' }])
  })
})

describe('messages back to back', () => {
  const stream = Buffer.concat(messages)

  test('report a cut last message at its offset', () => {
    const { packets, problems } = read(stream.subarray(0, stream.length - 1))
    expect(packets).toHaveLength(2)
    expect(problems).toMatchObject([{ offset: messages[0].length + messages[1].length }])
  })

  test('report what is no message, at its offset', () => {
    const { packets, problems } = read(Buffer.concat([stream, Buffer.alloc(40, 1)]))
    expect(packets).toHaveLength(3)
    expect(problems).toMatchObject([{ offset: stream.length }])
  })

  test('are split the same at any offset of a pool', () => {
    const pool = Buffer.concat([Buffer.alloc(13, 0x55), stream]).subarray(13)
    expect(hexes(read(pool))).toEqual(expected)
  })
})

describe('vectors', () => {
  test('may be recipes', () => {
    const { packets } = read(Buffer.from('{"parts":[["0102",2],["ff",3],["00",0]]}'))
    expect(Buffer.from(packets[0].bytes).toString('hex')).toBe('01020102ffffff')
  })

  test.each([
    ['{"parts":[["00",1e15]]}', 'more than'],
    ['{"parts":[["00",134217728],["00",134217728]]}', 'more than'],
    ['{"parts":[["00",-1]]}', 'not a list'],
    ['{"parts":[7]}', 'not a list'],
    ['{"hex":"0"}', 'not hexadecimal'],
    ['{"hex":7}', 'without "hex"'],
    ['{', 'not JSON'],
    ['{"a":1}', 'without "hex"'],
  ])('report %s', (line, text) => {
    const { packets, problems } = read(Buffer.from(`{"hex":"6c"}\n${line}\n`))
    expect(packets).toHaveLength(1)
    expect(problems).toMatchObject([{ offset: 13, text: expect.stringContaining(text) }])
  })

  test('list no more than some problems', () => {
    expect(read(Buffer.from('{"a":1}\n'.repeat(1000))).problems).toHaveLength(21)
  })
})

test('hexadecimal digits given as an argument are bytes, anything else is not', () => {
  expect(bytesOfHex('6C 01\n00')).toEqual(Buffer.from([0x6c, 1, 0]))
  for (const text of ['6', 'xx', '', '6c0', 'file.pcap']) expect(bytesOfHex(text)).toBeUndefined()
})

test('what is no capture is not taken for one', () => {
  for (const text of ['', 'GIF89a', '\x7fELF', 'hello', '\0\0\0\0']) {
    expect(readCapture(Buffer.from(text, 'latin1'), messageLength)).toBeUndefined()
  }
})

test.each([
  ['captures/mock-bluez5.pcap', 'pcap', 'capture-mock-bluez5.jsonl'],
  ['captures/dbus-broker.pcap', 'pcap', 'capture-dbus-broker.jsonl'],
  ['captures/types-gdbus.monitor-binary.bin', 'raw', undefined],
  ['captures/mock-notifications.busctl-full.pcapng', 'pcapng', undefined],
  ['captures/mock-notifications.busctl.pcapng', 'pcapng', undefined],
])('%s is read whole', (name, format, twin) => {
  const capture = read(readFileSync(vectors(name)))
  expect(capture.format).toBe(format)
  expect(capture.problems).toEqual([])
  expect(capture.packets.length).toBeGreaterThan(10)
  for (const { bytes, length } of capture.packets) expect(messageLength(bytes)).toBe(length)
  if (twin === undefined) return
  const inFile = new Set(hexes(capture))
  const inTwin = linesOf(twin).map(({ hex }) => hex)
  expect(inTwin.filter((hex) => !inFile.has(hex))).toEqual([])
})

test('no reader reads out of bounds or hangs on a file with any byte changed', () => {
  // Each container, each byte set to 0, ff and one more: only the verdict may change.
  for (const [, , bytes] of containers.slice(0, 9)) {
    for (let at = 0; at < bytes.length; at++) {
      for (const value of [0, 0xff, bytes[at] + 1]) {
        const changed = Buffer.from(bytes)
        changed[at] = value
        const capture = readCapture(changed, messageLength)
        for (const packet of capture?.packets ?? []) {
          expect(packet.offset + packet.bytes.length <= changed.length || capture?.format === 'hex').toBe(true)
        }
      }
    }
  }
})
