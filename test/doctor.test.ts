// dbus-codec doctor, in projects made for it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../js/cli/commands.ts'

let project: string
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'dbus-codec-doctor-'))
})
afterEach(() => rmSync(project, { recursive: true, force: true }))

function put(path: string, content: string): void {
  const file = join(project, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

const installed = (path: string, version: string) => put(`${path}/package.json`, JSON.stringify({ version }))

async function doctor(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = ''
  let err = ''
  const terminal = {
    columns: 130,
    colour: false,
    write: (text: string) => {
      out += text
    },
    warn: (text: string) => {
      err += text
    },
  }
  const code = await runCommand(['doctor', ...args], terminal)
  return { code, out, err }
}

test('tells the engine and why it runs, whatever the project has', async () => {
  const { code, out } = await doctor(project)
  expect(code).toBe(0)
  expect(out).toMatch(/^engine +(simd|baseline|js): .+/)
  expect(out).toMatch(/libraries none/)
})

test('finds each copy of a library, its version, and whether the adapter is in use', async () => {
  installed('node_modules/dbus-next', '0.10.2')
  installed('node_modules/@jellybrick/dbus-next', '0.11.3')
  installed('node_modules/other/node_modules/dbus-native', '0.2.5')
  put('package.json', JSON.stringify({ scripts: { start: 'node -r dbus-codec/adapters/dbus-next/register app.js' } }))
  put('src/app.ts', "import { install } from 'dbus-codec/adapters/dbus-native'\n")
  // What packages mention is not the project's doing.
  put('node_modules/other/index.js', "require('dbus-codec/adapters/jellybrick')\n")
  const { out } = await doctor(project)
  const copies = out.split('\n\n').slice(1)
  expect(copies).toHaveLength(3)
  expect(copies[0]).toMatch(/@jellybrick\/dbus-next 0\.11\.3.*\n.*tested with\n.*not in use.*\n.*accelerate\(bus\)/)
  expect(copies[1]).toMatch(/dbus-next 0\.10\.2 +node_modules\/dbus-next\n.*tested with\n.*in use: package\.json/)
  expect(copies[2]).toMatch(
    /dbus-native 0\.2\.5 +node_modules\/other\/node_modules\/dbus-native\n.*written for 0\.16\.x.*\n.*in use: src\/app\.ts/,
  )
})

test('looks above the project as well, and at NODE_OPTIONS', async () => {
  installed('node_modules/dbus-next', '0.10.2')
  mkdirSync(join(project, 'packages/app'), { recursive: true })
  const before = process.env['NODE_OPTIONS']
  process.env['NODE_OPTIONS'] = '--import dbus-codec/adapters/dbus-next/register'
  try {
    expect((await doctor(join(project, 'packages/app'))).out).toMatch(/dbus-next 0\.10\.2.*\n.*\n.*in use: NODE_OPTIONS/)
  } finally {
    if (before === undefined) delete process.env['NODE_OPTIONS']
    else process.env['NODE_OPTIONS'] = before
  }
})

test('shows nothing raw of what a project is made of', async () => {
  installed('node_modules/dbus-next', '0.10.2\u001b[2J')
  expect((await doctor(project)).out).not.toContain('\u001b')
})

test('says what it takes', async () => {
  expect(await doctor(join(project, 'missing'))).toMatchObject({ code: 2, err: expect.stringContaining('no such directory') })
  expect(await doctor('a', 'b')).toMatchObject({ code: 2, err: expect.stringContaining('doctor takes one directory') })
})
