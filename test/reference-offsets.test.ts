// libdbus names the fault but not its place, so the reference's offsets are pinned here by hand: bytes that can be counted.
// The convention stands in assembly/shared/faults.ts.
import { describe, expect, test } from 'vitest'
import {
  type HeaderInput,
  type NeutralField,
  type ReferenceFault,
  referenceEncode,
  referenceIsBusName,
  referenceIsInterfaceName,
  referenceIsObjectPath,
  referenceSignature,
  referenceUnmarshal,
  referenceValidate,
} from './reference/index.ts'

type Row = [signature: string, hex: string, code: string, offset: number]

const BODIES: Row[] = [
  ['u', '01', 'NOT_ENOUGH_DATA', 1],
  ['yu', '01', 'NOT_ENOUGH_DATA', 1],
  ['yu', '01 00ff', 'NOT_ENOUGH_DATA', 3], // the padding ends beyond the data: not looked at
  ['yu', '01 00ff00 01', 'PADDING', 2], // the value's first byte is there: padding first
  ['yu', '01 000000 01', 'NOT_ENOUGH_DATA', 5],
  ['ys', '01 ff0000 010000', 'NOT_ENOUGH_DATA', 7], // a length must be there whole before its padding counts
  ['b', '02000000', 'BOOLEAN', 0],
  ['ab', '08000000 01000000 00010000', 'BOOLEAN', 8],
  ['s', '05000000 61626364', 'LENGTH_OUT_OF_BOUNDS', 0],
  ['s', '04000000 61ff6364', 'UTF8', 5], // content before the terminator that is missing
  ['s', '04000000 61626364', 'NOT_ENOUGH_DATA', 8],
  ['s', '04000000 61626364 01', 'STRING_NUL', 8],
  ['s', '04000000 61006364 00', 'UTF8', 5],
  ['s', '04000000 61e28241 00', 'UTF8', 5], // where the cut sequence begins
  ['o', '00000000 00', 'OBJECT_PATH', 4],
  ['o', '03000000 2f612f 00', 'OBJECT_PATH', 7], // an element is missing: the end
  ['o', '04000000 2f2f6161 00', 'OBJECT_PATH', 5],
  ['o', '03000000 2f612d 00', 'OBJECT_PATH', 6],
  ['g', '02 79', 'SIGNATURE_LENGTH', 0],
  ['g', '01 7a 00', 'TYPE_CODE', 1],
  ['g', '03 617b7d 00', 'DICT_EMPTY', 3],
  ['g', '02 7961 00', 'ARRAY_ELEMENT', 3],
  ['g', '03 286129 00', 'ARRAY_ELEMENT', 2],
  ['g', '01 79 01', 'SIGNATURE_NUL', 2],
  ['v', '02 79', 'VARIANT_SIGNATURE_LENGTH', 0],
  ['v', '02 797a 00 01', 'VARIANT_SIGNATURE', 2],
  ['v', '01 79 01 01', 'VARIANT_SIGNATURE_NUL', 2],
  ['v', '00 00', 'VARIANT_EMPTY', 0],
  ['v', '02 7962 00 01', 'VARIANT_MULTIPLE', 2],
  ['v', '02 6279 00 02000000 00', 'BOOLEAN', 4], // the value first, then "more than one type"
  ['v', '01 74 00 0000000001', 'PADDING', 7], // aligned to 8: the value itself is missing, its padding is found first
  ['ay', '04000000 010203', 'LENGTH_OUT_OF_BOUNDS', 0],
  ['at', '00000000 00000001', 'PADDING', 7], // padded to the element's alignment though empty
  ['at', '00000000 0000', 'NOT_ENOUGH_DATA', 6],
  ['aq', '03000000 010002', 'ARRAY_LENGTH', 0],
  ['yaq', '01 000000 03000000 010002', 'ARRAY_LENGTH', 4],
  ['as', '05000000 00000000 00 00', 'TOO_MUCH_DATA', 9],
  ['asy', '04000000 00000000 00 01', 'ARRAY_LENGTH', 0], // the element runs over the array's end, not the body's
  ['a(y)', '02000000 00000000 01 01', 'NOT_ENOUGH_DATA', 10], // the second struct's padding is missing
  ['a(y)', '09000000 00000000 01 00010000000000 02', 'PADDING', 10],
  ['y(y)', '01 00000000000000', 'NOT_ENOUGH_DATA', 8],
  ['', '00', 'TOO_MUCH_DATA', 0],
  ['y', '0102', 'TOO_MUCH_DATA', 1],
]

