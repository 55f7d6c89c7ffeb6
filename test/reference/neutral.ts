// The neutral form of values: what corpus values.jsonl holds. Exact for every D-Bus value and plain JSON.

export type Neutral =
  | ['y' | 'n' | 'q' | 'i' | 'u' | 'h', number]
  | ['b', boolean]
  | ['x' | 't', string] // decimal
  | ['d', string] // the 64 bits, big-endian, in hex
  | ['s' | 'o' | 'g', string]
  | ['ay', string] // the bytes in hex
  | ['a', string, Neutral[]] // element type, elements
  | ['(', Neutral[]]
  | ['{', Neutral, Neutral]
  | ['v', string, Neutral]

/** One header field as it stands in the message: code, signature of the variant, value. */
export type NeutralField = [code: number, signature: string, value: Neutral]

/** The header as in values.jsonl, and every field (unknown ones too) in message order. */
export interface NeutralHeader {
  endian: 'l' | 'B'
  type: number
  flags: number
  version: number
  serial: number
  path: string | null
  interface: string | null
  member: string | null
  error: string | null
  reply_serial: number | null
  destination: string | null
  sender: string | null
  signature: string
  unix_fds: number | null
  fields: NeutralField[]
}

export interface NeutralMessage {
  header: NeutralHeader
  body: Neutral[]
}
