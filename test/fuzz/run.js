// npm run fuzz -- --minutes N [--seed N]: coverage-guided fuzzing of the js engine against the reference and the other engines. What it
// keeps is in test/vectors/fuzz/, what it finds in build/fuzz/.
import { mkdirSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { rolldown } from 'rolldown'
import { embedded } from '../../rollup.config.js'
import { instrument } from './instrument.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string' } } })

/** The js engine with counters in it. */
function counted() {
  const plain = embedded()
  return {
    ...plain,
    load(id) {
      const code = plain.load(id)
      return id === '\0embedded:js' ? instrument(code).text : code
    },
  }
}

const bundle = await rolldown({
  input: `${root}test/fuzz/loop.ts`,
  platform: 'node',
  external: /^node:/,
  plugins: [counted()],
  transform: { define: { 'import.meta.url': JSON.stringify(pathToFileURL(`${root}test/corpus.ts`).href) } },
})
await bundle.write({ file: `${root}build/fuzz/loop.js`, format: 'es' })
mkdirSync(`${root}test/vectors/fuzz`, { recursive: true })

const { fuzz } = await import(`${root}build/fuzz/loop.js`)
const good = fuzz({
  minutes: Number(values.minutes),
  seed: values.seed === undefined ? Date.now() % 0x7fffffff : Number(values.seed),
  corpus: `${root}test/vectors/fuzz/kept.jsonl`,
  findings: `${root}build/fuzz`,
})
process.exit(good ? 0 : 1)