const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'))

describe('a body', () => {
  test.each(BODIES)('of type "%s" and bytes %s is refused: %s at %i', (signature, hex, code, offset) => {
    const fault = faultOf(() => referenceUnmarshal(signature, bytesOf(hex)))
    expect(fault).toMatchObject({ code: `ERR_DBUS_${code}`, offset })
  })

  test('may be nested in 64 variants; the value in the 65th is too deep, and named at its first byte', () => {
    const nested = (levels: number) => bytesOf(`${'01 76 00'.repeat(levels - 1)} 01 79 00 07`)
    expect(referenceUnmarshal('v', nested(64))).toHaveLength(1)
    const fault = faultOf(() => referenceUnmarshal('v', nested(65)))
    expect(fault).toMatchObject({ code: 'ERR_DBUS_DEPTH', offset: 65 * 3 })
  })
})

function faultOf(run: () => unknown): ReferenceFault {
  try {
    run()
  } catch (fault) {
    return fault as ReferenceFault
  }
  throw new Error('nothing was thrown')
}

const SIGNATURES: [signature: string, code: string, offset: number][] = [
  ['y'.repeat(256), 'SIGNATURE_TOO_LONG', 255],
  ['sz', 'TYPE_CODE', 1],
  [`s${'a'.repeat(33)}y`, 'ARRAY_DEPTH', 33],
  ['('.repeat(33), 'STRUCT_DEPTH', 32],
  ['a{s'.repeat(33), 'DICT_DEPTH', 97],
  ['s()', 'STRUCT_EMPTY', 2],
  ['sa', 'ARRAY_ELEMENT', 2],
  ['(a)', 'ARRAY_ELEMENT', 1],
  ['s)', 'STRUCT_NOT_STARTED', 1],
  ['(a{sv)}', 'STRUCT_NOT_STARTED', 5],
  ['(s', 'STRUCT_NOT_ENDED', 2],
  ['s}', 'DICT_NOT_STARTED', 1],
  ['a{sv', 'DICT_NOT_ENDED', 4],
  ['a{}', 'DICT_EMPTY', 2],
  ['a{s}', 'DICT_ONE_FIELD', 3],
  ['a{sss}', 'DICT_MANY_FIELDS', 5],
  ['({sv})', 'DICT_OUTSIDE_ARRAY', 1],
  ['a{vs}', 'DICT_KEY', 2],
]

describe('a signature', () => {
  test.each(SIGNATURES)('"%s" is refused: %s at %i', (signature, code, offset) => {
    expect(referenceSignature(signature)).toEqual({ valid: false, code: `ERR_DBUS_${code}`, offset })
  })

  test('may have 32 arrays in a row, and 32 more after another code; structs and entries are counted apart', () => {
    const signatures = ['', `${'a'.repeat(32)}y`, `${'a'.repeat(16)}(${'a'.repeat(17)}y)`, `${'('.repeat(32)}y${')'.repeat(32)}`]
    signatures.push(`${'('.repeat(17)}${'a{s'.repeat(16)}y${'}'.repeat(16)}${')'.repeat(17)}`)
    for (const signature of signatures) expect(referenceSignature(signature), signature).toEqual({ valid: true })
  })
})

// "l", type, flags, version, body length, serial, fields length; the first field begins at 16, its signature at 18 (length at
// 17), a text's length at 20 and the text at 24.
const text = (code: number, type: 's' | 'o', value: string): NeutralField => [code, type, [type, value]]
const RETURN: HeaderInput = { type: 2, serial: 1 }
const REPLY: NeutralField = [5, 'u', ['u', 1]] // ends at 24

