// How the peers show D-Bus values, in the terms of messages/types.js.
import { typesOf } from '../messages/types.js'

const numberOf = (key, code) => (code === 's' || code === 'o' || code === 'g' ? key : Number(key))

/** Plain objects for dicts, Buffers for bytes, plain arrays: dbus-next and its fork, with a Variant class. */
export const variantShape = (Variant) => ({
  variant: (signature, value) => new Variant(signature, value),
  fromVariant: (value) => [value.signature, value.value],
  dict: (_key, pairs) => Object.fromEntries(pairs),
  fromDict: (value, key) =>
    Array.isArray(value) ? value : Object.entries(value).map(([name, inner]) => [numberOf(name, key), inner]),
  bytes: (value) => value,
  numbers: (_code, list) => Array.from(list),
})

/** Signature trees for variants and pairs for dicts: the older node-dbus forms. */
export const treeShape = {
  variant: (signature, value) => [signature, value],
  fromVariant: ([tree, [value]]) => [collapse(tree[0]), value],
  dict: (_key, pairs) => pairs,
  fromDict: (value) => value,
  bytes: (value) => value,
  numbers: (_code, list) => Array.from(list),
}

function collapse(tree) {
  const inner = tree.child.map(collapse).join('')
  if (tree.type === 'a') return `a${inner}`
  if (tree.type === '(') return `(${inner})`
  if (tree.type === '{') return `{${inner}}`
  return typesOf(tree.type)[0].signature
}
