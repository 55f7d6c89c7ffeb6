// The other byte order: every number of a message that has been found valid is reversed where it stands.
import { count } from './fault'
import { get32, get8, put32, put8, swapElements } from './memory'
import { alignmentOf, sizeOf, spanOf, typeOf } from './plan'
import { CONTROL_ORDER, WINDOW } from './shared/layout'
import {
  ORDER_BIG, ORDER_LITTLE, TYPE_ARRAY, TYPE_OBJECT_PATH, TYPE_SIGNATURE, TYPE_STRING, TYPE_VARIANT,
} from './shared/wire'
import { order32 } from './read'
import { find, planEnd, planStart } from './signature'
import {
  address, closeWindow, hold, offset, piece, seek, skip, takeCalled as take, takeLengthCalled as takeLength, writeWindow,
} from './window'

// prettier-ignore
const HEADER: usize = memory.data<u8>([121, 121, 121, 121, 117, 117, 97, 40, 121, 118, 41]) // yyyyuua(yv)

// Swaps the message in the window, which decode has just accepted. bodyAt, bodyPlan: its body, and the plan of its signature.
export function swapMessage(bodyAt: u32, bodyFirst: usize, bodyLast: usize): void {
  seek(0)
  writeWindow()
  put8(WINDOW, get32(CONTROL_ORDER) ? ORDER_LITTLE : ORDER_BIG)
  find(HEADER, 11, 66)
  swapValues(planStart(), planEnd(), 0)
  seek(bodyAt)
  swapValues(bodyFirst, bodyLast, 0)
  closeWindow()
}

function swapValues(first: usize, last: usize, depth: i32): void {
  let w = first
  while (w < last) {
    const word = get32(w)
    const type = typeOf(word)
    const size = sizeOf(word)
    const next = w + (spanOf(word) << 2)
    count(1)
    if (size != 0) reverse(take(size - 1, size), size)
    else if (type == TYPE_STRING || type == TYPE_OBJECT_PATH) skip(swapLength() + 1)
    else if (type == TYPE_SIGNATURE) skip(get8(take(0, 1)) + 1)
    else if (type == TYPE_VARIANT) swapVariant(depth)
    else if (type == TYPE_ARRAY) swapArray(w + 4, next, depth)
    else {
      take(7, 0)
      swapValues(w + 4, next - 4, depth + 1)
    }
    w = next
  }
}

// @ts-ignore: decorator
@inline function reverse(p: usize, size: u32): void {
  if (size > 1) swapElements(p, size, size)
}

// The length that stands next, in its value before the swap.
function swapLength(): u32 {
  const p = takeLength()
  const length = order32(get32(p))
  put32(p, bswap<u32>(get32(p)))
  return length
}

function swapVariant(depth: i32): void {
  const length = get8(take(0, 1))
  const at = offset()
  hold(at, length)
  find(address(at), length, depth + 1)
  const plan = planStart()
  const end = planEnd()
  skip(length + 1)
  take(alignmentOf(get32(plan)) - 1, 0)
  swapValues(plan, end, depth + 1)
}

function swapArray(first: usize, last: usize, depth: i32): void {
  const length = swapLength()
  const word = get32(first)
  const size = sizeOf(word)
  take(alignmentOf(word) - 1, 0)
  if (size == 1) {
    skip(length)
  } else if (size != 0) {
    const end = offset() + length
    while (offset() < end) {
      let bytes = end - offset()
      if (!hold(offset(), bytes)) bytes = min<u32>(bytes, piece(offset()) & ~7)
      count(bytes / size)
      swapElements(address(offset()), bytes, size)
      skip(bytes)
    }
  } else {
    const end = offset() + length
    while (offset() < end) swapValues(first, last, depth + 1)
  }
}
