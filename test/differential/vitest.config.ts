// npm run test:differential: a suite of its own, since it puts millions of inputs to several codecs.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { embedded } from '../../rollup.config.js'

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  plugins: [embedded()],
  test: {
    include: ['test/differential/*.differential.ts'],
    globalSetup: ['test/differential/summary.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // A limit against a hang, far beyond what the slowest machine needs.
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
  },
})
