// Stands in for vitest on hosts where vitest itself cannot run (another processor, no JIT, little address space): the same test
// files, bundled, with vitest's own `expect` and this small runner, which knows what these files use.
import { writeFileSync } from 'node:fs'
import { chai, JestAsymmetricMatchers, JestChaiExpect, JestExtend } from '@vitest/expect'

type Body = (...args: never[]) => unknown
interface Test {
  name: string
  run: () => unknown
}
interface Suite {
  name: string
  tests: (Test | Suite)[]
  before: Body[]
  after: Body[]
}

chai.use(JestExtend)
chai.use(JestChaiExpect)
chai.use(JestAsymmetricMatchers)
export const expect = chai.expect

const root: Suite = { name: '', tests: [], before: [], after: [] }
let current = root

function addTest(name: string, ...rest: unknown[]): void {
  const run = rest.find((part) => typeof part === 'function') as Body
  current.tests.push({ name, run: () => run() })
}

function addSuite(name: string, body: Body): void {
  const outer = current
  const suite: Suite = { name, tests: [], before: [], after: [] }
  outer.tests.push(suite)
  current = suite
  body()
  current = outer
}

const nothing = () => {}

function withVariants(add: (name: string, ...rest: unknown[]) => void) {
  const each =
    (rows: Iterable<unknown>) =>
    (name: string, ...rest: unknown[]) => {
      const body = rest.find((part) => typeof part === 'function') as Body
      for (const row of rows) {
        const values = Array.isArray(row) ? row : [row]
        add(`${name} ${describeValues(values)}`, () => body(...(values as never[])))
      }
    }
  const none = Object.assign(nothing, { each: () => nothing, skipIf: () => none as unknown })
  const all = Object.assign(add, { each, skip: none, skipIf: (skip: boolean) => (skip ? none : all) as unknown })
  return all
}

function describeValues(values: readonly unknown[]): string {
  return values
    .filter((value) => typeof value !== 'object' && typeof value !== 'function')
    .join(' ')
    .slice(0, 80)
}

export const test = withVariants(addTest)
export const it = test
export const describe = withVariants(addSuite as never)
export const beforeAll = (body: Body) => current.before.push(body)
export const afterAll = (body: Body) => current.after.push(body)

const counts = { passed: 0, failed: 0 }

async function runSuite(suite: Suite, above: string[]): Promise<void> {
  const path = suite.name === '' ? above : [...above, suite.name]
  for (const body of suite.before) await body()
  for (const entry of suite.tests) {
    if ('tests' in entry) await runSuite(entry, path)
    else await runTest(entry, path)
  }
  for (const body of suite.after) await body()
}

async function runTest(entry: Test, path: string[]): Promise<void> {
  try {
    await entry.run()
    counts.passed++
  } catch (error) {
    counts.failed++
    const { message, stack } = error as Error
    const place =
      stack
        ?.split('\n')
        .find((line) => /^\s+at .*\.test/.test(line))
        ?.trim() ?? ''
    console.log(`FAILED ${[...path, entry.name].join(' > ')}\n${message.slice(0, 2000)}\n${place}`)
  }
}

/** Runs what the bundled files have declared, and says how it went. */
export async function runAll(): Promise<void> {
  await runSuite(root, [])
  console.log(`${counts.passed} passed, ${counts.failed} failed`)
  const report = process.env.DBUS_CODEC_TEST_REPORT
  if (report) writeFileSync(report, JSON.stringify({ numPassedTests: counts.passed, numFailedTests: counts.failed }))
  if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1
}
