// Counters for the js engine: one for each branch taken, so that the fuzzer sees which inputs go where none has gone. What wasm2js
// writes is plain enough for this: functions, if, loops, labelled blocks, switch and conditional expressions.
import { parse } from 'acorn'

/** The source with a counter at the start of every branch, in `globalThis.fuzzCounters`. */
export function instrument(source) {
  const inserts = []
  let counters = 0
  const put = (at, text) => inserts.push([at, text, inserts.length])
  const count = () => `fuzzCounters[${counters++}]++`

  const statement = (node) => {
    if (node === null || node === undefined) return
    if (node.type === 'BlockStatement') {
      put(node.start + 1, `${count()};`)
    } else {
      put(node.start, `{${count()};`)
      put(node.end, '}')
    }
  }
  const expression = (node) => {
    put(node.start, `(${count()},(`)
    put(node.end, '))')
  }
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return
    if (Array.isArray(node)) return node.forEach(visit)
    if (typeof node.type !== 'string') return
    switch (node.type) {
      case 'FunctionDeclaration':
      case 'FunctionExpression':
        put(node.body.start + 1, `${count()};`)
        break
      case 'IfStatement':
        // Of insertions at one place the later comes to stand before: the end of the consequent before this.
        if (!node.alternate) put(node.end, `else{${count()}}`)
        statement(node.consequent)
        statement(node.alternate)
        break
      case 'WhileStatement':
      case 'DoWhileStatement':
      case 'ForStatement':
        statement(node.body)
        break
      case 'LabeledStatement':
        // Reached by leaving the block before its end.
        put(node.end, `;${count()};`)
        break
      case 'SwitchCase':
        if (node.consequent.length > 0) put(node.consequent[0].start, `${count()};`)
        break
      case 'ConditionalExpression':
        expression(node.consequent)
        expression(node.alternate)
        break
    }
    for (const key of Object.keys(node)) if (key !== 'type') visit(node[key])
  }
  const tree = parse(source, { ecmaVersion: 'latest', sourceType: 'module' })
  // The walk itself, without what makes the instance.
  for (const node of tree.body) {
    const inner = node.declaration?.body?.body ?? []
    visit(inner.filter((part) => part.id?.name === 'asmFunc'))
  }
  inserts.sort(([a, , i], [b, , j]) => b - a || i - j)
  let text = source
  for (const [at, insert] of inserts) text = text.slice(0, at) + insert + text.slice(at)
  return { text: `const fuzzCounters = globalThis.fuzzCounters = new Uint8Array(${counters})\n${text}`, counters }
}
