// A process that holds one JavaScript library and measures it when told to, one line a command:
//   check ROW OPERATION KIND        -> ok | no | bad REASON        KIND is once or rotation
//   time ROW OPERATION KIND MS      -> ok NANOSECONDS COUNT
//   version                         -> ok TEXT
//   drop                            -> ok                          forgets the inputs of the rows so far
import { createInterface } from 'node:readline'
import { Measure } from './measure.js'

const [name, options = '{}'] = process.argv.slice(2)
const { open } = await import(`../peers/${name}.js`)
const library = await open(JSON.parse(options))
const measures = new Map()

function measureOf(row, kind) {
  const key = `${row} ${kind}`
  let measure = measures.get(key)
  if (measure === undefined) {
    measure = new Measure(library, name, row, kind === 'rotation')
    measures.set(key, measure)
  }
  return measure
}

function answer(line) {
  const [command, row, operation, kind, milliseconds] = line.split(' ')
  if (command === 'version') return `ok ${process.version} ${library.engine?.name ?? ''}`.trim()
  if (command === 'drop') {
    measures.clear()
    return 'ok'
  }
  const measure = measureOf(row, kind)
  if (!measure.supports(operation)) return 'no'
  if (command === 'check') {
    measure.check(operation)
    return 'ok'
  }
  const { ns, count } = measure.time(operation, Number(milliseconds))
  return `ok ${ns} ${count}`
}

for await (const line of createInterface({ input: process.stdin })) {
  let reply
  try {
    reply = answer(line)
  } catch (error) {
    reply = `bad ${String(error.message).replaceAll('\n', ' ')}`
  }
  process.stdout.write(`${reply}\n`)
}
