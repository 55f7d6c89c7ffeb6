// The bundles. What `embedded:` modules are is said here once; vitest.config.ts takes the same plugin.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import terser from '@rollup/plugin-terser'
import { dts } from 'rollup-plugin-dts'

// What CommonJS loads when it is asked for: `import` can load nothing later without a promise.
const ENGINE = 'chunk-engine.cjs'
const WASM = 'chunk-wasm.cjs'

const built = (name) => fileURLToPath(new URL(`build/${name}`, import.meta.url))

// wasm2js writes a module that makes its own memory and instance when it is loaded; we want a function that makes them when asked.
function engineOf(source) {
  const end = source.indexOf('var memasmFunc')
  if (end < 0) throw new Error('wasm2js writes something else than expected')
  const body = source.slice(0, end).replace(/^import .*$/gm, '')
  return `export default function instantiate(env) {\n${body}\nreturn asmFunc({ env })\n}\n`
}

// The two Wasm modules are nearly the same: the second is embedded as what to keep of the first, and what to put in between.
const LEAST_KEPT = 8

/** `to` as steps `[start, end, hex]`: a slice of `from`, then new bytes. */
function stepsBetween(from, to) {
  const places = new Map()
  for (let at = from.length - LEAST_KEPT; at >= 0; at--) places.set(from.toString('latin1', at, at + LEAST_KEPT), at)
  const sameFrom = (a, b) => {
    let length = 0
    while (a + length < from.length && b + length < to.length && from[a + length] === to[b + length]) length++
    return length
  }
  const steps = [[0, 0, '']]
  let next = 0
  let fresh = 0
  for (let at = 0; at < to.length; ) {
    // Functions keep their order: going on a little further beats a match anywhere else.
    const skipped = next + (at - fresh)
    const near = sameFrom(skipped, at) >= LEAST_KEPT ? skipped : places.get(to.toString('latin1', at, at + LEAST_KEPT))
    if (near === undefined) {
      at++
      continue
    }
    const length = sameFrom(near, at)
    steps.at(-1)[2] = to.toString('hex', fresh, at)
    steps.push([near, near + length, ''])
    at += length
    fresh = at
    next = near + length
  }
  steps.at(-1)[2] = to.toString('hex', fresh)
  return steps
}

const hexModule = () => {
  const hex = readFileSync(built('simd.wasm')).toString('hex')
  return `export const hex = '${hex}'\nexport default (hexBytes) => hexBytes(hex)\n`
}
const stepsModule = () => {
  const steps = JSON.stringify(stepsBetween(readFileSync(built('simd.wasm')), readFileSync(built('baseline.wasm'))))
  const joined = "steps.map(([start, end, fresh]) => hex.slice(2 * start, 2 * end) + fresh).join('')"
  return `import { hex } from 'embedded:simd'\nconst steps = ${steps}\nexport default (hexBytes) => hexBytes(${joined})\n`
}
/** Reads the package's own file, when it lies beside this one: not in a bundle, nor where files cannot be read. */
const fileModule = (name) => `
  function read() {
    try {
      const bytes = process.getBuiltinModule('node:fs').readFileSync(\`\${__dirname}/${name}.wasm\`)
      return bytes.length === ${readFileSync(built(`${name}.wasm`)).length} ? bytes : undefined
    } catch {}
  }
  export default (hexBytes) => read() ?? require('./${WASM}').${name}(hexBytes)\n`

const EMBEDDED = {
  js: () => engineOf(readFileSync(built('engine.raw.js'), 'utf8')),
  simd: hexModule,
  baseline: stepsModule,
  wasm: () => "export { default as simd } from 'embedded:simd'\nexport { default as baseline } from 'embedded:baseline'\n",
}
/** For CommonJS, which can load what it needs when it needs it. */
const LOADED = {
  js: () => `export default (env) => require('./${ENGINE}')(env)`,
  simd: () => fileModule('simd'),
  baseline: () => fileModule('baseline'),
}

/**
 * The modules `embedded:simd` and `embedded:baseline` (functions that give the bytes; hexadecimal and steps from there) and
 * `embedded:js` (the same code as JavaScript). Compressed, hex is a fifth smaller than base64, which hides from the compressor
 * where bytes begin. `later`: they are in files of their own, read when the first codec is made, since all
 * that is in the source is parsed before anything runs (bench/startup).
 */
