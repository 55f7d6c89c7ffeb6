// The house rules that a machine can check: who may import whom, and what only one file may touch.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../', import.meta.url))

// Imports run from a later line to an earlier one, never the other way and never within a line. docs/architecture.md draws them.
const ASSEMBLY = [
  ['shared'],
  ['memory'],
  ['fault', 'plan'],
  ['tape'],
  ['window', 'utf8', 'names', 'intern'],
  ['signature', 'fields'],
  ['text'],
  ['read', 'write'],
  ['swap', 'header', 'compose'],
  ['index'],
]

const JS = [
  ['shared', 'types'],
  ['wire'],
  ['errors', 'steady', 'strings', 'values'],
  ['length'],
  ['engine', 'framer'],
  ['keys', 'check', 'texts'],
  ['tape'],
  ['reader'],
  ['bulk'],
  ['writer', 'path'],
  ['plan'],
  ['message', 'signature', 'names', 'output', 'options', 'prepare'],
  ['call', 'batch'],
  ['codec', 'embed'],
  ['common'],
  ['index', 'js'],
  ['adapters'],
  ['cli'],
]

// Of the rules above, what these parts may see at most.
const ONLY: Record<string, readonly string[]> = {
  types: ['types'],
  length: ['shared', 'wire', 'errors'],
  framer: ['shared', 'wire', 'errors', 'length'],
  engine: ['shared', 'wire', 'errors', 'steady', 'strings', 'values'],
  prepare: ['types'],
  embed: ['engine', 'strings'],
  adapters: ['adapters', 'index', 'framer', 'errors', 'values', 'types'],
  cli: ['cli', 'index'],
}

interface Source {
  path: string
  part: string
  text: string
}

interface Edge {
  from: Source
  to: string
  part: string
  type: boolean
}

function sources(folder: string): Source[] {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).sort()
  return entries
    .filter((entry) => entry.endsWith('.ts') && !entry.endsWith('.d.ts'))
    .map((entry) => ({ path: join(folder, entry), part: partOf(entry), text: readFileSync(join(ROOT, folder, entry), 'utf8') }))
}

/** The name that the lists above know a file by: its own, or its folder's. */
function partOf(entry: string): string {
  return entry.includes('/') ? entry.split('/')[0] : entry.replace(/\.ts$/, '')
}

function edges(source: Source): Edge[] {
  const pattern = /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm
  return [...source.text.matchAll(pattern)].map(([, type, named, called]) => {
    const specifier = named ?? called
    const inside = specifier.startsWith('.')
    const to = inside ? relative(ROOT, join(ROOT, dirname(source.path), specifier)) : specifier
    const [folder, ...rest] = to.split('/')
    const shared = folder === 'assembly' && rest[0] === 'shared'
    const part = shared ? 'shared' : inside ? partOf(rest.join('/').replace(/\.ts$/, '')) : specifier
    return { from: source, to: inside ? to.replace(/(\.ts)?$/, '.ts') : to, part, type: type !== undefined }
  })
}

const assembly = sources('assembly')
const js = sources('js')
const all = [...assembly, ...js]

function wrongEdges(files: Source[], layers: readonly string[][]): string[] {
  const rank = (part: string) => layers.findIndex((layer) => layer.includes(part))
  const wrong: string[] = []
  for (const edge of files.flatMap(edges)) {
    if (!edge.to.includes('/') || !edge.to.endsWith('.ts')) continue
    const { from, to, part } = edge
    const within = part === from.part && from.path.includes('/', from.path.indexOf('/') + 1)
    const down = rank(part) >= 0 && rank(part) < rank(from.part)
    const seen = ONLY[from.part]?.includes(part) ?? true
    if (!(within || down) || !seen) wrong.push(`${from.path} imports ${to}`)
  }
  return wrong
}

