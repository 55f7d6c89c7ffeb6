// Every way to break assembly/ by a little, all in one module: each place asks whether it is the mutant that is being tried. One build
// serves thousands of mutants; with none chosen, the module does what the sources say.
import ts from 'typescript'

const OPPOSITE = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '==': '!=',
  '!=': '==',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '&': '|',
  '|': '&',
  '<<': '>>>',
  '>>>': '<<',
}

/** Limits: one more and one less of each is a mutant. */
const CAPS = new Set([
  'COMPOSED_LENGTH',
  'HEADER_VALUES',
  'INTERN_LENGTH',
  'MAX_ARRAY_LENGTH',
  'MAX_DEPTH',
  'MAX_MESSAGE_LENGTH',
  'MAX_NAME_LENGTH',
  'MAX_NESTING',
  'MAX_SIGNATURE_LENGTH',
  'MEMO_LENGTH',
  'PLAN_CAPACITY',
  'PLAN_PROBES',
  'PLAN_WORDS_END',
  'WINDOW_SIZE',
])

/**
 * The text of a file with its mutants in it.
 *
 * @param {string} file
 * @param {string} source
 * @param {{ id: number, file: string, line: number, what: string }[]} list gets what was made
 */
export function withMutants(file, source, list) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const raw = (node) => node.getText(tree)
  const make = (node, what) => {
    const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1
    list.push({ id: list.length + 1, file, line, what })
    return `mutant(${list.length})`
  }
  const short = (text) => text.replaceAll(/\s+/g, ' ').slice(0, 70)

  // The children's mutants, in place.
  const inside = (node) => {
    let text = ''
    let at = node.getStart(tree)
    ts.forEachChild(node, (child) => {
      text += source.slice(at, child.getStart(tree)) + emit(child)
      at = child.getEnd()
    })
    return text + source.slice(at, node.getEnd())
  }

  const condition = (node) => {
    const text = raw(node)
    const never = make(node, `never: ${short(text)}`)
    const always = make(node, `always: ${short(text)}`)
    return `(${never} ? false : ${always} ? true : !!(${emit(node)}))`
  }

  const binary = (node) => {
    const operator = raw(node.operatorToken)
    const other = OPPOSITE[operator]
    if (other === undefined) return inside(node)
    const chosen = make(node, `${short(raw(node))}: ${operator} → ${other}`)
    const whole = `${emit(node.left)} ${operator} ${emit(node.right)}`
    return `(${chosen} ? ${raw(node.left)} ${other} ${raw(node.right)} : ${whole})`
  }

  function emit(node) {
    if (ts.isIfStatement(node)) {
      // Decided when it is built.
      if (/ASC_/.test(raw(node.expression))) return raw(node)
      const otherwise = node.elseStatement ? ` else ${emit(node.elseStatement)}` : ''
      return `if ${condition(node.expression)} ${emit(node.thenStatement)}${otherwise}`
    }
    if (ts.isForStatement(node)) {
      const first = node.initializer ? raw(node.initializer) : ''
      const test = node.condition ? emit(node.condition) : ''
      return `for (${first}; ${test}; ${node.incrementor ? raw(node.incrementor) : ''}) ${emit(node.statement)}`
    }
    if (ts.isExpressionStatement(node)) {
      // What only the debug build does.
      if (/^count\(/.test(raw(node))) return raw(node)
      const dropped = make(node, `dropped: ${short(raw(node))}`)
      // In braces: an "else" that follows belongs to what is outside.
      return `{ if (!${dropped}) { ${inside(node)} } }`
    }
    if (ts.isBinaryExpression(node)) return binary(node)
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      return `(${make(node, `${short(raw(node))}: without !`)} ? !!(${raw(node.operand)}) : !${emit(node.operand)})`
    }
    if (ts.isConditionalExpression(node)) {
      return `(${condition(node.condition)} ? ${emit(node.whenTrue)} : ${emit(node.whenFalse)})`
    }
    if (ts.isIdentifier(node) && CAPS.has(node.text) && !ts.isImportSpecifier(node.parent)) {
      const [more, less] = [1, -1].map((by) => make(node, `${node.text} ${by > 0 ? '+ 1' : '- 1'}`))
      return `(${more} ? ${node.text} + 1 : ${less} ? ${node.text} - 1 : ${node.text})`
    }
    if (ts.isVariableDeclaration(node) && node.initializer === undefined && node.type !== undefined) {
      // Its assignment may be dropped.
      return `${raw(node)} = ${raw(node.type) === 'bool' ? 'false' : '0'}`
    }
    return inside(node)
  }

  let text = ''
  let at = 0
  for (const statement of tree.statements) {
    if (!ts.isFunctionDeclaration(statement) || statement.body === undefined) continue
    const { body } = statement
    text += source.slice(at, body.getStart(tree)) + inside(body)
    at = body.getEnd()
  }
  text += source.slice(at)
  return file === 'memory.ts' ? text : `import { mutant } from './memory'\n${text}`
}

/** Where a module with mutants is told which one it is: below everything that it uses. */
export const CHOSEN = 16

export const ASKING = `
// @ts-ignore: decorator
@inline export function mutant(id: i32): bool {
  return load<i32>(${CHOSEN}) == id
}
`
