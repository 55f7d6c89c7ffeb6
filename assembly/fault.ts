// The first fault wins; after it, everything unwinds by returning false or 0. Nothing here throws or traps.
import { get32, put32 } from './memory'
import { CONTROL_FAULT, CONTROL_FAULT_AT, CONTROL_STEPS } from './shared/layout'

export function clearFault(): void {
  put32(CONTROL_FAULT, 0)
  put32(CONTROL_FAULT_AT, 0)
  put32(CONTROL_STEPS, 0)
}

// `at`: offset from byte 0 of the message (decoding), address on the tape (encoding).
export function fault(code: i32, at: u32): bool {
  if (get32(CONTROL_FAULT) == 0) {
    put32(CONTROL_FAULT, code)
    put32(CONTROL_FAULT_AT, at)
  }
  return false
}

// The debug build counts what it looks at, so that a test can prove that work is linear in the message's length.
// @ts-ignore: decorator
@inline export function count(steps: u32): void {
  if (!ASC_NO_ASSERT) put32(CONTROL_STEPS, get32(CONTROL_STEPS) + steps)
}
