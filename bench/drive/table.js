// Numbers and tables as people read them.

/** Nanoseconds in three or four digits. */
export function duration(ns) {
  if (ns === undefined) return '–'
  if (ns < 10) return ns.toFixed(1)
  if (ns < 10_000) return String(Math.round(ns))
  if (ns < 1e6) return `${(ns / 1e3).toPrecision(3)}k`
  return `${(ns / 1e6).toPrecision(3)}M`
}

export function ratio(value) {
  if (!Number.isFinite(value)) return '–'
  return `${value < 10 ? value.toFixed(2) : value < 1000 ? value.toPrecision(3) : value.toFixed(0)} ×`
}

/** A table for a terminal: the first column to the left, the rest to the right. */
export function printTable(head, rows) {
  const lines = [head, ...rows].map((row) => row.map(String))
  const widths = head.map((_, i) => Math.max(...lines.map((line) => line[i].length)))
  for (const line of lines) {
    console.log(line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '))
  }
}

/** The same in Markdown. */
export function markdownTable(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), `|---|${'--:|'.repeat(head.length - 1)}`, ...rows.map(line)].join('\n')
}
