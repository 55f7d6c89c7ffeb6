// The message: specification, "Message Format"; order of checks: VALIDATION sections 0, 1 and 2, then the body.
import { ReferenceFault } from './fault.ts'
import { findBusNameFault, findErrorNameFault, findInterfaceFault, findMemberFault } from './names.ts'
import type { NeutralHeader, NeutralMessage } from './neutral.ts'
import { Reader } from './read.ts'
import { parseTypes } from './signature.ts'
import { bytesOfText, charactersOf } from './utf8.ts'

export interface MessageOptions {
  /** Validation 'structure': no check of text, names, padding and booleans. */
  structure?: boolean
  /** false: check only; the body returned means nothing. */
  keep?: boolean
}

interface Frame {
  little: boolean
  fieldsEnd: number
  bodyStart: number
  end: number
}

const HEADER_TYPES = parseTypes('yyyyuua(yv)')
const FIELD_TYPES: Record<number, string> = { 1: 'o', 2: 's', 3: 's', 4: 's', 5: 'u', 6: 's', 7: 's', 8: 'g', 9: 'u' }
const NAME_CHECKS: Record<number, { code: string; find: (text: string) => number }> = {
  2: { code: 'ERR_DBUS_INTERFACE', find: findInterfaceFault },
  3: { code: 'ERR_DBUS_MEMBER', find: findMemberFault },
  4: { code: 'ERR_DBUS_ERROR_NAME', find: findErrorNameFault },
  6: { code: 'ERR_DBUS_DESTINATION', find: findBusNameFault },
  7: { code: 'ERR_DBUS_SENDER', find: findBusNameFault },
}
const LOCAL_INTERFACE = 'org.freedesktop.DBus.Local'
const LOCAL_PATH = '/org/freedesktop/DBus/Local'

/** Section 0: what the first 16 bytes claim, and whether so many bytes are there. */
function frame(bytes: Uint8Array): Frame {
  if (bytes.length < 16) throw new ReferenceFault('ERR_DBUS_INCOMPLETE', bytes.length)
  if (bytes[0] !== 0x6c && bytes[0] !== 0x42) throw new ReferenceFault('ERR_DBUS_BYTE_ORDER', 0)
  const little = bytes[0] === 0x6c
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const bodyLength = view.getUint32(4, little)
  const fieldsLength = view.getUint32(12, little)
  if (fieldsLength > 67108864) throw new ReferenceFault('ERR_DBUS_FIELDS_LENGTH', 12)
  if (bodyLength > 134217728) throw new ReferenceFault('ERR_DBUS_BODY_LENGTH', 4)
  const fieldsEnd = 16 + fieldsLength
  const bodyStart = Math.ceil(fieldsEnd / 8) * 8
  const end = bodyStart + bodyLength
  if (end > 134217728) throw new ReferenceFault('ERR_DBUS_MESSAGE_LENGTH', 4)
  if (end > bytes.length) throw new ReferenceFault('ERR_DBUS_INCOMPLETE', bytes.length)
  return { little, fieldsEnd, bodyStart, end }
}

export function readMessage(bytes: Uint8Array, options: MessageOptions = {}): NeutralMessage {
  const { little, fieldsEnd, bodyStart, end } = frame(bytes)
  const structure = options.structure ?? false

  // Section 1: the header is a value like any other. Its section ends where the message ends.
  const wellFormed = new Reader(bytes, { little, end, structure, keep: false })
  wellFormed.readAll(HEADER_TYPES, 0)
  for (let i = fieldsEnd; i < bodyStart; i++) {
    if (bytes[i] !== 0 && !structure) throw new ReferenceFault('ERR_DBUS_PADDING', i)
  }

  const header = readHeader(bytes, little, fieldsEnd, end, structure)
  checkRequiredFields(header, fieldsEnd)

  const reader = new Reader(bytes, { little, position: bodyStart, end, structure, keep: options.keep ?? true })
  const body = reader.readAll(parseTypes(header.signature), 0)
  if (reader.position < end) throw new ReferenceFault('ERR_DBUS_TOO_MUCH_DATA', reader.position)
  if (end < bytes.length) throw new ReferenceFault('ERR_DBUS_TRAILING_BYTES', end)
  return { header, body }
}

