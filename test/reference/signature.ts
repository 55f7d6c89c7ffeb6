// Signatures: specification, "Type System" and "Valid Signatures"; order of faults: VALIDATION 4.12.
import { ReferenceFault } from './fault.ts'

/** One complete type. `members`: an array's element, a struct's fields, a dict entry's key and value. */
export interface Type {
  code: string
  signature: string
  members: Type[]
}

const BASIC = 'ybnqiuxtdsogh'
const KNOWN = 'ybnqiuxtdsoghva(){}'

/** Throws the first fault of a signature, its offset counted from the signature's first character. */
export function checkSignature(signature: string): void {
  if (signature.length > 255) throw new ReferenceFault('ERR_DBUS_SIGNATURE_TOO_LONG', 255)
  const open: { bracket: string; count: number }[] = []
  const countOpen = (bracket: string) => open.filter((entry) => entry.bracket === bracket).length
  let arrays = 0
  let last = ''
  for (let i = 0; i < signature.length; i++) {
    const code = signature[i]
    const fail = (reason: string): never => {
      throw new ReferenceFault(reason, i)
    }
    if (!KNOWN.includes(code)) fail('ERR_DBUS_TYPE_CODE')

    // libdbus counts only the arrays that follow one another (4.3); any other code starts the count anew.
    arrays = code === 'a' ? arrays + 1 : 0
    if (arrays > 32) fail('ERR_DBUS_ARRAY_DEPTH')

    if (code === '(') {
      if (countOpen('(') === 32) fail('ERR_DBUS_STRUCT_DEPTH')
      open.push({ bracket: '(', count: 0 })
    } else if (code === '{') {
      if (last !== 'a') fail('ERR_DBUS_DICT_OUTSIDE_ARRAY')
      if (countOpen('{') === 32) fail('ERR_DBUS_DICT_DEPTH')
      open.push({ bracket: '{', count: 0 })
    } else if (code === ')') {
      const top = open.pop()
      if (top === undefined || top.bracket !== '(') fail('ERR_DBUS_STRUCT_NOT_STARTED')
      if (top!.count === 0) fail('ERR_DBUS_STRUCT_EMPTY')
    } else if (code === '}') {
      const top = open.pop()
      if (top === undefined || top.bracket !== '{') fail('ERR_DBUS_DICT_NOT_STARTED')
      if (top!.count === 0) fail('ERR_DBUS_DICT_EMPTY')
      if (top!.count === 1) fail('ERR_DBUS_DICT_ONE_FIELD')
      if (top!.count > 2) fail('ERR_DBUS_DICT_MANY_FIELDS')
    }

    // A type is complete at its last character, so an array counts once, with its element.
    const parent = open.at(-1)
    if (parent !== undefined && code !== 'a' && code !== '(' && code !== '{') parent.count++

    const next = signature[i + 1]
    if (code === 'a' && (next === ')' || next === '}')) fail('ERR_DBUS_ARRAY_ELEMENT')
    if (last === '{' && !BASIC.includes(code)) fail('ERR_DBUS_DICT_KEY')
    last = code
  }
  const end = signature.length
  if (last === 'a') throw new ReferenceFault('ERR_DBUS_ARRAY_ELEMENT', end)
  if (countOpen('(') > 0) throw new ReferenceFault('ERR_DBUS_STRUCT_NOT_ENDED', end)
  if (countOpen('{') > 0) throw new ReferenceFault('ERR_DBUS_DICT_NOT_ENDED', end)
}

/** The complete types of a signature that {@link checkSignature} accepts. */
export function parseTypes(signature: string): Type[] {
  const types: Type[] = []
  let position = 0
  while (position < signature.length) {
    const type = parseType(signature, position)
    types.push(type)
    position += type.signature.length
  }
  return types
}

function parseType(signature: string, start: number): Type {
  const code = signature[start]
  const members: Type[] = []
  let position = start + 1
  if (code === 'a') {
    const element = parseType(signature, position)
    members.push(element)
    position += element.signature.length
  } else if (code === '(' || code === '{') {
    while (signature[position] !== ')' && signature[position] !== '}') {
      const member = parseType(signature, position)
      members.push(member)
      position += member.signature.length
    }
    position++
  }
  return { code, signature: signature.slice(start, position), members }
}

/** Specification, "Marshaling (Wire Format)": the alignment of each type. */
export function alignmentOf(type: Type): number {
  if ('ygv'.includes(type.code)) return 1
  if ('nq'.includes(type.code)) return 2
  if ('xtd({'.includes(type.code)) return 8
  return 4
}

/** The number of bytes of a fixed-size type; 0 for every other type. */
export function fixedSizeOf(type: Type): number {
  return 'ybnqiuxtdh'.includes(type.code) ? alignmentOf(type) : 0
}
