// Compiles consumer.ts with every TypeScript version in package.json, against the source and, once built, the declarations.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../../..')
const { dependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
const built = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).types ?? 'build/index.d.ts'
const subjects = ['js/types.ts', built].filter((path) => existsSync(join(root, path)))

const folder = mkdtempSync(join(tmpdir(), 'dbus-codec-types-'))
let passed = 0
let failed = 0
try {
  for (const subject of subjects) {
    for (const exact of [true, false]) {
      const config = join(folder, 'tsconfig.json')
      writeFileSync(
        config,
        JSON.stringify({
          compilerOptions: {
            strict: true,
            exactOptionalPropertyTypes: exact,
            noUncheckedIndexedAccess: exact,
            noEmit: true,
            skipLibCheck: false,
            target: 'ES2022',
            module: 'ESNext',
            moduleResolution: 'Bundler',
            types: [],
            paths: { subject: [join(root, subject)] },
          },
          files: [join(here, 'consumer.ts')],
        }),
      )
      for (const name of Object.keys(dependencies)) {
        const tsc = join(here, 'node_modules', name, 'bin/tsc')
        const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', config], { encoding: 'utf8' })
        if (status === 0) passed++
        else failed++
        console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}, ${subject}, ${exact ? 'strictest' : 'strict'}`)
        if (status !== 0) console.log(stdout + stderr)
      }
    }
  }
} finally {
  rmSync(folder, { recursive: true })
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
