// Names: specification, "Valid Names" and "Valid Object Paths"; VALIDATION section 5. Each function is given one character
// per byte and returns the offset of the fault, or -1: the first character that cannot stand there, the end when something
// is missing, 0 when the name is empty or too long.

const LETTERS = /[A-Za-z_]/
const LETTERS_DIGITS = /[A-Za-z0-9_]/
const LETTERS_HYPHEN = /[A-Za-z_-]/
const LETTERS_DIGITS_HYPHEN = /[A-Za-z0-9_-]/

/** Elements split by `separator`, each non-empty and of the characters given. Counts them and finds the first fault. */
function scanElements(text: string, start: number, separator: string, first: RegExp, rest: RegExp) {
  let elements = 1
  let elementStart = start
  for (let i = start; i < text.length; i++) {
    if (text[i] === separator && i > elementStart) {
      elements++
      elementStart = i + 1
    } else if (!(i === elementStart ? first : rest).test(text[i])) {
      return { elements, fault: i }
    }
  }
  return { elements, fault: elementStart === text.length ? text.length : -1 }
}

function findDottedFault(text: string, start: number, first: RegExp, rest: RegExp): number {
  if (text.length === 0 || text.length > 255) return 0
  const { elements, fault } = scanElements(text, start, '.', first, rest)
  if (fault >= 0) return fault
  return elements >= 2 ? -1 : text.length
}

export function findInterfaceFault(text: string): number {
  return findDottedFault(text, 0, LETTERS, LETTERS_DIGITS)
}

export function findErrorNameFault(text: string): number {
  return findInterfaceFault(text)
}

export function findBusNameFault(text: string): number {
  if (text.startsWith(':')) return findDottedFault(text, 1, LETTERS_DIGITS_HYPHEN, LETTERS_DIGITS_HYPHEN)
  return findDottedFault(text, 0, LETTERS_HYPHEN, LETTERS_DIGITS_HYPHEN)
}

export function findMemberFault(text: string): number {
  if (text.length === 0 || text.length > 255) return 0
  for (let i = 0; i < text.length; i++) {
    if (!(i === 0 ? LETTERS : LETTERS_DIGITS).test(text[i])) return i
  }
  return -1
}

export function findObjectPathFault(text: string): number {
  if (text[0] !== '/') return 0
  if (text.length === 1) return -1
  return scanElements(text, 1, '/', LETTERS_DIGITS, LETTERS_DIGITS).fault
}
