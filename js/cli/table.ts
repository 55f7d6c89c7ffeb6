// A table fitted to a width: columns take what their cells need, and the widest give way first.
import { clip, paint, type Style, type Terminal, textWidth } from './terminal.ts'

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
  /** Takes the rest of the line, across the columns: for what is no value of its column. */
  readonly wide?: true
}

const GAP = 2

/** The width of each column for these rows; a terminal too narrow for the least widths gets lines that are cut. */
export function fitColumns(columns: readonly Column[], rows: readonly (readonly Cell[])[], total: number): number[] {
  const widths = columns.map((column, index) => {
    const needed = rows.reduce((most, row) => Math.max(most, widthOf(row[index])), textWidth(column.title))
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

const widthOf = (cell: Cell | undefined): number => (cell === undefined || cell.wide ? 0 : textWidth(cell.text))

/** The table as lines, head first. */
export function formatTable(terminal: Terminal, columns: readonly Column[], rows: readonly (readonly Cell[])[]): string[] {
  const widths = fitColumns(columns, rows, terminal.columns)
  const head: Cell[] = columns.map(({ title }) => ({ text: title, style: 'dim' }))
  return [head, ...rows].map((row) => formatRow(terminal, columns, widths, row))
}

function formatRow(terminal: Terminal, columns: readonly Column[], widths: readonly number[], row: readonly Cell[]): string {
  let line = ''
  let left = terminal.columns
  for (const [index, column] of columns.entries()) {
    const cell = row[index]
    if (cell === undefined || left <= 0) break
    const last = index === columns.length - 1 || cell.wide === true
    const width = cell.wide ? left : Math.min(widths[index] as number, left)
    const text = clip(cell.text, width, cell.wide ? 'start' : column.keep)
    const painted = cell.style === undefined ? text : paint(terminal, cell.style, text)
    // Outside the colour, so that the end of the line can be trimmed.
    const fill = ' '.repeat(Math.max(0, width - textWidth(text)))
    line += column.align === 'right' ? fill + painted : painted + fill
    if (last) break
    left -= width + GAP
    if (left > 0) line += ' '.repeat(GAP)
  }
  return line.trimEnd()
}
