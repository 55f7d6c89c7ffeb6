// Bundles the codec's tests into one file that needs nothing but Node and the built package (build/index.js).
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'vite'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
export const BUILD = join(ROOT, 'build/hosts')

// The tests of the codec itself. The others ask about the sources, the package or tools, which no host changes.
const LIGHT = ['corpus', 'decode', 'encode', 'framer', 'header', 'length', 'signature']
const SUITE = [...LIGHT, 'bug-reports', 'framer-memory', 'generated', 'large', 'reentry', 'window']

/** `light`: the part that finds what a host changes, for hosts ten times slower than this one. */
export async function bundleSuite({ light = false } = {}) {
  const files = (light ? LIGHT : SUITE).map((name) => `${name}.test.ts`)
  const imports = ['hosts/host.test.ts', ...files].map((file) => `import ${JSON.stringify(join(ROOT, 'test', file))}`)
  const entry = 'virtual:suite'
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    plugins: [
      {
        name: 'suite',
        enforce: 'pre',
        resolveId(source, importer) {
          if (source === entry) return `\0${entry}`
          if (source === 'vitest') return join(ROOT, 'test/hosts/vitest.ts')
          const target = source.startsWith('.') && importer ? join(dirname(importer), source) : ''
          const external = relative(BUILD, join(ROOT, 'build/index.js'))
          return target === join(ROOT, 'js/index.ts') ? { id: external, external: true } : null
        },
        load(id) {
          if (id !== `\0${entry}`) return null
          const runner = JSON.stringify(join(ROOT, 'test/hosts/vitest.ts'))
          return [...imports, `import { runAll } from ${runner}`, 'await runAll()'].join('\n')
        },
        transform(code, id) {
          // Tests find their vectors from where they stand, not from where the bundle does.
          if (!id.startsWith(join(ROOT, 'test'))) return null
          return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
        },
      },
    ],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'node20',
      outDir: BUILD,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: {
        input: entry,
        treeshake: false,
        output: { entryFileNames: light ? 'light.mjs' : 'suite.mjs', format: 'es' },
      },
    },
  })
  return join(BUILD, light ? 'light.mjs' : 'suite.mjs')
}
