// The two container formats that capture tools write: classic pcap (dbus-monitor --pcap) and pcapng (busctl capture).
// Both come from strangers: every length is compared with what is left of the file before it is used, nothing is
// allocated from a claimed size, and the first thing that makes no sense ends the reading with a report of its offset.

/** One packet: a message, mostly, or what the snap length left of it. */
export interface Packet {
  readonly bytes: Uint8Array
  /** Where the packet's bytes begin in the file. */
  readonly offset: number
  /** The length on the wire: more than `bytes` when the capture tool cut the packet. */
  readonly length: number
  /** Nanoseconds since 1970, where the format has a time. */
  readonly time?: bigint
  /** The name a vector file gives it. */
  readonly name?: string
}

/** Something in the file that is not as it should be. */
export interface Problem {
  readonly offset: number
  readonly text: string
  /** A remark only: nothing was lost. */
  readonly harmless?: true
}

export interface Packets {
  readonly packets: Packet[]
  readonly problems: Problem[]
}

/** LINKTYPE_DBUS (https://www.tcpdump.org/linktypes.html). */
const LINK_TYPE_DBUS = 231
/** Old Bustle files have 0 (BSD loopback) in its place. */
const LINK_TYPE_NONE = 0
/** A packet is at most one message of the greatest length; a larger claim is not a record but garbage. */
const MAX_PACKET_LENGTH = 134217728

const isDBus = (linkType: number): boolean => linkType === LINK_TYPE_DBUS || linkType === LINK_TYPE_NONE

