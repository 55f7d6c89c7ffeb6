// The reference's own fault: the code strings are typed by hand so that a slip in the product's table shows as a difference.

/** What is wrong, and the offset of the first byte that is wrong. */
export class ReferenceFault extends Error {
  readonly code: string
  readonly offset: number

  constructor(code: string, offset: number) {
    super(`${code} at ${offset}`)
    this.code = code
    this.offset = offset
  }
}

export type Verdict = { valid: true } | { valid: false; code: string; offset: number }

/** Runs a check and turns the fault it throws into a verdict. Any other exception is a bug of the reference itself. */
export function verdictOf(check: () => void): Verdict {
  try {
    check()
  } catch (error) {
    if (error instanceof ReferenceFault) return { valid: false, code: error.code, offset: error.offset }
    throw error
  }
  return { valid: true }
}
