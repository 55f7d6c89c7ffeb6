// A table fitted to a width: columns take what their cells need, and the widest give way first.
import { clip, pad, paint, textWidth, type Style, type Terminal } from './terminal.ts'

export interface Column {
  readonly title: string
  /** A column is not made narrower than this, nor wider than `most`. */
  readonly least: number
  readonly most: number
  readonly align?: 'left' | 'right'
  /** Which end of a text that is too long stays: a member name matters more than the start of its interface. */
  readonly keep?: 'start' | 'end'
}

export interface Cell {
  readonly text: string
  readonly style?: Style
}

const GAP = 2

/** The width of each column for these rows; a terminal too narrow for the least widths gets lines that are cut. */
export function fitColumns(columns: readonly Column[], rows: readonly (readonly Cell[])[], total: number): number[] {
  const widths = columns.map((column, index) => {
    const needed = rows.reduce((most, row) => Math.max(most, textWidth(row[index]?.text ?? '')), textWidth(column.title))
    return Math.min(needed, column.most)
  })
  const least = columns.map((column, index) => Math.min(column.least, widths[index] as number))
  let excess = widths.reduce((sum, width) => sum + width, GAP * (columns.length - 1)) - total
  while (excess > 0) {
    // One column at a time from the one with the most to spare, so that no single one is starved.
    let widest = -1
    let spare = 0
    widths.forEach((width, index) => {
      if (width - (least[index] as number) > spare) {
        spare = width - (least[index] as number)
        widest = index
      }
    })
    if (widest < 0) break
    widths[widest] = (widths[widest] as number) - 1
    excess--
  }
  return widths
}

/** The table as lines, head first. */
export function formatTable(terminal: Terminal, columns: readonly Column[], rows: readonly (readonly Cell[])[]): string[] {
  const widths = fitColumns(columns, rows, terminal.columns)
  const head: Cell[] = columns.map(({ title }) => ({ text: title, style: 'dim' }))
  return [head, ...rows].map((row) => formatRow(terminal, columns, widths, row))
}

function formatRow(terminal: Terminal, columns: readonly Column[], widths: readonly number[], row: readonly Cell[]): string {
  let line = ''
  let left = terminal.columns
  columns.forEach((column, index) => {
    const width = Math.min(widths[index] as number, left)
    if (width <= 0) return
    const cell = row[index] ?? { text: '' }
    const text = clip(cell.text, width, column.keep)
    const last = index === columns.length - 1
    const filled = column.align === 'right' ? pad(text, width, 'left') : last ? text : pad(text, width)
    line += cell.style === undefined ? filled : paint(terminal, cell.style, filled)
    left -= width + GAP
    if (!last && left > 0) line += ' '.repeat(GAP)
  })
  return line.trimEnd()
}