function linkTypeProblem(linkType: number, offset: number): Problem[] {
  if (linkType === LINK_TYPE_DBUS) return []
  if (linkType === LINK_TYPE_NONE) return [{ offset, text: 'link type 0 is taken as D-Bus (231)', harmless: true }]
  return [{ offset, text: `link type ${linkType} is not D-Bus (231): its packets are left out` }]
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

//   0        4         6         8        12       16        20         24
//   ┌────────┬─────────┬─────────┬────────┬────────┬─────────┬──────────┐    magic: a1b2c3d4 microseconds,
//   │ magic  │ major   │ minor   │ zone   │ sigfigs│ snaplen │ linktype │           a1b23c4d nanoseconds,
//   └────────┴─────────┴─────────┴────────┴────────┴─────────┴──────────┘           in the writer's byte order
//   0        4         8         12       16
//   ┌────────┬─────────┬─────────┬────────┬─ ─ ─
//   │ second │ fraction│ captured│ length │ bytes, no padding
//   └────────┴─────────┴─────────┴────────┴─ ─ ─
const PCAP_MICRO = 0xa1b2c3d4
const PCAP_NANO = 0xa1b23c4d
const PCAP_HEADER = 24
const PCAP_RECORD = 16

const isPcapMagic = (magic: number): boolean => magic === PCAP_MICRO || magic === PCAP_NANO

/** Whether the bytes begin as a classic pcap file. */
export function isPcap(bytes: Uint8Array): boolean {
  if (bytes.length < 4) return false
  const view = viewOf(bytes)
  return isPcapMagic(view.getUint32(0, true)) || isPcapMagic(view.getUint32(0, false))
}

export function readPcap(bytes: Uint8Array): Packets {
  const packets: Packet[] = []
  if (bytes.length < PCAP_HEADER) return { packets, problems: [{ offset: 0, text: 'the file header is cut' }] }
  const view = viewOf(bytes)
  const little = isPcapMagic(view.getUint32(0, true))
  const nano = view.getUint32(0, little) === PCAP_NANO
  const second = nano ? 1_000_000_000 : 1_000_000
  // The upper bits of this word speak of frame check sequences, not of the link type.
  const linkType = view.getUint32(20, little) & 0xffff
  const problems = linkTypeProblem(linkType, 20)
  if (!isDBus(linkType)) return { packets, problems }

  let offset = PCAP_HEADER
  while (offset < bytes.length) {
    const left = bytes.length - offset
    if (left < PCAP_RECORD) {
      problems.push({ offset, text: `${left} bytes after the last record, too few for another` })
      break
    }
    const fraction = view.getUint32(offset + 4, little)
    const captured = view.getUint32(offset + 8, little)
    const length = view.getUint32(offset + 12, little)
    if (fraction >= second || captured > MAX_PACKET_LENGTH || captured > length) {
      problems.push({ offset, text: `${left} bytes that are not a record` })
      break
    }
    const start = offset + PCAP_RECORD
    if (captured > bytes.length - start) {
      problems.push({ offset, text: `the last record is cut: ${bytes.length - start} of ${captured} bytes are there` })
      break
    }
    const time = BigInt(view.getUint32(offset, little)) * 1_000_000_000n + BigInt(nano ? fraction : fraction * 1000)
    packets.push({ bytes: bytes.subarray(start, start + captured), offset: start, length, time })
    offset = start + captured
  }
  return { packets, problems }
}

//   0        4         8                        length-4   length
//   ┌────────┬─────────┬─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ┬──────────┐   rounded up to 4; old writers leave the rounding out
//   │ type   │ length  │ body                    │ length   │   of the length itself
//   └────────┴─────────┴─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ┴──────────┘
const BLOCK_SECTION = 0x0a0d0d0a // the same in both byte orders
const BLOCK_INTERFACE = 1
const BLOCK_SIMPLE_PACKET = 3
const BLOCK_ENHANCED_PACKET = 6
const BLOCK_FRAME = 12
const BYTE_ORDER_MAGIC = 0x1a2b3c4d
const OPTION_TIME_RESOLUTION = 9

interface Interface {
  readonly linkType: number
  readonly snapLength: number
  /** Units of a time stamp in a second; undefined when it is none that a clock has. */
  readonly unitsPerSecond: bigint | undefined
}

/** Whether the bytes begin as a pcapng file. */
export function isPcapng(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && viewOf(bytes).getUint32(0, false) === BLOCK_SECTION
}

export function readPcapng(bytes: Uint8Array): Packets {
  const packets: Packet[] = []
  const problems: Problem[] = []
  const view = viewOf(bytes)
  let little = true
  let interfaces: Interface[] = []
  let offset = 0
  while (offset < bytes.length) {
    const left = bytes.length - offset
    if (left < BLOCK_FRAME) {
      problems.push({ offset, text: `${left} bytes after the last block, too few for another` })
      break
    }
    const isSection = view.getUint32(offset, false) === BLOCK_SECTION
    if (isSection) {
      little = view.getUint32(offset + 8, true) === BYTE_ORDER_MAGIC
      interfaces = []
      if (!little && view.getUint32(offset + 8, false) !== BYTE_ORDER_MAGIC) {
        problems.push({ offset: offset + 8, text: 'a section without a byte order' })
        break
      }
    }
    const type = view.getUint32(offset, little)
    const length = view.getUint32(offset + 4, little)
    const whole = length + (-length & 3)
    if (length < BLOCK_FRAME || length > MAX_PACKET_LENGTH * 2) {
      problems.push({ offset, text: `${left} bytes that are not a block` })
      break
    }
    if (whole > left) {
      problems.push({ offset, text: `the last block is cut: ${left} of ${whole} bytes are there` })
      break
    }
    if (view.getUint32(offset + whole - 4, little) !== length) {
      problems.push({ offset, text: 'a block whose two lengths differ' })
      break
    }
    const body = new DataView(bytes.buffer, bytes.byteOffset + offset + 8, whole - BLOCK_FRAME)
    if (type === BLOCK_INTERFACE) {
      const added = readInterface(body, little)
      if (added === undefined) problems.push({ offset, text: 'an interface block that is too short' })
      else problems.push(...linkTypeProblem(added.linkType, offset + 8))
      interfaces.push(added ?? { linkType: -1, snapLength: 0, unitsPerSecond: undefined })
    } else if (type === BLOCK_ENHANCED_PACKET || type === BLOCK_SIMPLE_PACKET) {
      const enhanced = type === BLOCK_ENHANCED_PACKET
      const packet = enhanced ? readEnhancedPacket(body, little, interfaces) : readSimplePacket(body, little, interfaces)
      if (typeof packet === 'string') problems.push({ offset, text: packet })
      else if (packet !== undefined) {
        const start = offset + 8 + packet.start
        const { length: full, time } = packet
        const part = bytes.subarray(start, start + packet.captured)
        packets.push({ bytes: part, offset: start, length: full, ...(time === undefined ? {} : { time }) })
      }
    }
    offset += whole
  }
  return { packets, problems }
}

//   0          2         4         8
//   ┌──────────┬─────────┬─────────┬─ ─ ─    an option: u16 code, u16 length, value padded to 4; code 0 ends them
//   │ linktype │ reserved│ snaplen │ options
//   └──────────┴─────────┴─────────┴─ ─ ─
function readInterface(body: DataView, little: boolean): Interface | undefined {
  if (body.byteLength < 8) return undefined
  let resolution = 6
  let at = 8
  while (at + 4 <= body.byteLength) {
    const code = body.getUint16(at, little)
    const length = body.getUint16(at + 2, little)
    if (code === 0 || at + 4 + length > body.byteLength) break
    if (code === OPTION_TIME_RESOLUTION && length === 1) resolution = body.getUint8(at + 4)
    at += 4 + length + (-length & 3)
  }
  return { linkType: body.getUint16(0, little), snapLength: body.getUint32(4, little), unitsPerSecond: unitsOf(resolution) }
}

function unitsOf(resolution: number): bigint | undefined {
  // The top bit says power of two. Anything finer than a picosecond is no clock, and its power is not worth computing.
  const exponent = resolution & 0x7f
  if (resolution & 0x80) return exponent <= 40 ? 1n << BigInt(exponent) : undefined
  return exponent <= 12 ? 10n ** BigInt(exponent) : undefined
}

interface Located {
  /** Within the block's body. */
  readonly start: number
  readonly captured: number
  readonly length: number
  readonly time?: bigint | undefined
}

//   0           4           8          12         16       20
//   ┌───────────┬───────────┬──────────┬──────────┬────────┬─ ─ ─
//   │ interface │ time high │ time low │ captured │ length │ bytes, padded to 4, options
//   └───────────┴───────────┴──────────┴──────────┴────────┴─ ─ ─
function readEnhancedPacket(body: DataView, little: boolean, interfaces: readonly Interface[]): Located | string | undefined {
  if (body.byteLength < 20) return 'a packet block that is too short'
  const from = interfaces[body.getUint32(0, little)]
  if (from === undefined) return 'a packet of an interface that was not described'
  if (!isDBus(from.linkType)) return undefined
  const captured = body.getUint32(12, little)
  if (captured > body.byteLength - 20) return 'a packet that is longer than its block'
  const stamp = (BigInt(body.getUint32(4, little)) << 32n) | BigInt(body.getUint32(8, little))
  const time = from.unitsPerSecond === undefined ? undefined : (stamp * 1_000_000_000n) / from.unitsPerSecond
  return { start: 20, captured, length: Math.max(captured, body.getUint32(16, little)), time }
}

//   0        4
//   ┌────────┬─ ─ ─    always of interface 0; what was captured follows from its snap length (0: no limit)
//   │ length │ bytes
//   └────────┴─ ─ ─
function readSimplePacket(body: DataView, little: boolean, interfaces: readonly Interface[]): Located | string | undefined {
  if (body.byteLength < 4) return 'a packet block that is too short'
  const from = interfaces[0]
  if (from === undefined) return 'a packet of an interface that was not described'
  if (!isDBus(from.linkType)) return undefined
  const length = body.getUint32(0, little)
  const captured = from.snapLength === 0 ? length : Math.min(length, from.snapLength)
  if (captured > body.byteLength - 4) return 'a packet that is longer than its block'
  return { start: 4, captured, length }
}