export function embedded(later = false) {
  return {
    name: 'embedded',
    enforce: 'pre',
    resolveId: (id) => (id.startsWith('embedded:') ? `\0${id}` : null),
    load(id) {
      if (!id.startsWith('\0embedded:')) return null
      const name = id.slice('\0embedded:'.length)
      return (later ? LOADED : EMBEDDED)[name]()
    },
  }
}

// `import` and `require` give the same types, not twins: a class with private members is told from its copy.
function typesForImport() {
  return {
    name: 'types-for-import',
    generateBundle(_, files) {
      for (const { fileName, exports, isEntry } of Object.values(files)) {
        if (!isEntry) continue
        const required = `./${fileName.replace(/^.*\/|\.d\.cts$/g, '')}.cjs`
        const source = exports.length > 0 ? `export * from '${required}'\n` : 'export {}\n'
        this.emitFile({ type: 'asset', fileName: fileName.replace(/cts$/, 'ts'), source })
      }
    },
  }
}

const entry = (name) => `build/tsc/js/${name}.js`
// What is there to be imported: the entry, the command line, and one file for each peer library.
const adapters = readdirSync(fileURLToPath(new URL('js/adapters', import.meta.url)))
  .filter((file) => /^(dbus-next|dbus-next-register|dbus-native|jellybrick)\.ts$/.test(file))
  .map((file) => `adapters/${file.slice(0, -3)}`)
const inputs = Object.fromEntries(['index', 'js', ...adapters].map((name) => [name, entry(name)]))
// Small; the names of classes stay, since errors and inspection show them.
const small = terser({
  module: true,
  ecma: 2020,
  keep_classnames: true,
  // A function that is used once must not become one that is made anew at each call.
  compress: { passes: 2, reduce_funcs: false },
  // Bundlers leave out what is marked pure and not used.
  // A stack trace of an uncaught error prints the line: a short one.
  // V8 reads a source of ASCII alone a quarter sooner than one that needs two bytes a character (bench/startup).
  format: { preserve_annotations: true, max_line_len: 600, ascii_only: true },
})
const external = /^node:|^dbus-codec$/

const bundle = (input, plugins, output) => ({
  input,
  external,
  plugins: [...plugins, small],
  output: { dir: 'build', ...output },
})

/** What is required by name for each that is imported by name. The peers are CommonJS: one copy serves both, and it starts sooner. */
const adaptersForImport = {
  name: 'adapters-for-import',
  generateBundle(_, files) {
    for (const { fileName, exports, isEntry } of Object.values(files)) {
      const name = /^adapters\/(.*)\.cjs$/.exec(fileName)?.[1]
      if (!isEntry || name === undefined) continue
      const source = exports.length > 0 ? `export { ${exports.join(', ')} } from './${name}.cjs'\n` : `import './${name}.cjs'\n`
      this.emitFile({ type: 'asset', fileName: `adapters/${name}.js`, source })
    }
  },
}

export default [
  bundle({ index: inputs.index, js: inputs.js }, [embedded()], {
    format: 'es',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[name].js',
  }),
  bundle(inputs, [embedded(true), adaptersForImport], {
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunk-[name].cjs',
    exports: 'named',
  }),
  bundle({ engine: 'embedded:js' }, [embedded()], { format: 'cjs', entryFileNames: ENGINE, exports: 'default' }),
  bundle({ wasm: 'embedded:wasm' }, [embedded()], { format: 'cjs', entryFileNames: WASM, exports: 'named' }),
  {
    input: { cli: entry('cli/main') },
    // The command line is a user of the package like any other.
    external: (id) => external.test(id) || id.endsWith('/index.js'),
    plugins: [embedded(), small],
    output: {
      dir: 'build',
      format: 'es',
      entryFileNames: '[name].js',
      chunkFileNames: 'cli-[name].js',
      banner: '#!/usr/bin/env node',
      paths: (id) => (id.endsWith('/index.js') ? './index.js' : id),
    },
  },
  // One file of types for each entry.
  {
    input: Object.fromEntries(Object.entries(inputs).map(([name, file]) => [name, file.replace(/\.js$/, '.d.ts')])),
    external,
    plugins: [dts(), typesForImport()],
    output: { dir: 'build', format: 'es', entryFileNames: '[name].d.cts', chunkFileNames: 'types-[name].d.cts' },
  },
]
