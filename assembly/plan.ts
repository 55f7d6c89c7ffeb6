// A plan is a compiled signature: one 32-bit word per character, word i for character i.
//
//   31        24        16       12        8         0
//   ┌──────────┬─────────┬────────┬─────────┬─────────┐
//   │          │span     │size    │alignment│type code│
//   └──────────┴─────────┴────────┴─────────┴─────────┘
// span: characters of the complete type that starts here. size: bytes when all values have the same, else 0. alignment: 1 to 8.
import { get32, put32 } from './memory'
import { PLAN_SINGLES } from './shared/layout'
import {
  TYPE_ARRAY, TYPE_BOOLEAN, TYPE_BYTE, TYPE_DOUBLE, TYPE_INT16, TYPE_INT32, TYPE_INT64, TYPE_OBJECT_PATH,
  TYPE_SIGNATURE, TYPE_STRING, TYPE_UINT16, TYPE_UINT32, TYPE_UINT64, TYPE_UNIX_FD, TYPE_VARIANT,
} from './shared/wire'

// @ts-ignore: decorator
@inline export function typeOf(word: u32): u32 {
  return word & 0xff
}
// @ts-ignore: decorator
@inline export function alignmentOf(word: u32): u32 {
  return (word >>> 8) & 15
}
// @ts-ignore: decorator
@inline export function sizeOf(word: u32): u32 {
  return (word >>> 12) & 15
}
// @ts-ignore: decorator
@inline export function spanOf(word: u32): u32 {
  return (word >>> 16) & 0xff
}
// @ts-ignore: decorator
@inline export function planWord(type: u32, alignment: u32, size: u32, span: u32): u32 {
  return type | (alignment << 8) | (size << 12) | (span << 16)
}

function single(type: u32, alignment: u32, size: u32): void {
  put32(PLAN_SINGLES + (type << 2), planWord(type, alignment, size, 1))
}

// Plans of one character are there from the start: most variants hold a basic type.
export function makeSingles(): void {
  single(TYPE_BYTE, 1, 1)
  single(TYPE_BOOLEAN, 4, 4)
  single(TYPE_INT16, 2, 2)
  single(TYPE_UINT16, 2, 2)
  single(TYPE_INT32, 4, 4)
  single(TYPE_UINT32, 4, 4)
  single(TYPE_INT64, 8, 8)
  single(TYPE_UINT64, 8, 8)
  single(TYPE_DOUBLE, 8, 8)
  single(TYPE_UNIX_FD, 4, 4)
  single(TYPE_STRING, 4, 0)
  single(TYPE_OBJECT_PATH, 4, 0)
  single(TYPE_SIGNATURE, 1, 0)
  single(TYPE_VARIANT, 1, 0)
}

// The plan word of a basic type or a variant, else 0.
// @ts-ignore: decorator
@inline export function singleOf(type: u32): u32 {
  return type < 128 ? get32(PLAN_SINGLES + (type << 2)) : 0
}

// The word that a bracket or an "a" starts with; the span follows when it is known.
export function containerWord(type: u32): u32 {
  return planWord(type, type == TYPE_ARRAY ? 4 : 8, 0, 0)
}
// @ts-ignore: decorator
@inline export function singlePlan(type: u32): usize {
  return PLAN_SINGLES + (type << 2)
}
