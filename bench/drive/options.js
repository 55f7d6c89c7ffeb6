// The command line of every bench: --rows a,b  --quick  --node 22
import { parseArgs } from 'node:util'
import { ROWS } from '../messages/rows.js'
import { nodeOf } from './node.js'

/** @param {string[]} extra names of further options that take a value */
export function options(extra = []) {
  const { values } = parseArgs({
    options: {
      rows: { type: 'string' },
      node: { type: 'string' },
      quick: { type: 'boolean', default: false },
      ...Object.fromEntries(extra.map((name) => [name, { type: 'string' }])),
    },
  })
  const names = values.rows?.split(',')
  return {
    ...values,
    rows: names ? ROWS.filter((row) => names.includes(row.name)) : ROWS,
    partial: names !== undefined || values.quick,
    node: values.node ? nodeOf(values.node) : process.execPath,
    timing: values.quick ? { count: 5, milliseconds: 4, warm: 100 } : { count: 11, milliseconds: 12, warm: 300 },
  }
}

/** Repeated and, for small and medium rows, rotating. */
export const kindsOf = (row) => (row.size === 'large' ? ['once'] : ['once', 'rotation'])
