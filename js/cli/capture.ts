// Any file that may hold D-Bus messages, told by its first bytes, as a list of messages.
import { isPcap, isPcapng, type Packet, type Packets, type Problem, readPcap, readPcapng } from './pcap.ts'

export type { Packet, Problem } from './pcap.ts'

export type CaptureFormat = 'pcap' | 'pcapng' | 'raw' | 'hex' | 'jsonl'

export interface Capture extends Packets {
  readonly format: CaptureFormat
}

/** The length of the message that begins here, undefined while fewer than 16 bytes are there; throws on a bad header. */
export type MessageLength = (bytes: Uint8Array) => number | undefined

/** A vector may be a recipe ("64 MiB of zeros"); one that makes more than a greatest message and a bit is refused. */
const MAX_RECIPE_LENGTH = 134217728 + 4096
/** Problems listed for one file: a file of another kind has one in every line. */
const MAX_PROBLEMS = 20
/** Enough of a message to tell its length (D-Bus specification, "Message Format"). */
const FIXED_HEADER = 16

/** Reads a capture. `undefined`: it is none of the formats. */
export function readCapture(bytes: Uint8Array, messageLength: MessageLength): Capture | undefined {
  if (isPcap(bytes)) return splitPackets('pcap', readPcap(bytes), messageLength)
  if (isPcapng(bytes)) return splitPackets('pcapng', readPcapng(bytes), messageLength)
  const first = bytes[0]
  if (first === 0x6c || first === 0x42) {
    const raw = splitMessages(bytes, 0, messageLength)
    // "B" is also a hexadecimal digit; a file whose very first message is bad might still be a text.
    if (raw.packets.length > 0 || !isHex(bytes)) return { format: 'raw', ...raw }
  }
  if (isHex(bytes)) return { format: 'hex', ...splitMessages(parseHex(latin1(bytes)), 0, messageLength) }
  if (firstVisible(bytes) === 0x7b) return { format: 'jsonl', ...readVectors(bytes) }
  return undefined
}

/** The bytes of a message given as hexadecimal digits, blanks between them allowed; undefined when it is not that. */
export function bytesOfHex(text: string): Uint8Array | undefined {
  const digits = text.replace(/\s+/g, '')
  return digits.length % 2 === 0 && /^[0-9a-fA-F]+$/.test(digits) ? parseHex(digits) : undefined
}

/** Messages back to back, as on a socket after the handshake or from dbus-monitor --binary. */
export function splitMessages(bytes: Uint8Array, base: number, messageLength: MessageLength): Packets {
  const packets: Packet[] = []
  const problems: Problem[] = []
  let offset = 0
  while (offset < bytes.length) {
    const rest = bytes.subarray(offset)
    let length: number | undefined
    try {
      length = messageLength(rest.subarray(0, FIXED_HEADER))
    } catch (error) {
      problems.push({ offset: base + offset, text: `${rest.length} bytes that are not a message: ${(error as Error).message}` })
      break
    }
    if (length === undefined || length > rest.length) {
      const wanted = length === undefined ? 'a header' : `${length}`
      problems.push({ offset: base + offset, text: `the last message is cut: ${rest.length} of ${wanted} bytes are there` })
      break
    }
    packets.push({ bytes: rest.subarray(0, length), offset: base + offset, length })
    offset += length
  }
  return { packets, problems }
}

/** A packet is one message, but captures made from system call traces also have several in one (several writes, one read). */
function splitPackets(format: CaptureFormat, { packets, problems }: Packets, messageLength: MessageLength): Capture {
  const split = packets.flatMap((packet) => {
    if (packet.length > packet.bytes.length) return packet
    const parts = splitMessages(packet.bytes, packet.offset, messageLength)
    // A packet with anything else in it stays whole: what is wrong with it is for the decoder to say.
    if (parts.packets.length < 2 || parts.problems.length > 0) return packet
    return parts.packets.map((part) => ({ ...packet, ...part }))
  })
  return { format, packets: split, problems }
}

const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)

function firstVisible(bytes: Uint8Array): number | undefined {
  return bytes.find((byte) => !isBlank(byte))
}

function isHex(bytes: Uint8Array): boolean {
  let digits = 0
  for (const byte of bytes) {
    const letter = byte | 0x20
    if ((byte >= 0x30 && byte <= 0x39) || (letter >= 0x61 && letter <= 0x66)) digits++
    else if (!isBlank(byte)) return false
  }
  return digits > 0 && digits % 2 === 0
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')

/** Of text that was found to be hexadecimal: Buffer would stop without a word at the first other character. */
const parseHex = (text: string): Uint8Array => Buffer.from(text.replace(/\s+/g, ''), 'hex')

/** Test vectors: a JSON object a line, the bytes as `hex`, or as `parts`, a list of [hex, times]. */
function readVectors(bytes: Uint8Array): Packets {
  const packets: Packet[] = []
  const problems: Problem[] = []
  let failed = 0
  let offset = 0
  while (offset < bytes.length) {
    const newline = bytes.indexOf(0x0a, offset)
    const end = newline < 0 ? bytes.length : newline
    const line = Buffer.from(bytes.buffer, bytes.byteOffset + offset, end - offset).toString('utf8')
    if (line.trim() !== '') {
      const vector = readVector(line)
      if (typeof vector === 'string') {
        if (++failed <= MAX_PROBLEMS) problems.push({ offset, text: vector })
      } else packets.push({ ...vector, offset, length: vector.bytes.length })
    }
    offset = end + 1
  }
  if (failed > MAX_PROBLEMS) problems.push({ offset: bytes.length, text: `${failed - MAX_PROBLEMS} more such lines` })
  return { packets, problems }
}

function readVector(line: string): { bytes: Uint8Array; name?: string } | string {
  let vector: { name?: unknown; hex?: unknown; parts?: unknown } | null
  try {
    vector = JSON.parse(line)
  } catch {
    return 'a line that is not JSON'
  }
  const { name, hex, parts } = vector ?? {}
  const named = typeof name === 'string' ? { name } : {}
  if (typeof hex === 'string') {
    const bytes = hex === '' ? new Uint8Array() : bytesOfHex(hex)
    return bytes === undefined ? '"hex" is not hexadecimal' : { bytes, ...named }
  }
  if (!Array.isArray(parts)) return 'a line without "hex"'
  const pieces: [Uint8Array, number][] = []
  let length = 0
  for (const part of parts) {
    const [text, times] = Array.isArray(part) ? part : []
    const bytes = typeof text === 'string' ? bytesOfHex(text) : undefined
    if (bytes === undefined || !Number.isSafeInteger(times) || times < 0) return '"parts" is not a list of [hex, times]'
    length += bytes.length * times
    if (length > MAX_RECIPE_LENGTH) return `"parts" makes more than ${MAX_RECIPE_LENGTH} bytes`
    pieces.push([bytes, times])
  }
  const bytes = Buffer.alloc(length)
  let at = 0
  for (const [piece, times] of pieces) {
    const size = piece.length * times
    if (size > 0) bytes.fill(piece, at, at + size)
    at += size
  }
  return { bytes, ...named }
}
