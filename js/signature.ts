// A signature as a tree, for those who walk it. The words come from the one compiler; this only hangs them on branches.
import { chooseEngine, idleEngine } from './engine.ts'
import { compile, wordsAt } from './plan.ts'
import { spanOf } from './reader.ts'
import { TYPE_ARRAY, TYPE_DICT_ENTRY, TYPE_STRUCT } from './wire.ts'

/** One complete type of a signature (specification, "Type System"), as {@link parseSignature} gives it. */
export interface TypeNode {
  /** The type code: `a`, `(` for a struct, `{` for a dict entry, or that of a basic type or `v`. */
  readonly type: string
  /** The whole complete type, such as `a{sv}`. */
  readonly signature: string
  /** The element of an array, the members of a struct, key and value of a dict entry; empty for others. */
  readonly children: readonly TypeNode[]
}

/**
 * The complete types of a signature. Documented where it is exported, in index.ts.
 *
 * @throws DBusCodecError with the `offset` in the signature of what is wrong.
 */
export function parseSignature(signature: string): TypeNode[] {
  if (typeof signature !== 'string') throw new TypeError('the signature must be a string')
  const engine = idleEngine(chooseEngine(undefined).name)
  compile(engine, signature, true)
  const words = wordsAt(engine, engine.exports.planWords(), signature.length)
  return nodes(words, signature, 0, words.length)
}

function nodes(words: Int32Array, signature: string, from: number, to: number): TypeNode[] {
  const made: TypeNode[] = []
  for (let i = from; i < to; i += spanOf(words[i])) {
    const end = i + spanOf(words[i])
    const code = words[i] & 0xff
    let children: TypeNode[] = []
    if (code === TYPE_ARRAY) children = nodes(words, signature, i + 1, end)
    else if (code === TYPE_STRUCT || code === TYPE_DICT_ENTRY) children = nodes(words, signature, i + 1, end - 1)
    made.push({ type: signature[i], signature: signature.slice(i, end), children })
  }
  return made
}
