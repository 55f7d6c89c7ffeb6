// Where a command writes to, and the few things a terminal needs: colour, width, and protection from what peers send.
import { styleText } from 'node:util'

/** What a command may use of the outside: tests hand in their own. */
export interface Terminal {
  /** Results. */
  write(text: string): void
  /** Problems and usage, beside the results. */
  warn(text: string): void
  readonly columns: number
  readonly colour: boolean
}

export type Style = Parameters<typeof styleText>[0]

/** Wide enough for a log file or a pager when there is no terminal to ask, or one that does not know its width (0 columns). */
const PIPED_COLUMNS = 160

/** The process's own terminal; NO_COLOR and FORCE_COLOR decide before the kind of stream does, FORCE_COLOR first, as in Node. */
export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process
  return {
    write: (text) => void stdout.write(text),
    warn: (text) => void stderr.write(text),
    columns: (stdout.isTTY && stdout.columns) || PIPED_COLUMNS,
    colour: wantsColour(env, stdout.isTTY === true),
  }
}

export function wantsColour(env: Record<string, string | undefined>, isTerminal: boolean): boolean {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  if (env.NO_COLOR) return false
  return isTerminal && env.TERM !== 'dumb'
}

/** A text in a style, when the terminal has colours. */
export function paint(terminal: Terminal, style: Style, text: string): string {
  // Newer Node asks process.stdout by itself; the decision is made already (Node 20 ignores the third argument).
  return terminal.colour && text !== '' ? styleText(style, text, { validateStream: false }) : text
}

// Control characters, format characters (bidirectional overrides, zero width), line and paragraph separators, lone
// surrogates, private use and unassigned code points.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu

/**
 * A peer's text, safe to print: D-Bus strings may hold any character but NUL, so also escape sequences that rewrite the
 * screen or reach the terminal's clipboard, and direction marks that make one name look like another.
 */
export function escapeText(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    if (character === '\n') return '\\n'
    if (character === '\t') return '\\t'
    if (character === '\r') return '\\r'
    const code = character.codePointAt(0) as number
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
  })
}

const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const MARK = /^\p{M}/u

function characterWidth(character: string): number {
  if (character < '\u0300') return 1
  return MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1
}

/** Columns that an escaped text takes up. */
export function textWidth(text: string): number {
  let width = 0
  for (const character of text) width += characterWidth(character)
  return width
}

/** The text cut to a number of columns, the cut marked; `keep` says which end matters more. */
export function clip(text: string, columns: number, keep: 'start' | 'end' = 'start'): string {
  if (text.length <= columns && textWidth(text) <= columns) return text
  if (columns < 1) return ''
  const characters = [...text]
  if (keep === 'end') characters.reverse()
  const kept: string[] = []
  let width = 1
  for (const character of characters) {
    width += characterWidth(character)
    if (width > columns) break
    kept.push(character)
  }
  return keep === 'end' ? `…${kept.reverse().join('')}` : `${kept.join('')}…`
}

/** 1234567 as "1 234 567". */
export function grouped(number: number): string {
  return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ' ')
}
