// Signatures as trees, and the neutral values the generators make: what every library's own form is converted from and to.
//
// Neutral: numbers, bigint for x and t, strings, booleans; a struct is an array; a dict is an array of [key, value];
// ay is a Buffer; other arrays are arrays (numeric ones may be typed arrays); a variant is a Typed.

/** A variant in neutral form. */
export class Typed {
  constructor(signature, value) {
    this.signature = signature
    this.value = value
  }
}

const cache = new Map()

/** The complete types of a signature: [{ code, signature, items }]. */
export function typesOf(signature) {
  let types = cache.get(signature)
  if (types === undefined) {
    types = []
    for (let at = 0; at < signature.length; ) {
      const type = parse(signature, at)
      types.push(type)
      at += type.signature.length
    }
    cache.set(signature, types)
  }
  return types
}

function parse(signature, at) {
  const code = signature[at]
  if (code === 'a') {
    const item = parse(signature, at + 1)
    return { code, signature: `a${item.signature}`, items: [item] }
  }
  if (code !== '(' && code !== '{') return { code, signature: code, items: [] }
  const items = []
  let end = at + 1
  while (signature[end] !== ')' && signature[end] !== '}') {
    const item = parse(signature, end)
    items.push(item)
    end += item.signature.length
  }
  return { code, signature: signature.slice(at, end + 1), items }
}

/** A neutral value in a library's form. `shape` says how that library shows variants, dicts, bytes and numeric arrays. */
export function toForm(type, value, shape) {
  switch (type.code) {
    case 'v': {
      const inner = typesOf(value.signature)[0]
      return shape.variant(value.signature, toForm(inner, value.value, shape))
    }
    case '(':
      return value.map((item, i) => toForm(type.items[i], item, shape))
    case 'a': {
      const item = type.items[0]
      if (item.code === 'y') return shape.bytes(value)
      if (item.code === '{') {
        const [keyType, valueType] = item.items
        return shape.dict(
          keyType.code,
          value.map(([key, inner]) => [key, toForm(valueType, inner, shape)]),
        )
      }
      if ('nqiuxtd'.includes(item.code)) return shape.numbers(item.code, value)
      return value.map((inner) => toForm(item, inner, shape))
    }
    default:
      return value
  }
}

/** A library's value in neutral form, for comparison. */
export function fromForm(type, value, shape) {
  switch (type.code) {
    case 'v': {
      const [signature, inner] = shape.fromVariant(value)
      return new Typed(signature, fromForm(typesOf(signature)[0], inner, shape))
    }
    case '(':
      return type.items.map((item, i) => fromForm(item, value[i], shape))
    case 'a': {
      const item = type.items[0]
      if (item.code === 'y') return Buffer.from(value)
      if (item.code === '{') {
        const [keyType, valueType] = item.items
        return shape.fromDict(value, keyType.code).map(([key, inner]) => [key, fromForm(valueType, inner, shape)])
      }
      return Array.from(value, (inner) => fromForm(item, inner, shape))
    }
    default:
      return value
  }
}

/** One text for equal neutral bodies: dict entries sorted by key, since objects order integer-like keys in their own way. */
export function canonical(signature, body) {
  return JSON.stringify(typesOf(signature).map((type, i) => plain(type, body[i])))
}

function plain(type, value) {
  switch (type.code) {
    case 'v':
      return [value.signature, plain(typesOf(value.signature)[0], value.value)]
    case '(':
      return type.items.map((item, i) => plain(item, value[i]))
    case 'a': {
      const item = type.items[0]
      if (item.code === 'y') return Buffer.from(value).toString('hex')
      if (item.code !== '{') return Array.from(value, (inner) => plain(item, inner))
      const entries = value.map(([key, inner]) => [String(key), plain(item.items[1], inner)])
      return entries.sort((a, b) => (a[0] < b[0] ? -1 : 1))
    }
    case 'x':
    case 't':
      return String(value)
    default:
      return value
  }
}