const HEADERS: [string, HeaderInput, NeutralField[], code: string, offset: number][] = [
  ['type 0', { type: 0, serial: 0 }, [], 'MESSAGE_TYPE', 1],
  ['version 2', { type: 2, serial: 0, version: 2 }, [], 'PROTOCOL_VERSION', 3],
  ['serial 0', { type: 2, serial: 0 }, [], 'SERIAL', 8],
  ['field code 0', RETURN, [REPLY, text(0, 's', '')], 'FIELD_CODE', 24],
  ['a path of type s', RETURN, [text(1, 's', '/')], 'FIELD_TYPE', 18],
  ['a reply serial twice', RETURN, [REPLY, REPLY], 'FIELD_TWICE', 24],
  ['a local interface', RETURN, [text(2, 's', 'org.freedesktop.DBus.Local')], 'LOCAL_INTERFACE', 24],
  ['a local path', RETURN, [text(1, 'o', '/org/freedesktop/DBus/Local')], 'LOCAL_PATH', 24],
  ['an interface of one element', RETURN, [text(2, 's', 'abc')], 'INTERFACE', 27],
  ['an empty interface', RETURN, [text(2, 's', '')], 'INTERFACE', 24],
  ['an interface of 256 characters', RETURN, [text(2, 's', `a.${'b'.repeat(254)}`)], 'INTERFACE', 24],
  ['a member with a dot', RETURN, [text(3, 's', 'a.b')], 'MEMBER', 25],
  ['an error name with a hyphen', RETURN, [text(4, 's', 'a.b-c')], 'ERROR_NAME', 27],
  ['a destination of one unique element', RETURN, [text(6, 's', ':1')], 'DESTINATION', 26],
  ['a sender with an empty element', RETURN, [text(7, 's', 'a..b')], 'SENDER', 26],
  ['a reply serial 0', RETURN, [[5, 'u', ['u', 0]]], 'REPLY_SERIAL', 20],
  ['a return without reply serial', RETURN, [[11, 'y', ['y', 1]]], 'MISSING_REPLY_SERIAL', 21],
  ['an error without a name', { type: 3, serial: 1 }, [REPLY], 'MISSING_ERROR_NAME', 24],
  ['a signal without anything', { type: 4, serial: 1 }, [REPLY], 'MISSING_INTERFACE', 24],
  ['a call without anything', { type: 1, serial: 1 }, [REPLY], 'MISSING_PATH', 24],
  ['a call without a member', { type: 1, serial: 1 }, [text(1, 'o', '/')], 'MISSING_MEMBER', 26],
]

describe('a header', () => {
  test.each(HEADERS)('with %s is refused', (_, header, fields, code, offset) => {
    const bytes = referenceEncode(header, '', [], { fields })
    expect(referenceValidate(bytes)).toEqual({ valid: false, code: `ERR_DBUS_${code}`, offset })
  })

  test('may have names that only begin like the reserved ones, and field 10 of any type, twice', () => {
    const fields: NeutralField[] = [
      REPLY,
      text(2, 's', 'org.freedesktop.DBus.Locale'),
      text(1, 'o', '/org/freedesktop/DBus/Local/x'),
      [10, 'y', ['y', 1]],
      [10, 's', ['s', 'x']],
    ]
    expect(referenceValidate(referenceEncode(RETURN, '', [], { fields }))).toEqual({ valid: true })
  })
})

describe('names', () => {
  test('are what the specification says', () => {
    const good = [':1.0', ':a-b._', 'a.b', '-a.-b', 'org.freedesktop.DBus']
    for (const name of good) expect(referenceIsBusName(name), name).toBe(true)
    for (const name of ['', ':', ':1', ':.1', 'a', 'a.1', '.a.b']) expect(referenceIsBusName(name), name).toBe(false)
    expect(referenceIsInterfaceName('a._1')).toBe(true)
    expect(referenceIsInterfaceName('a.b-c')).toBe(false)
    for (const path of ['/', '/a', '/1/_']) expect(referenceIsObjectPath(path), path).toBe(true)
    for (const path of ['', 'a', '//', '/a/', '/é']) expect(referenceIsObjectPath(path), path).toBe(false)
  })
})
