// libdbus's validating functions, the reference's and the product's: names and signatures outside any message.
import { describe, expect, it } from 'vitest'
import * as product from '../../js/index.ts'
import { isLaxUniqueName } from '../deviations.ts'
import { chooseSeed, generateBusName, generateInterfaceName, generatePath, generateSignature, seededSource } from '../generate.ts'
import type { Kind } from '../oracle/oracle.ts'
import * as reference from '../reference/index.ts'
import { libdbus } from './judges.ts'
import { words } from './names.ts'
import { REASON_CODES } from './reasons.ts'

type Check = (text: string) => boolean

const NAMES: readonly (readonly [Kind, reference: Check, product: Check])[] = [
  ['path', reference.referenceIsObjectPath, product.isObjectPath],
  ['interface', reference.referenceIsInterfaceName, product.isInterfaceName],
  ['member', reference.referenceIsMemberName, product.isMemberName],
  ['errorName', reference.referenceIsErrorName, product.isErrorName],
  ['busName', reference.referenceIsBusName, product.isBusName],
]

/** Short words, names that are right, and these with one character changed. */
function texts(seed: number): string[] {
  const source = seededSource(seed)
  const all = [0, 1, 2, 3, 4, 5].flatMap((length) => [...words(length)]).filter((word) => !word.includes('\x80'))
  for (let i = 0; i < 20_000; i++) {
    const name = [generateBusName, generateInterfaceName, generatePath][i % 3](source)
    const at = source.below(name.length)
    all.push(name, name.slice(0, at) + String.fromCharCode(source.below(128)) + name.slice(at + 1), name.slice(0, at))
  }
  return all
}

describe.skipIf(libdbus === undefined)('libdbus, reference and product agree', () => {
  it.each(NAMES)('whether a text is valid as %s', async (kind, accepts, productAccepts) => {
    const all = texts(chooseSeed(kind))
    const answers = await libdbus!.ask(
      all.map((text) => Buffer.from(text)),
      kind,
    )
    expect(all.filter((text) => productAccepts(text) !== accepts(text))).toEqual([])
    const differing = all.filter((text, i) => {
      if (kind === 'busName' && isLaxUniqueName(text)) return answers[i].verdict !== 'ok' || accepts(text)
      return (answers[i].verdict === 'ok') !== accepts(text)
    })
    expect(differing).toEqual([])
  })

  it('on signatures, and on what is wrong with them', async () => {
    const source = seededSource(chooseSeed('signatures'))
    const all = Array.from({ length: 100_000 }, (_, i) => {
      const signature = generateSignature(source)
      if (i % 3 === 0 || signature === '') return signature
      const at = source.below(signature.length)
      return signature.slice(0, at) + 'ybsva(){}h'[source.below(10)] + signature.slice(at + source.below(3))
    })
    all.push('y'.repeat(255), 'y'.repeat(256), 'y'.repeat(1000))
    expect(all.filter((text) => product.isSignature(text) !== reference.referenceSignature(text).valid)).toEqual([])
    const answers = await libdbus!.ask(
      all.map((text) => Buffer.from(text)),
      'signature',
    )
    const differing = all.filter((signature, i) => {
      const verdict = reference.referenceSignature(signature)
      return verdict.valid ? answers[i].verdict !== 'ok' : !REASON_CODES[answers[i].reason]?.includes(verdict.code)
    })
    expect(differing).toEqual([])
  })
})
