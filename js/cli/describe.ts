// A message as one row of a table: what happened, between whom, and the start of what was said.
import { type Message, MessageType, Variant } from '../index.ts'
import type { Cell, Column } from './table.ts'
import { escapeText, type Style } from './terminal.ts'

export const MESSAGE_COLUMNS: readonly Column[] = [
  { title: '#', least: 2, most: 8, align: 'right' },
  { title: 'type', least: 6, most: 10 },
  { title: 'serial', least: 6, most: 24 },
  { title: 'sender → destination', least: 12, most: 48, keep: 'end' },
  { title: 'path', least: 8, most: 44, keep: 'end' },
  { title: 'interface.member', least: 12, most: 56, keep: 'end' },
  { title: 'signature', least: 4, most: 18 },
  { title: 'body', least: 10, most: 10_000 },
]

const TYPES = new Map<number, readonly [name: string, style: Style]>([
  [MessageType.METHOD_CALL, ['call', 'cyan']],
  [MessageType.METHOD_RETURN, ['return', 'green']],
  [MessageType.ERROR, ['error', 'red']],
  [MessageType.SIGNAL, ['signal', 'magenta']],
])

/** The row of a message; `limit` is the most characters of body worth making. */
export function describeMessage(number: number, message: Message, limit: number): Cell[] {
  const [type, style] = TYPES.get(message.type) ?? [`type ${message.type}`, 'yellow']
  const reply = message.replySerial === undefined ? '' : ` ↩ ${message.replySerial}`
  return [
    { text: String(number), style: 'dim' },
    { text: type, style },
    { text: `${message.serial}${reply}` },
    { text: describeRoute(message) },
    { text: escapeText(message.path ?? '') },
    { text: describeMember(message), style: 'bold' },
    { text: message.signature, style: 'dim' },
    { text: describeBody(message.signature, message.body, limit) },
  ]
}

/** The row of bytes that are no message: as much as is known, and why. */
export function describeRefusal(number: number, name: string | undefined, reason: string): Cell[] {
  const text = escapeText(name === undefined ? reason : `${name}: ${reason}`)
  return [
    { text: String(number), style: 'dim' },
    { text: 'refused', style: 'red' },
    { text, style: 'red', wide: true },
  ]
}

function describeRoute({ sender, destination, type }: Message): string {
  // A signal without a destination goes to whoever listens; the sender is added by the bus, so a client's own bytes lack it.
  const to = destination ?? (type === MessageType.SIGNAL ? '*' : '')
  return `${escapeText(sender ?? '?')} → ${escapeText(to || '?')}`
}

function describeMember({ interface: name, member, errorName }: Message): string {
  if (errorName !== undefined) return escapeText(errorName)
  return escapeText([name, member].filter((part) => part !== undefined).join('.'))
}

/** The values of a body in short, stopped once `limit` characters are there: a large reply is not written out to be cut. */
export function describeBody(signature: string, body: readonly unknown[], limit: number): string {
  const out = new Summary(limit)
  let at = 0
  for (const value of body) {
    if (out.isFull()) break
    if (at > 0) out.add(', ')
    describeValue(out, signature, at, value)
    at = typeEnd(signature, at)
  }
  return out.text
}

class Summary {
  text = ''
  readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  isFull(): boolean {
    return this.text.length > this.limit
  }

  add(text: string): void {
    this.text += text
  }

  /** A peer's text: no more of it is looked at than can be shown. */
  addText(text: string, quote: string): void {
    const room = this.limit + 1 - this.text.length
    this.text += quote + escapeText(text.slice(0, Math.max(room, 0))) + (text.length > room ? '' : quote)
  }

  /** Items between brackets, each written by `each`. */
  addList<T>(open: string, items: Iterable<T>, close: string, each: (item: T) => void): void {
    this.add(open)
    let first = true
    for (const item of items) {
      if (this.isFull()) return
      if (!first) this.add(', ')
      first = false
      each(item)
    }
    this.add(close)
  }
}

/** Where the complete type at `at` ends. */
function typeEnd(signature: string, at: number): number {
  let end = at
  while (signature[end] === 'a') end++
  let open = 0
  do {
    const code = signature[end++]
    if (code === '(' || code === '{') open++
    else if (code === ')' || code === '}') open--
  } while (open > 0)
  return end
}

function describeValue(out: Summary, signature: string, at: number, value: unknown): void {
  const code = signature[at]
  if (code === '(') describeStruct(out, signature, at, value as readonly unknown[])
  else if (code === 'a') describeArray(out, signature, at + 1, value)
  else if (value instanceof Variant) describeValue(out, value.signature, 0, value.value)
  else if (code === 's') out.addText(value as string, '"')
  else if (code === 'o' || code === 'g') out.addText(value as string, '')
  else out.add(code === 'h' ? `fd ${value}` : Object.is(value, -0) ? '-0' : String(value))
}

function describeStruct(out: Summary, signature: string, at: number, fields: readonly unknown[]): void {
  let field = at + 1
  out.addList('(', fields, ')', (value) => {
    describeValue(out, signature, field, value)
    field = typeEnd(signature, field)
  })
}

function describeArray(out: Summary, signature: string, element: number, value: unknown): void {
  const code = signature[element]
  if (code === 'y') describeBytes(out, value as Uint8Array)
  else if (code === '{') {
    const entries = value instanceof Map ? value : Object.entries(value as object)
    out.addList('{', entries as Iterable<[unknown, unknown]>, '}', ([key, item]) => {
      out.addText(String(key), '')
      out.add(': ')
      describeValue(out, signature, element + 2, item)
    })
  } else out.addList('[', value as Iterable<unknown>, ']', (item) => describeValue(out, signature, element, item))
}

/** Bytes shown before the rest is only counted. */
const SHOWN_BYTES = 12
/** Bytes that are all printable are shown as text up to here. */
const MAX_SHOWN_TEXT = 64

function describeBytes(out: Summary, bytes: Uint8Array): void {
  // Network names and file paths travel as bytes, the latter with a NUL at the end.
  const end = bytes.at(-1) === 0 ? bytes.length - 1 : bytes.length
  const text = bytes.subarray(0, end)
  if (end > 0 && end <= MAX_SHOWN_TEXT && text.every((byte) => byte >= 0x20 && byte < 0x7f)) {
    out.add(`b"${String.fromCharCode(...text)}"`)
    return
  }
  const shown = Array.from(bytes.subarray(0, SHOWN_BYTES), (byte) => byte.toString(16).padStart(2, '0')).join(' ')
  out.add(bytes.length > SHOWN_BYTES ? `<${shown} … ${bytes.length} bytes>` : `<${shown}>`)
}
