// npm run test:mutation [-- --sample N --seed N --file read.ts --again --workers N]: breaks assembly/ in every way that mutants.js knows, one at a
// time, and lists what no input of judge.ts shows. Mutants that change nothing but speed, or nothing at all, are in equivalent.json.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import asc from 'assemblyscript/asc'
import { rolldown } from 'rolldown'
import { ASKING, withMutants } from './mutants.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { values: options } = parseArgs({
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    file: { type: 'string' },
    again: { type: 'boolean', default: false },
    workers: { type: 'string', default: '1' },
  },
})

const SURVIVORS = `${root}build/mutation/survivors.json`

/** A mutant for which no input is done with for so long has made a loop without end. */
const HANG_MS = 6000

/** The module with all mutants in it, without SIMD: what it does with SIMD is the same by test. */
async function build() {
  const folder = `${root}assembly/`
  const list = []
  const texts = {}
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts'))) {
    const text = withMutants(file, readFileSync(folder + file, 'utf8'), list)
    texts[`assembly/${file}`] = file === 'memory.ts' ? text + ASKING : text
  }
  process.chdir(root)
  const { options: common } = JSON.parse(readFileSync(`${root}asconfig.json`, 'utf8'))
  const flags = ['--config', 'none', '--runtime', common.runtime, '--use', 'abort=', '--importMemory', '--noExportMemory']
  flags.push('--initialMemory', String(common.initialMemory), '--memoryBase', String(common.memoryBase), '--optimizeLevel', '1')
  let bytes
  const { error, stderr } = await asc.main(['assembly/index.ts', '--outFile', 'mutants.wasm', ...flags], {
    readFile(name) {
      const path = name.replace(/^\.\//, '')
      if (texts[path] !== undefined) return texts[path]
      try {
        return readFileSync(path, 'utf8')
      } catch {
        return null
      }
    },
    writeFile(name, data) {
      if (name.endsWith('.wasm')) bytes = data
    },
    listFiles: () => [],
  })
  if (error !== null) throw new Error(`${error.message}\n${stderr.toString()}`)
  return { list, bytes }
}

/** The suite, with that module as the product's. */
async function bundle(bytes) {
  const texts = {
    simd: `(hexBytes) => hexBytes('${Buffer.from(bytes).toString('hex')}')`,
    baseline: '() => { throw new Error("not here") }',
    js: '() => { throw new Error("not here") }',
  }
  const made = await rolldown({
    input: `${root}test/mutation/judge.ts`,
    platform: 'node',
    external: /^node:/,
    logLevel: 'silent',
    plugins: [
      {
        name: 'embedded',
        resolveId: (id) => (id.startsWith('embedded:') ? `\0${id}` : null),
        load: (id) => (id.startsWith('\0embedded:') ? `export default ${texts[id.slice('\0embedded:'.length)]}` : null),
      },
    ],
    // The vectors are looked for beside the tests.
    transform: { define: { 'import.meta.url': JSON.stringify(pathToFileURL(`${root}test/corpus.ts`).href) } },
  })
  // Other runs have files of their own.
  const file = `${root}build/mutation/judge-${process.pid}.js`
  await made.write({ file, format: 'es' })
  return pathToFileURL(file).href
}

// What is right, once one thread has found it out.
let expected

async function ready(url) {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: { url, beats, expected } })
  worker.beats = beats
  await new Promise((done, fail) => {
    worker.once('error', fail)
    worker.once('message', (message) => {
      worker.removeListener('error', fail)
      expected = message.expected
      done()
    })
  })
  return worker
}

/** What shows that a mutant is one, '' when nothing does; whether the worker can go on. */
function attempt(worker, id) {
  return new Promise((done) => {
    const end = (shown, usable) => {
      clearInterval(timer)
      worker.removeAllListeners('message')
      worker.removeAllListeners('error')
      done({ shown, usable })
    }
    let last = -1
    const timer = setInterval(() => {
      if (worker.beats[0] === last) end('no end', false)
      last = worker.beats[0]
    }, HANG_MS)
    worker.once('error', (error) => end(String(error), false))
    worker.once('message', ({ shown }) => end(shown, true))
    worker.postMessage(id)
  })
}

function chosenFrom(list) {
  let wanted = options.file === undefined ? list : list.filter(({ file }) => file === options.file)
  if (options.again) {
    // Those that survived the last run.
    const last = new Set(JSON.parse(readFileSync(SURVIVORS, 'utf8')).map(({ file, what }) => `${file} ${what}`))
    wanted = wanted.filter(({ file, what }) => last.has(`${file} ${what}`))
  }
  if (options.sample === undefined) return wanted
  let state = Number(options.seed)
  const draw = () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return state
  }
  return wanted
    .map((mutant) => ({ mutant, key: draw() }))
    .sort((a, b) => a.key - b.key)
    .slice(0, Number(options.sample))
    .map(({ mutant }) => mutant)
}

const known = JSON.parse(readFileSync(new URL('./equivalent.json', import.meta.url), 'utf8'))
const isKnown = ({ file, what }) => known.some((one) => one.file === file && one.what.includes(what))

const { list, bytes } = await build()
const url = await bundle(bytes)
const queue = chosenFrom(list)
const total = queue.length
const survivors = []
let hangs = 0

async function work() {
  let worker = await ready(url)
  const { shown: wrong } = await attempt(worker, 0)
  if (wrong !== '') throw new Error(`without a mutant: ${wrong}`)
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const { shown, usable } = await attempt(worker, mutant.id)
    if (shown === '') {
      survivors.push(mutant)
      if (!isKnown(mutant)) console.log(`survives: assembly/${mutant.file}:${mutant.line}  ${mutant.what}`)
    }
    if (!usable) {
      hangs++
      await worker.terminate()
      worker = await ready(url)
    }
    const done = total - queue.length
    if (done % 250 === 0) console.log(`${done} of ${total}, ${survivors.length} survive`)
  }
  await worker.terminate()
}

await (await ready(url)).terminate()
await Promise.all(Array.from({ length: Number(options.workers) }, work))
rmSync(fileURLToPath(url))
writeFileSync(SURVIVORS, JSON.stringify(survivors))
const unknown = survivors.filter((mutant) => !isKnown(mutant))
console.log(
  `${total} mutants, ${expected.length} inputs each: ${total - survivors.length} killed (${hangs} by time), ` +
    `${survivors.length - unknown.length} known to change nothing that is promised, ${unknown.length} survive`,
)
process.exit(unknown.length === 0 ? 0 : 1)
