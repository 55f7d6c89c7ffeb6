// Shared with the compiler: integer literals only, read by asc and by tsc. Where everything lives in linear memory.
//
//   0x00000 ┌──────────────────────────────┐
//           │ (static data of the compiler)│
//   0x00400 │ control block                │ words that both sides read and write, below
//   0x00800 │ plans of one character       │ one word per ASCII code, 0 where it is no complete type
//   0x00a00 │ bracket stack                │ of the signature compiler
//   0x00d00 │ scratch                      │ 256 bytes
//   0x01000 │ plan table                   │ 512 × { address, length }
//   0x02000 │ plan buckets                 │ 1024 × u32: number of a plan + 1
//   0x04000 │ plan words                   │ 64 KiB, one word per character
//   0x14000 │ plan stack                   │ 68 × 256 words: plans of one message when the table is full
//   0x25000 │ interned text, records       │ 2048 × 32 bytes
//   0x35000 │ interned text, bytes         │ 2048 × 80 bytes
//   0x5d000 │ header memo                  │ 128 × 768 bytes
//   0x75000 │ composed headers             │ 64 × 512 bytes: headers written before, to be used again
//   0x7d000 │ slack                        │
//   0x7d040 │ window                       │ 64 KiB of the message, then slack: loads may reach past the end
//   0x8e000 │ tape …                       │ grows; when encoding, text and output follow it
//           └──────────────────────────────┘
// A change here is a change of ABI_VERSION and of docs/tape.md, in one commit.
export const ABI_VERSION = 2

export const PAGE_SIZE = 65536
export const INITIAL_PAGES = 16

// Control block: addresses of 32-bit words.
export const CONTROL = 1024
export const CONTROL_FAULT = 1024 // fault number, 0 when all is well
export const CONTROL_FAULT_AT = 1028 // decoding: offset in the message; encoding: address on the tape
export const CONTROL_PAGES = 1032 // pages of memory: views are re-made when it changed (or cannot be read any more)
export const CONTROL_TAPE_END = 1036 // address after the last word of the tape
export const CONTROL_PLAN_EPOCH = 1040 // counts how often the plan table was emptied
export const CONTROL_OUTPUT = 1044 // address of the output's first byte
export const CONTROL_OUTPUT_LENGTH = 1048 // bytes of the message, gaps included
export const CONTROL_TEXT = 1052 // address to which text offsets on an encoding tape are relative
export const CONTROL_SEED = 1056 // random per instance: which texts share a slot cannot be foretold
export const CONTROL_VALUES = 1060 // values walked in the last decode
export const CONTROL_STEPS = 1064 // debug build: bytes and values looked at, to prove that work is linear
export const CONTROL_HEADER_SLOT = 1068 // number of the header memo's slot that matched, or -1
export const CONTROL_HEADER_GENERATION = 1072
export const CONTROL_TYPE = 1076
export const CONTROL_FLAGS = 1080
export const CONTROL_SERIAL = 1084
export const CONTROL_ORDER = 1088 // 0 little, 1 big
export const CONTROL_BODY = 1092 // offset of the body
export const CONTROL_PLAN = 1100 // number of the body's plan (decoding and encoding)
export const CONTROL_LENGTH = 1104 // length of the whole message
export const CONTROL_FIELDS_END = 1108 // offset after the header's field array

// Header fields by code (0 to 15), four words each, from CONTROL_FIELDS + 16 × code:
//
//   0            4             8              12
//   ┌────────────┬─────────────┬──────────────┬────────────┐
//   │offset/value│length       │slot          │generation  │
//   └────────────┴─────────────┴──────────────┴────────────┘
// length: bytes, the top bit set when not all ASCII; FIELD_ABSENT when the message has no such field. Numbers (codes 5 and 9)
// stand in the first word. slot: TEXT_INTERNED | slot, or 0 when the text is not interned.
export const CONTROL_FIELDS = 1152
export const FIELD_RECORD = 16
export const FIELD_ABSENT = -1

// References to text on the tape: two words.
//
//   ┌─┬──────────────┐┌─┬──────────────┐
//   │0│ offset       ││N│ length       │   bytes of the message (decoding) or of the text area (encoding); N: not all ASCII
//   ├─┼──────────────┤├─┴──────────────┤
//   │1│ slot         ││ generation     │   interned text
//   ├─┼──────────────┤├────────────────┤
//   │1│ caller's no. ││ length         │   encoding only: a gap, to be filled from the caller's text
//   └─┴──────────────┘└────────────────┘
export const TEXT_INTERNED = -2147483648
export const TEXT_GAP = -2147483648
export const TEXT_WIDE = -2147483648 // the N bit
// Variant on the tape: number of a plan; with this bit, the offset of the signature's length byte (the table was full).
export const PLAN_LOOSE = -2147483648

