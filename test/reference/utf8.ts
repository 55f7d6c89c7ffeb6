// UTF-8 as RFC 3629 has it: Unicode 15, table 3-7 "Well-Formed UTF-8 Byte Sequences". VALIDATION 3.6 and 3.7.

/** The offset of the first ill-formed sequence or NUL in bytes[start, end), or -1. */
export function findUtf8Fault(bytes: Uint8Array, start: number, end: number): number {
  let position = start
  while (position < end) {
    const length = sequenceLength(bytes, position, end)
    if (length === 0) return position
    position += length
  }
  return -1
}

/** The length of the well-formed sequence at `at`; 0 when there is none. */
function sequenceLength(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at]
  if (first >= 0x01 && first <= 0x7f) return 1
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 0
  if (length === 0 || first >= 0xf8 || at + length > end) return 0
  let codePoint = first & (0x7f >> length)
  for (let i = 1; i < length; i++) {
    const next = bytes[at + i]
    if ((next & 0xc0) !== 0x80) return 0
    codePoint = codePoint * 64 + (next & 0x3f)
  }
  const smallest = length === 2 ? 0x80 : length === 3 ? 0x800 : 0x10000
  if (codePoint < smallest || codePoint > 0x10ffff) return 0
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return 0
  return length
}

/** Well-formed bytes as text; a byte order mark is text like any other. */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

export function bytesOfText(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** One character per byte, so that an index into the text is an index into the bytes. */
export function charactersOf(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}
