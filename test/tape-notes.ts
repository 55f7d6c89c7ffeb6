// Says in words what stands on a tape, by walking it along the signature: slowly, and with no code of the product's.
import { PLAN_FIRST } from '../assembly/shared/layout.ts'

/** Words at an address of the tape, and what they mean. */
export interface Note {
  at: number
  words: number[]
  text: string
  /** Left out so that the next number stands on an even word. */
  skipped?: boolean
}

/** Turns references into text. */
export interface Names {
  reference(first: number, second: number): string
  signature(number: number): string
}

const PLAIN: Names = {
  reference: (first, second) => `${first}, ${second}`,
  signature: (number) => (number < PLAN_FIRST ? String.fromCharCode(number) : '(qq)'),
}

export function bodyNotes(signature: string, words: readonly number[], tape: number, names: Names = PLAIN): Note[] {
  const walk = new Walk(words, tape, names)
  for (let rest = signature; rest !== ''; ) rest = walk.value(rest, '')
  return walk.notes
}

class Walk {
  readonly notes: Note[] = []
  readonly #words: readonly number[]
  readonly #tape: number
  readonly #names: Names
  #p = 0

  constructor(words: readonly number[], tape: number, names: Names) {
    this.#words = words
    this.#tape = tape
    this.#names = names
  }

  #take(count: number, text: string | ((words: number[]) => string), skipped = false): number[] {
    const words = this.#words.slice(this.#p, this.#p + count)
    const said = typeof text === 'string' ? text : text(words)
    this.notes.push({ at: this.#tape + this.#p * 4, words, text: said, ...(skipped ? { skipped } : {}) })
    this.#p += count
    return words
  }

  /** One complete type; what is left of the signature. */
  value(signature: string, indent: string): string {
    const type = signature[0]
    const rest = signature.slice(1)
    if ('ybnqiuh'.includes(type)) {
      this.#take(1, ([word]) => `${indent}${type}  ${'ni'.includes(type) ? word : word >>> 0}`)
      return rest
    }
    if ('xtd'.includes(type)) {
      if (this.#p % 2 === 1) this.#take(1, `${indent}left out: ${type} stands on an even word`, true)
      this.#take(2, ([low, high]) => `${indent}${type}  low half ${low >>> 0}, high half ${high >>> 0}`)
      return rest
    }
    if ('sog'.includes(type)) {
      this.#take(2, ([first, second]) => `${indent}${type}  ${this.#names.reference(first, second)}`)
      return rest
    }
    if (type === 'v') {
      const [number] = this.#take(1, ([plan]) => {
        const name = this.#names.signature(plan)
        return `${indent}v  plan ${plan}${plan < PLAN_FIRST ? ', the type code itself' : ''}: '${name}'`
      })
      this.value(this.#names.signature(number), `${indent}  `)
      return rest
    }
    if (type === 'a') return this.#array(rest, indent)
    let inner = rest
    while (inner[0] !== ')' && inner[0] !== '}') inner = this.value(inner, indent)
    return inner.slice(1)
  }

  #array(element: string, indent: string): string {
    if ('ybnqiuxtdh'.includes(element[0])) {
      this.#take(2, ([at, length]) => `${indent}a${element[0]}  offset ${at}, ${length} bytes`)
      return element.slice(1)
    }
    const after = afterType(element)
    const type = element.slice(0, element.length - after.length)
    const [count] = this.#take(1, ([n]) => `${indent}a${type}  ${n} element${n === 1 ? '' : 's'}`)
    for (let i = 0; i < count; i++) this.value(element, `${indent}  `)
    return after
  }
}

function afterType(signature: string): string {
  if (signature[0] === 'a') return afterType(signature.slice(1))
  if (signature[0] !== '(' && signature[0] !== '{') return signature.slice(1)
  let rest = signature.slice(1)
  while (rest[0] !== ')' && rest[0] !== '}') rest = afterType(rest)
  return rest.slice(1)
}
