// Messages by the generator, whole and broken. Several are made of each, since making one costs more than judging it.
import { BREAKERS, breakMessage, breakSeveral } from '../break.ts'
import { type GeneratedMessage, generateMessage, seededSource } from '../generate.ts'

const OPTIONS = { duplicateKeys: true, fieldTen: true }

export function* validGenerated(count: number, seed: number): Generator<GeneratedMessage> {
  const source = seededSource(seed)
  for (let i = 0; i < count; i++) yield generateMessage(source, { duplicateKeys: true })
}

/** Each breaker in turn, so that every rule is broken equally often. */
export function* oneRuleBroken(count: number, seed: number): Generator<Uint8Array> {
  const source = seededSource(seed)
  for (let i = 0; i < count; ) {
    const message = generateMessage(source, OPTIONS)
    for (let n = 0; n < 8 && i < count; n++, i++) yield breakMessage(source, message, BREAKERS[i % BREAKERS.length]).bytes
  }
}

export function* severalRulesBroken(count: number, seed: number): Generator<Uint8Array> {
  const source = seededSource(seed)
  for (let i = 0; i < count; ) {
    const message = generateMessage(source, OPTIONS)
    for (let n = 0; n < 8 && i < count; n++, i++) yield breakSeveral(source, message).bytes
  }
}
