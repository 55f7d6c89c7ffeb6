// The adapters as CommonJS files, for child processes that cannot read TypeScript.
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'
import { embedded } from '../../rollup.config.js'

const SOURCES = join(import.meta.dirname, '../../js/adapters')
const NAMES = ['dbus-next', 'dbus-next-register', 'dbus-native', 'jellybrick']

/** The folder with NAME.cjs of each adapter; who asks for it removes it. */
export async function buildAdapters(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'dbus-codec-adapters-'))
  const input = Object.fromEntries(
    NAMES.map((name) => [name, join(SOURCES, `${name}.ts`)] as const).filter(([, file]) => existsSync(file)),
  )
  if (Object.keys(input).length === 0) return folder
  await build({
    configFile: false,
    logLevel: 'error',
    plugins: [embedded()],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: folder,
      minify: false,
      rollupOptions: {
        input,
        output: { format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name]-[hash].cjs' },
      },
    },
  })
  return folder
}