// Bulk arrays on an encoding tape: { caller's number, bytes } and the address of the first word gets the offset of the gap;
// with this bit in the first word: offset in the text area, bytes to be copied from there.
export const BULK_INLINE = -2147483648

export const PLAN_SINGLES = 2048
export const BRACKET_STACK = 2560
// The façade puts a signature or a name of up to 256 bytes here to have it compiled or checked.
export const SCRATCH = 3328
export const SCRATCH_LENGTH = 256
export const PLAN_TABLE = 4096
export const PLAN_RECORD = 8
export const PLAN_BUCKETS = 8192
export const PLAN_BUCKET_COUNT = 1024
export const PLAN_WORDS = 16384
export const PLAN_WORDS_END = 81920
export const PLAN_STACK = 81920
export const PLAN_STACK_FRAME = 1024
// A peer chooses its signatures: no more than this many are kept, then the table is emptied between two messages.
export const PLAN_CAPACITY = 512
// A peer that makes its signatures collide gets no more than this many comparisons for each.
export const PLAN_PROBES = 16
// Plans of one character have their ASCII code as number, all others start here.
export const PLAN_FIRST = 128

// Interned text: a peer chooses its texts, so the table has a fixed size and one place for each.
//
//   0        4        8          12        16        20
//   ┌────────┬────────┬──────────┬─────────┬─────────┬──────┐
//   │hash    │info    │generation│last used│candidate│misses│
//   └────────┴────────┴──────────┴─────────┴─────────┴──────┘
// info: length, then TEXT_ flags. last used: number of the message; a text that is on the tape is not replaced.
// candidate: hash of the last text that missed; only the second sight of a text replaces another. misses: how often the candidate
// has missed since the text was found.
export const INTERN_COUNT = 2048
export const INTERN_SHIFT = 21 // of a hash: its upper bits are the slot
export const INTERN_KEYS = 1536 // 21 factors of the hash, in the control block
export const INTERN_RECORD = 32
export const INTERN_RECORDS = 151552
export const INTERN_TEXTS = 217088
export const INTERN_LENGTH = 80 // longer texts are not interned; the paths of BlueZ's descriptors have 67
export const INTERN_HASH = 0
export const INTERN_INFO = 4
export const INTERN_GENERATION = 8
export const INTERN_USED = 12
export const INTERN_CANDIDATE = 16
export const INTERN_MISSES = 20
// What a text has passed; in `info` above the length (8 bits).
export const TEXT_IS_UTF8 = 256
export const TEXT_IS_WIDE = 512
export const TEXT_IS_PATH = 1024
export const TEXT_IS_INTERFACE = 2048
export const TEXT_IS_MEMBER = 4096
export const TEXT_IS_BUS_NAME = 8192
export const TEXT_IS_LOCAL = 16384

// Header memo: field arrays seen before. 256 bytes of record, then the bytes of the array with its final padding.
//
//   0    4    8          12   16        32                    192      256
//   ┌────┬────┬──────────┬────┬─────────┬─────────────────────┬────────┬─ ─ ─
//   │hash│info│generation│plan│candidate│records of the fields│        │bytes
//   └────┴────┴──────────┴────┴─────────┴─────────────────────┴────────┴─ ─ ─
// info: length of the array | type << 16 | order << 24 | in use << 31. The fields' records are as in the control block.
export const MEMO_COUNT = 128
export const MEMO_SLOT = 768
export const MEMO_SLOTS = 380928
export const MEMO_LENGTH = 504 // longer arrays are not kept
export const MEMO_HASH = 0
export const MEMO_INFO = 4
export const MEMO_GENERATION = 8
export const MEMO_PLAN = 12
export const MEMO_CANDIDATE = 16
export const MEMO_FIELDS = 32
export const MEMO_BYTES = 256

// Composed headers: { length with the final padding }, 12 bytes unused, then the bytes. The façade knows which header is where.
export const COMPOSED_COUNT = 64
export const COMPOSED_SLOT = 512
export const COMPOSED_SLOTS = 479232
export const COMPOSED_BYTES = 16
export const COMPOSED_LENGTH = 496 // longer headers are not kept

export const WINDOW = 512064
export const WINDOW_SIZE = 65536
export const TAPE = 581632

// The values of header fields do not count against maxValues, which may be small; unknown fields hold what a peer likes, so that they
// are not free either.
export const HEADER_VALUES = 1024

// Flags of the calls.
export const CALL_STRUCTURE = 1 // validation: 'structure'
export const CALL_HEADER = 2 // the header alone
export const CALL_BIG = 4 // encode, marshal and unmarshal: big-endian
export const CALL_VERDICT = 16 // nobody reads the tape: texts of the body are not interned
export const CALL_PADDED = 8 // marshal: padded at the end, as a header is
