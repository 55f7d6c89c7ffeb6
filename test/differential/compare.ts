// One input, everyone's verdict: libdbus, the reference and each engine of the product. Reference and product have to agree
// on code and offset; libdbus, which gives no offset, on the reason.
import { DEVIATIONS, type Judgement, rewriteForLibdbus } from '../deviations.ts'
import type { Answer, Oracle } from '../oracle/oracle.ts'
import { referenceValidate } from '../reference/index.ts'
import { REASON_CODES } from './reasons.ts'
import type { Tally } from './tally.ts'

/** A product engine, or anything else that judges messages. */
export interface Judge {
  readonly name: string
  judge(bytes: Uint8Array): Judgement
}

/** So many inputs at a time: their bytes fit the pipe, so that the oracle works while the engines do. */
const BATCH = 512
const VALID: Judgement = { code: '', offset: 0 }

export function judgeByReference(bytes: Uint8Array): Judgement {
  const verdict = referenceValidate(bytes)
  return verdict.valid ? VALID : verdict
}

/** Puts every input to all of them; the tally counts inputs, verdicts, deviations and differences. */
export async function compare(
  inputs: Iterable<Uint8Array>,
  tally: Tally,
  { libdbus, judges }: { libdbus: Oracle | undefined; judges: readonly Judge[] },
): Promise<void> {
  // The oracle has a batch to work on while the answers to the one before are looked at.
  let before: (() => Promise<void>) | undefined
  for (const batch of batches(inputs)) {
    const asked = libdbus?.ask(batch)
    const verdicts = batch.map(judgeByReference)
    for (const verdict of verdicts) tally.count(verdict.code)
    for (const judge of judges) judgeAll(batch, verdicts, judge, tally)
    await before?.()
    before = async () => {
      if (libdbus !== undefined && asked !== undefined) await checkAnswers(batch, verdicts, await asked, tally, libdbus)
    }
  }
  await before?.()
}

function judgeAll(batch: readonly Uint8Array[], verdicts: readonly Judgement[], judge: Judge, tally: Tally): void {
  for (let i = 0; i < batch.length; i++) {
    const ours = verdicts[i]
    const theirs = judge.judge(batch[i])
    if (theirs.code === ours.code && (theirs.code === '' || theirs.offset === ours.offset)) continue
    tally.differ(judge.name, batch[i], ours, theirs.code === '' ? 'valid' : `${theirs.code} at ${theirs.offset}`)
  }
}

async function checkAnswers(
  batch: readonly Uint8Array[],
  verdicts: readonly Judgement[],
  answers: readonly Answer[],
  tally: Tally,
  libdbus: Oracle,
): Promise<void> {
  const suspects: number[] = []
  for (let i = 0; i < batch.length; i++) {
    if (!agrees(batch[i], answers[i], verdicts[i])) suspects.push(i)
  }
  if (suspects.length === 0) return
  await explain(
    suspects.map((i) => batch[i]),
    suspects.map((i) => verdicts[i]),
    tally,
    libdbus,
  )
}

/** What libdbus and the reference disagree on is a difference unless the list of deviations has it. */
async function explain(suspects: Uint8Array[], verdicts: Judgement[], tally: Tally, libdbus: Oracle): Promise<void> {
  const rewritten = suspects.map(rewriteForLibdbus)
  const answers = await libdbus.ask(rewritten.map((one) => one.bytes))
  for (let i = 0; i < suspects.length; i++) {
    const answer = answers[i]
    if (rewritten[i].names.length > 0 && agrees(rewritten[i].bytes, answer, verdicts[i])) {
      for (const name of rewritten[i].names) tally.deviate(name)
      continue
    }
    const excuse = DEVIATIONS.find((deviation) => deviation.excuses?.(suspects[i], answer, verdicts[i]))
    if (excuse !== undefined) tally.deviate(excuse.name)
    else tally.differ('libdbus', suspects[i], verdicts[i], `${answer.verdict} "${answer.reason}", ${answer.left} bytes left`)
  }
}

export function agrees(bytes: Uint8Array, { verdict, reason, left }: Answer, ours: Judgement): boolean {
  switch (ours.code) {
    case '':
      return verdict === 'ok' && left === 0
    case 'ERR_DBUS_INCOMPLETE':
      return verdict === 'more' && ours.offset === bytes.length
    case 'ERR_DBUS_TRAILING_BYTES':
      return verdict === 'ok' && left > 0 && ours.offset === bytes.length - left
    default:
      return verdict === 'bad' && REASON_CODES[reason]?.includes(ours.code) === true
  }
}

function* batches(inputs: Iterable<Uint8Array>): Generator<Uint8Array[]> {
  let batch: Uint8Array[] = []
  let size = 0
  for (const input of inputs) {
    batch.push(input)
    size += input.length
    if (batch.length === BATCH || size > 1 << 17) {
      yield batch
      batch = []
      size = 0
    }
  }
  if (batch.length > 0) yield batch
}
