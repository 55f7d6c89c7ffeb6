// What a valid message says: libdbus's, GDBus's and the reference's values are one neutral JSON; the product's JavaScript
// values become such. And the same message in the other byte order, by libdbus, reference and product.
import type { Codec } from '../../js/index.ts'
import { isMisreadByGDBus, rewriteForLibdbus } from '../deviations.ts'
import { bodyToNeutral, kept } from '../neutral.ts'
import type { Answer, Oracle } from '../oracle/oracle.ts'
import { type NeutralMessage, referenceDecode, referenceSwap } from '../reference/index.ts'
import type { Tally } from './tally.ts'

export interface NamedCodec {
  readonly name: string
  readonly codec: Codec
}

const BATCH = 128
const VALID = { code: '', offset: 0 }

/** The message as values.jsonl has it. */
function flat({ header, body }: NeutralMessage): string {
  const { fields: _, ...facts } = header
  return JSON.stringify({ ...facts, body })
}

/** libdbus's API shows neither an index of type h nor a UNIX_FDS of 0. */
function asLibdbusShows(json: string): string {
  return json.replaceAll(/\["h",\d+\]/g, '["h",null]').replace('"unix_fds":0,', '"unix_fds":null,')
}

const asText = (answer: Answer) =>
  answer.payload === undefined ? answer.reason : JSON.stringify(JSON.parse(String(answer.payload)))

export async function compareValues(
  messages: Iterable<Uint8Array>,
  tally: Tally,
  { libdbus, gdbus, codecs }: { libdbus: Oracle | undefined; gdbus: Oracle | undefined; codecs: readonly NamedCodec[] },
): Promise<void> {
  for (const batch of batches(messages)) {
    const asked = [libdbus?.ask(batch, 'values'), libdbus?.ask(batch, 'native'), gdbus?.ask(batch, 'values')]
    const expected = batch.map((bytes) => referenceDecode(bytes))
    const texts = expected.map(flat)
    batch.forEach((bytes, i) => {
      tally.count('')
      const body = JSON.stringify(expected[i].body.map(kept))
      const swapped = referenceSwap(bytes)
      for (const named of codecs) checkProduct(named, bytes, expected[i], body, swapped, tally)
    })
    const [values, native, gvariants] = await Promise.all(asked)
    batch.forEach((bytes, i) => {
      const say = (who: string, theirs: string) => tally.differ(who, bytes, VALID, theirs)
      const refused = values !== undefined && values[i].payload === undefined
      if (refused && rewriteForLibdbus(bytes).names.length > 0) return // a deliberate deviation: no values to compare with
      if (values !== undefined && asText(values[i]) !== asLibdbusShows(texts[i])) say('libdbus', asText(values[i]))
      // GDBus refuses some of what libdbus accepts: its values count where it has any.
      if (gvariants?.[i].payload !== undefined && asText(gvariants[i]) !== texts[i]) {
        if (isMisreadByGDBus(expected[i].body)) tally.deviate('GDBus, array after padding')
        else say('GDBus', asText(gvariants[i]))
      }
      const payload = native?.[i].payload
      const inOrder = payload?.[0] === bytes[0] ? bytes : referenceSwap(bytes)
      if (payload !== undefined && !payload.equals(inOrder)) say('libdbus', `swapped: ${payload.toString('hex')}`)
    })
  }
}

function checkProduct(
  { name, codec }: NamedCodec,
  bytes: Uint8Array,
  expected: NeutralMessage,
  body: string,
  swapped: Uint8Array,
  tally: Tally,
): void {
  const say = (theirs: string) => tally.differ(name, bytes, VALID, theirs)
  const { header } = expected
  const message = codec.decode(bytes)
  const facts = [
    message.type,
    message.flags,
    message.serial,
    message.path ?? null,
    message.interface ?? null,
    message.member ?? null,
    message.errorName ?? null,
    message.replySerial ?? null,
    message.destination ?? null,
    message.sender ?? null,
    message.signature,
    message.unixFds ?? null,
  ]
  const theirs = [
    header.type,
    header.flags,
    header.serial,
    header.path,
    header.interface,
    header.member,
    header.error,
    header.reply_serial,
    header.destination,
    header.sender,
    header.signature,
    header.unix_fds,
  ]
  if (JSON.stringify(facts) !== JSON.stringify(theirs)) say(`header ${JSON.stringify(facts)}`)
  const neutral = JSON.stringify(bodyToNeutral(message.signature, message.body).map(kept))
  if (neutral !== body) say(`body ${neutral}`)
  const other = codec.swap(bytes)
  if (Buffer.compare(other, swapped) !== 0) say(`swapped: ${Buffer.from(other).toString('hex')}`)
}

function* batches(messages: Iterable<Uint8Array>): Generator<Uint8Array[]> {
  let batch: Uint8Array[] = []
  for (const message of messages) {
    batch.push(message)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
