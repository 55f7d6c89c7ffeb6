// The prose of docs/tape.md; figures and dumps come from tape-page.ts.

export const INTRODUCTION = (version: number): string => `# The tape

<!-- Written by test/tape-page.test.ts: change assembly/shared/layout.ts or test/tape-*.ts, then run npm run docs:tape -->

The tape is the border between \`assembly/\`, which knows D-Bus and no JavaScript value, and \`js/\`, which knows JavaScript values and no
wire format. It is a run of 32-bit words in linear memory, in the order of the signature: always native byte order, no padding, no wire
lengths, no NULs. Both directions use it.

\`\`\`text
            assembly/read.ts                        js/reader.ts
          ┌──────────────────►                   ┌───────────────►
  wire bytes                     tape  +  texts                     values
          ◄──────────────────┘                   ◄───────────────┘
            assembly/write.ts                       js/writer.ts
\`\`\`

A decode is: copy the bytes into the window, one call of \`decode\`, walk the tape. An encode is: write the tape and the texts, one call of
\`encode\`, take the bytes. This page describes ABI version ${version} (\`ABI_VERSION\` in \`assembly/shared/layout.ts\`): \`init\` returns it, and the
façade refuses a module that returns another, such as one handed to \`loadCodec\`. Every dump on this page was made by the product.`

export const WORDS = `## Words

| type | on the tape |
| --- | --- |
| \`y b n q i u h\` | 1 word: the value; \`n\` and \`i\` with their sign, the others without |
| \`x t d\` | 2 words, the low half first, on an even word: views of 64-bit elements can read them |
| \`s o g\` | 2 words: a reference to text |
| arrays of \`y b n q i u x t d h\` | 2 words: a reference to bulk bytes; no element is on the tape |
| other arrays, dicts | 1 word: the number of elements, then the elements |
| struct, dict entry | nothing but the members |
| variant | 1 word: the number of its signature's plan, then the value |

The number of a plan is the type code itself for a signature of one character. Others are numbered from 128 on, in the order in which they were
first seen; the table holds 512, and when it overflows it is emptied between two messages and the numbers start anew
(\`CONTROL_PLAN_EPOCH\` counts that). Within the message that overflows it, a variant has \`PLAN_LOOSE\` (the top bit) and, in place of a number,
where its signature is: the offset of the length byte when decoding, the offset of { length, characters } in the text area when encoding.

What decoding these values leaves (\`·\`: a word that is skipped; offsets count from the first byte of the body):`

export const DECODING = `## Decoding

A reference to text is two words, one of three kinds; bulk bytes are { offset in the message, length in bytes }.`

export const HEADER = `The message above, from BlueZ in everything but the address: the signal strength of a device has changed. Its fixed part goes into the
control block (\`CONTROL_TYPE\`, \`CONTROL_SERIAL\` and so on), and each header field into a record of four words there. The record of
each code is at a fixed address, so the façade need not walk:`

export const SECOND = `Texts are offsets the first time. A text of up to 80 bytes gets a slot in the table of interned text when it is seen for the
second time: a peer that never repeats itself replaces nothing. Which slot depends on a random seed (below they are numbered as they come). The
façade keeps a JavaScript string for each slot together with its generation, so from the third decode on no string is made. The slot also
remembers which checks the text has passed (UTF-8, path, interface …). The same message once more:`

export const ENCODING = `## Encoding

The façade writes the same words. A reference to text is { offset in the text area, length in bytes }, or { \`TEXT_GAP\` | number, length } for
a string of 4096 characters or more, which stays with the caller until the end. Header fields are records in the control block, as above,
with offsets in the text area; a header that was written before is copied from its slot of composed headers instead, with a new serial. The
tape for the same message:`

export const BULK = `A bulk array is { \`BULK_INLINE\` | offset in the text area, length } when it is short. From 1024 bytes on it is a **gap**:
{ number of a caller's array, length }. The core writes everything around a gap, and leaves on the tape where the gap is and where the
output goes on; the façade copies the pieces and fills the gaps straight from the caller's arrays (\`js/output.ts\`). One copy in all, and memory
does not grow with the array. \`encodeSegments\` hands out the caller's array itself. \`marshal('ayan', [2000 bytes, [1, -1]])\`:`

export const MEMORY = `## Linear memory

All fixed places are literals in \`assembly/shared/layout.ts\`, read by both compilers.`

export const LIMITS = `A message of up to 64 KiB lies in the window as a whole. A longer one passes through it: \`take\` in \`assembly/window.ts\` asks the host for
the next part (\`refill\`), and offsets on the tape count from byte 0 of the message whatever part is in the window. The façade then reads
text and bulk bytes from the caller's own bytes; the elements of a big-endian message are reversed in its copy.

When encoding, the areas behind the tape are, in this order, tape, text, output; \`CONTROL_TEXT\` and \`CONTROL_OUTPUT\` say where. Room for
the tape and for text doubles when it is used up and what lies behind moves up. An instance that has grown beyond 4 MiB is dropped after
the message, because the memory of an instance never shrinks.

Faults go into the control block as well: \`CONTROL_FAULT\` is the number (\`assembly/shared/faults.ts\`), \`CONTROL_FAULT_AT\` the offset in the
message when decoding, the address on the tape when encoding. From that address \`js/path.ts\` walks the tape once more to say
\`body[1]["RSSI"]\`; nothing keeps track of paths while all goes well.
`