/** Section 2: what the header says, known to be well-formed. */
function readHeader(bytes: Uint8Array, little: boolean, fieldsEnd: number, end: number, structure: boolean) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const header: NeutralHeader = {
    endian: little ? 'l' : 'B',
    type: bytes[1],
    flags: bytes[2],
    version: bytes[3],
    serial: view.getUint32(8, little),
    path: null,
    interface: null,
    member: null,
    error: null,
    reply_serial: null,
    destination: null,
    sender: null,
    signature: '',
    unix_fds: null,
    fields: [],
  }
  if (header.type === 0) throw new ReferenceFault('ERR_DBUS_MESSAGE_TYPE', 1)
  if (header.version !== 1) throw new ReferenceFault('ERR_DBUS_PROTOCOL_VERSION', 3)
  if (header.serial === 0) throw new ReferenceFault('ERR_DBUS_SERIAL', 8)

  const reader = new Reader(bytes, { little, position: 16, end, structure })
  while (reader.position < fieldsEnd) {
    reader.align(8, 0)
    readField(reader, header)
  }
  return header
}

function readField(reader: Reader, header: NeutralHeader): void {
  const { bytes, structure } = reader
  const codeAt = reader.position
  const code = bytes[codeAt]
  const signatureAt = codeAt + 2
  const signature = charactersOf(bytes.subarray(signatureAt, signatureAt + bytes[codeAt + 1]))
  reader.position = signatureAt + signature.length + 1
  const [type] = parseTypes(signature)
  // The field's own depth (array, struct, variant) was judged when the header was read as a whole.
  const [value] = reader.readAll([type], 3)
  const seen = header.fields.some((field) => field[0] === code)
  header.fields.push([code, signature, value])

  if (code === 0) throw new ReferenceFault('ERR_DBUS_FIELD_CODE', codeAt)
  if (code > 9) return
  if (signature !== FIELD_TYPES[code]) throw new ReferenceFault('ERR_DBUS_FIELD_TYPE', signatureAt)
  if (seen) throw new ReferenceFault('ERR_DBUS_FIELD_TWICE', codeAt)

  if (code === 5 || code === 9) {
    const number = value[1] as number
    if (code === 5 && number === 0) throw new ReferenceFault('ERR_DBUS_REPLY_SERIAL', reader.position - 4)
    if (code === 5) header.reply_serial = number
    else header.unix_fds = number
    return
  }

  const text = value[1] as string
  if (!structure && code !== 8) {
    // The value ends one byte before the reader: at its NUL.
    const characters = charactersOf(bytesOfText(text))
    const textAt = reader.position - 1 - characters.length
    if (code === 1 && text === LOCAL_PATH) throw new ReferenceFault('ERR_DBUS_LOCAL_PATH', textAt)
    if (code === 2 && text === LOCAL_INTERFACE) throw new ReferenceFault('ERR_DBUS_LOCAL_INTERFACE', textAt)
    const check = NAME_CHECKS[code]
    const fault = check === undefined ? -1 : check.find(characters)
    if (fault >= 0) throw new ReferenceFault(check.code, textAt + fault)
  }
  if (code === 1) header.path = text
  if (code === 2) header.interface = text
  if (code === 3) header.member = text
  if (code === 4) header.error = text
  if (code === 6) header.destination = text
  if (code === 7) header.sender = text
  if (code === 8) header.signature = text
}

function checkRequiredFields(header: NeutralHeader, fieldsEnd: number): void {
  const require = (value: unknown, code: string) => {
    if (value === null) throw new ReferenceFault(code, fieldsEnd)
  }
  if (header.type === 4) require(header.interface, 'ERR_DBUS_MISSING_INTERFACE')
  if (header.type === 4 || header.type === 1) {
    require(header.path, 'ERR_DBUS_MISSING_PATH')
    require(header.member, 'ERR_DBUS_MISSING_MEMBER')
  }
  if (header.type === 3) require(header.error, 'ERR_DBUS_MISSING_ERROR_NAME')
  if (header.type === 3 || header.type === 2) require(header.reply_serial, 'ERR_DBUS_MISSING_REPLY_SERIAL')
}