describe('imports', () => {
  test('of assembly/ run one way', () => {
    expect(assembly.map(({ part }) => part).filter((part) => !ASSEMBLY.flat().includes(part))).toEqual([])
    expect(wrongEdges(assembly, ASSEMBLY)).toEqual([])
  })

  test('of js/ run one way', () => {
    expect(js.map(({ part }) => part).filter((part) => !JS.flat().includes(part))).toEqual([])
    expect(wrongEdges(js, JS)).toEqual([])
  })

  test('name files that exist', () => {
    const missing = all
      .flatMap(edges)
      .filter(({ to, from }) => /^(js|assembly)\//.test(to) && !existsSync(join(ROOT, to)) && from)
    expect(missing.map(({ from, to }) => `${from.path}: ${to}`)).toEqual([])
  })

  test('make no circle', () => {
    const graph = new Map(
      all.map((source) => [
        source.path,
        edges(source)
          .filter(({ type }) => !type)
          .map(({ to }) => to),
      ]),
    )
    const circles: string[] = []
    const visit = (path: string, above: string[]) => {
      if (above.includes(path)) circles.push([...above.slice(above.indexOf(path)), path].join(' → '))
      else for (const next of graph.get(path) ?? []) visit(next, [...above, path])
    }
    for (const { path } of all) visit(path, [])
    expect([...new Set(circles)]).toEqual([])
  })

  test('of js/ take nothing from assembly/ but shared/, and of assembly/ nothing from js/', () => {
    const wrong = [...js, ...assembly].flatMap(edges).filter(({ from, to }) => {
      const [folder, sub] = to.split('/')
      if (from.path.startsWith('js/')) return folder === 'assembly' && sub !== 'shared'
      return folder === 'js'
    })
    expect(wrong.map(({ from, to }) => `${from.path}: ${to}`)).toEqual([])
  })

  test('of shared/ are none, and what it holds are integer literals', () => {
    for (const { path, text } of assembly.filter(({ part }) => part === 'shared')) {
      const code = text
        .replace(/\/\/.*$|\/\*[^]*?\*\//gm, '')
        .split('\n')
        .filter((line) => line.trim() !== '')
      expect(
        code.filter((line) => !/^export const [A-Z0-9_]+ = -?(0x[0-9a-fA-F]+|\d+)$/.test(line.trim())),
        path,
      ).toEqual([])
    }
  })

  test('of types.ts are types', () => {
    const runtime = js
      .filter(({ part }) => part === 'types')
      .flatMap(edges)
      .filter(({ type }) => !type)
    expect(runtime).toEqual([])
  })

  test('between adapters stay within one family of libraries', () => {
    const between = js
      .filter(({ part }) => part === 'adapters')
      .flatMap(edges)
      .filter(({ part }) => part === 'adapters')
    const named = between.map(({ from, to }) => `${from.path.slice('js/adapters/'.length)} ${to.slice('js/adapters/'.length)}`)
    expect([...new Set(named)].sort()).toEqual([
      'dbus-native.ts native-message.ts',
      'dbus-native.ts native-shape.ts',
      'dbus-next-register.ts dbus-next.ts',
      'dbus-next.ts next-family.ts',
      'jellybrick.ts next-family.ts',
    ])
  })

  test('from packages are none', () => {
    const packages = js.flatMap(edges).filter(({ to }) => !to.includes('.ts') && !/^(node|embedded):/.test(to))
    expect([...new Set(packages.map(({ from, to }) => `${from.path}: ${to}`))]).toEqual([])
  })
})

/** A file's code without comments and strings. */
function codeOf({ text }: Source): string {
  return text.replace(/\/\*[^]*?\*\/|\/\/.*$|'(?:[^'\\\n]|\\.)*'/gm, '')
}

function filesWith(files: Source[], pattern: RegExp): string[] {
  return files.filter((file) => pattern.test(codeOf(file))).map(({ path }) => path)
}

const HOSTED = /^js\/(adapters|cli)\//

describe('one place', () => {
  test('has raw loads and stores: assembly/memory.ts', () => {
    const raw = /\b(load|store)<|\b(v128|i8x16|i16x8|i32x4|i64x2)\.(load|store)|\bmemory\.(copy|fill|grow|size)\b/
    expect(filesWith(assembly, raw)).toEqual(['assembly/memory.ts'])
  })

  test('names WebAssembly: js/engine.ts', () => {
    expect(filesWith(js, /\bWebAssembly\b/).filter((path) => path !== 'js/engine.ts')).toEqual([])
    expect(filesWith(js, /\bWebAssembly\b/)).toContain('js/engine.ts')
  })

  test('uses node: modules and what only browsers have: js/adapters and js/cli', () => {
    const node = js.flatMap(edges).filter(({ to, from }) => to.startsWith('node:') && !HOSTED.test(from.path))
    expect(node.map(({ from, to }) => `${from.path}: ${to}`)).toEqual([])
    const names = /\b(document|window|navigator|localStorage|WebSocket|fetch|require)\s*[.(]|\bprocess\.(?!arch|env|config)/
    expect(filesWith(js, names).filter((path) => !HOSTED.test(path))).toEqual([])
    expect(filesWith(js, /\bBuffer\b/).filter((path) => !HOSTED.test(path) && path !== 'js/strings.ts')).toEqual([])
  })

  test('makes code from strings: none', () => {
    expect(filesWith(js, /\beval\s*\(|\bnew Function\b|\bFunction\s*\(/)).toEqual([])
  })

  test('waits at the top of a module: none', () => {
    expect(
      filesWith(
        js.filter(({ path }) => !HOSTED.test(path)),
        /^await\b|^(?:export )?const .*= await\b/m,
      ),
    ).toEqual([])
  })
})

test('no file holds two things: some 400 lines at most', () => {
  const files = [...all, ...sources('test')]
  const long = files.filter(({ text }) => text.trimEnd().split('\n').length > 420)
  expect(long.map(({ path, text }) => `${path}: ${text.split('\n').length}`)).toEqual([])
})

test('folders are two deep', () => {
  expect(all.map(({ path }) => path).filter((path) => path.split('/').length > 3)).toEqual([])
})
