// Wrong use of a command: told in a line with the command's help. Any other error is a bug, and is seen whole.

export class UsageError extends Error {}

/** Ours, or an option that node:util parseArgs does not know. */
export function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true
  return error instanceof TypeError && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
}

/** The value of an option that takes a number. */
export function numberOption(name: string, text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !(number >= 0)) throw new UsageError(`${name} needs a number, not "${text}"`)
  return number
}

/** The value of an option that takes one of a few words. */
export function wordOption<Word extends string>(name: string, text: string, words: readonly Word[]): Word {
  const word = words.find((known) => known === text)
  if (word === undefined) throw new UsageError(`${name} is one of ${words.join(', ')}, not "${text}"`)
  return word
}
