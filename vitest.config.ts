import { defineConfig } from 'vitest/config'
import { embedded } from './rollup.config.js'

export default defineConfig({
  plugins: [embedded()],
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    // Two cores are what a small machine has; the tests with a daemon or a compiler of their own wait for it.
    maxWorkers: 2,
  },
})
