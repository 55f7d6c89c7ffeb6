// Writes docs/errors.md: the fault table, and what the product says about an example of each row.
import { FAULTS } from '../js/errors.ts'
import { exampleBytes, FAULT_EXAMPLES, type FaultExample, provoke } from './fault-examples.ts'

/** The groups of assembly/shared/faults.ts, by the number that starts each. */
const GROUPS: readonly (readonly [first: number, title: string, text: string])[] = [
  [1, 'Framing', 'Found in the first 16 bytes and in the length of the message.'],
  [10, 'Values', 'Found in the values of header fields and body.'],
  [30, 'Signatures', 'Found in the text of a signature: on the wire, or given to `marshal`, `encode` or `parseSignature`.'],
  [50, 'Header', 'Found in what the header fields say.'],
  [80, 'Values to encode, descriptors, options', 'Found in what the caller hands over, or in what an option rules out.'],
]

const INTRODUCTION = `# Errors

<!-- Written by test/errors.test.ts: change js/errors.ts or test/vectors/fault-examples.json, then run npm run docs:errors -->

Bad input of any kind throws a \`DBusCodecError\`. Compare its \`code\`, which is stable; the sentence may change. \`isDBusCodecError(error)\`
also knows the errors of another copy of this package. Wrong use of the API itself, such as an unknown option, throws a \`TypeError\`.

| property | |
| --- | --- |
| \`code\` | one of the codes below |
| \`offset\` | decoding: bytes from byte 0 of the message to the first byte that is wrong; a signature given by the caller: the character |
| \`path\` | encoding: the value, such as \`body[1]["RSSI"]\` |
| \`signature\` | the signature being read or written, where there is one |
| \`fds\` | the descriptors handed over with a message that was refused: still open, and the caller's to close |

When a message breaks several rules, the one reported is the one that libdbus would find first. Each example below is an input from
\`test/vectors/fault-examples.json\` and what this package says about it; \`^^\` marks the byte at \`offset\`.
`

export function errorsPage(): string {
  const rows = Object.entries(FAULTS).map(([number, [code, sentence]]) => ({ number: Number(number), code, sentence }))
  const table = rows.map(({ code, sentence }) => `| [\`${code}\`](#${code.toLowerCase()}) | ${sentence} |`)
  const sections = GROUPS.map(([first, title, text], index) => {
    const next = GROUPS[index + 1]?.[0] ?? Number.POSITIVE_INFINITY
    const inside = rows.filter(({ number }) => number >= first && number < next)
    return [`## ${title}\n\n${text}\n`, ...inside.map(({ code, sentence }) => section(code, sentence))].join('\n')
  })
  return [INTRODUCTION, '| code | what is wrong |', '| --- | --- |', ...table, '', ...sections].join('\n')
}

function section(code: string, sentence: string): string {
  const examples = FAULT_EXAMPLES.filter((example) => example.code === code)
  return [`### ${code}\n\n${capital(sentence)}.\n`, ...examples.map(exampleText)].join('\n')
}

function exampleText(example: FaultExample): string {
  const { message, offset } = provoke(example)
  const input = example.op === 'decode' ? hexDump(exampleBytes(example), offset) : callText(example)
  return `${capital(example.note)}${optionText(example)}:\n\n\`\`\`text\n${input}\n\n${message}\n\`\`\`\n`
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function optionText({ options, fds }: FaultExample): string {
  const given = [
    ...Object.entries(options ?? {}).map(([name, value]) => `\`${name}: ${JSON.stringify(value)}\``),
    ...(fds === undefined ? [] : [`\`fds: ${JSON.stringify(fds)}\``]),
  ]
  return given.length === 0 ? '' : ` (with ${given.join(', ')})`
}

function callText({ signature = '', values }: FaultExample): string {
  const short = signature.length > 40 ? `${signature.slice(0, 8)}… (${signature.length} characters)` : signature
  const text = JSON.stringify(values, (_key, value) => value?.$variant ?? value)
  return `marshal("${short}", ${text})`
}

const ROW = 16
/** Rows around the byte in question; the whole input is in the vector file. */
const AROUND = 1

/** Rows of 16 bytes, as in hexdump, with a mark under one byte; without one, the end. */
function hexDump(bytes: Uint8Array, offset: number | undefined): string {
  const marked = offset ?? bytes.length - 1
  const last = Math.max(0, Math.ceil(bytes.length / ROW) - 1)
  const at = Math.floor(marked / ROW)
  const from = Math.max(0, Math.min(at, last) - AROUND)
  const to = Math.min(last, at + AROUND)
  const lines: string[] = []
  if (from > 0) lines.push('…')
  for (let row = from; row <= Math.max(to, at); row++) {
    const part = [...bytes.subarray(row * ROW, row * ROW + ROW)]
    const hex = part.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const text = part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')
    lines.push(`${String(row * ROW).padStart(8)}  ${hex.padEnd(ROW * 3)} ${text}`.trimEnd())
    if (row === at && offset !== undefined) lines.push(`${' '.repeat(10 + (marked % ROW) * 3)}^^`)
  }
  if (to < last) lines.push('…')
  return lines.join('\n')
}
