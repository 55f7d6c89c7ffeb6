// What others build on, so that it cannot change by accident: names exported, Wasm exports and imports, package contents, sizes.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { wasm } from './webassembly.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

describe('the public API', () => {
  test('has these names', async () => {
    expect(Object.keys(await import('../js/index.ts')).sort()).toMatchInlineSnapshot(`
      [
        "DBusCodecError",
        "MessageFlag",
        "MessageFramer",
        "MessageType",
        "Variant",
        "createCodec",
        "isBusName",
        "isDBusCodecError",
        "isErrorName",
        "isInterfaceName",
        "isMemberName",
        "isObjectPath",
        "isSignature",
        "loadCodec",
        "messageLength",
        "parseSignature",
      ]
    `)
  })

  test('is the same without Wasm', async () => {
    expect(Object.keys(await import('../js/js.ts')).sort()).toEqual(Object.keys(await import('../js/index.ts')).sort())
  })

  test('has these types', () => {
    const names = declarations('index').flatMap((statement) =>
      ts.isExportDeclaration(statement) && statement.exportClause !== undefined && ts.isNamedExports(statement.exportClause)
        ? statement.exportClause.elements.map(({ name }) => name.text)
        : [],
    )
    expect(names.filter((name) => /^[A-Z]/.test(name)).sort()).toMatchInlineSnapshot(`
      [
        "BodyOf",
        "BodyOptions",
        "ByteOrder",
        "CheckedSignature",
        "Codec",
        "CodecOptions",
        "DBusCodecError",
        "DecodeOptions",
        "DefaultShape",
        "EncodeOptions",
        "EngineChoice",
        "EngineName",
        "FaultCode",
        "HandedOver",
        "HeaderFieldName",
        "InputBodyOf",
        "InputOf",
        "LoadOptions",
        "Message",
        "MessageFlag",
        "MessageFramer",
        "MessageFramerOptions",
        "MessageHeader",
        "MessageInput",
        "MessageType",
        "NumberArray",
        "PreparedMessage",
        "Shape",
        "ShapeOf",
        "ShapeOptions",
        "SignatureError",
        "TypeNode",
        "ValueOf",
        "Variant",
        "Verdict",
      ]
    `)
  })

  test('has a codec with these methods, which the codec has', async () => {
    const { createCodec } = await import('../js/index.ts')
    const codec = createCodec()
    const names = declarations('js')
      .filter((statement) => ts.isClassDeclaration(statement))
      .filter(({ name }) => name?.text === 'Codec')
      .flatMap(({ members }) => members.filter(isPublic).map(({ name }) => (name as ts.Identifier).text))
    for (const name of names) expect(codec).toHaveProperty(name)
    expect([...new Set(names)].sort()).toMatchInlineSnapshot(`
      [
        "decode",
        "decodeBody",
        "decodeHeader",
        "decodeMany",
        "encode",
        "encodeInto",
        "encodeMany",
        "encodeSegments",
        "marshal",
        "messageLength",
        "prepare",
        "setHeaderField",
        "swap",
        "unmarshal",
        "validate",
      ]
    `)
  })
})

function declarations(entry: string): readonly ts.Statement[] {
  const text = readFileSync(join(ROOT, `build/${entry}.d.cts`), 'utf8')
  return ts.createSourceFile(`${entry}.d.cts`, text, ts.ScriptTarget.Latest).statements
}

function isPublic(member: ts.ClassElement): boolean {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected
  return member.name !== undefined && ts.isIdentifier(member.name) && (ts.getCombinedModifierFlags(member) & hidden) === 0
}

describe.each(['simd', 'baseline'])('build/%s.wasm', (name) => {
  const bytes = readFileSync(join(ROOT, `build/${name}.wasm`))
  const module = new wasm.Module(bytes)

  test('exports functions alone, and imports memory and the way to the message', () => {
    const exported = wasm.Module.exports(module).map(({ kind, name }) => `${kind} ${name}`)
    const imported = wasm.Module.imports(module).map(({ kind, module, name }) => `${kind} ${module}.${name}`)
    expect({ exported: exported.sort(), imported: imported.sort() }).toMatchSnapshot()
  })

  test('has at most 24 KiB', () => {
    expect(bytes.length).toBeLessThanOrEqual(24 * 1024)
  })
})

test('both modules export and import the same', () => {
  const [simd, baseline] = ['simd', 'baseline'].map((name) => {
    const module = new wasm.Module(readFileSync(join(ROOT, `build/${name}.wasm`)))
    return { exports: wasm.Module.exports(module), imports: wasm.Module.imports(module) }
  })
  expect(simd).toEqual(baseline)
})

test('the baseline module uses nothing newer than the first WebAssembly', () => {
  const text = readFileSync(join(ROOT, 'build/baseline.wasm'))
  // Neither the SIMD prefix's types (v128 is 0x7b) in a signature nor a section that counts data for bulk memory.
  const sections = sectionsOf(text)
  expect(sections.map(({ id }) => id)).not.toContain(12)
  expect([...(sections.find(({ id }) => id === 1)?.bytes ?? [])]).not.toContain(0x7b)
})

function sectionsOf(bytes: Uint8Array): { id: number; bytes: Uint8Array }[] {
  const sections: { id: number; bytes: Uint8Array }[] = []
  for (let at = 8; at < bytes.length; ) {
    const id = bytes[at++]
    let length = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]
      length |= (byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    sections.push({ id, bytes: bytes.subarray(at, at + length) })
    at += length
  }
  return sections
}

describe('the package', () => {
  const packed = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT, encoding: 'utf8' }),
  )[0]
  const files: string[] = packed.files.map(({ path }: { path: string }) => path).sort()

  test('holds these files', () => {
    expect(files).toMatchSnapshot()
  })

  test('is at most 150 kB, compressed', () => {
    expect(packed.size).toBeLessThanOrEqual(150_000)
  })

  test('depends on nothing', () => {
    for (const key of ['dependencies', 'optionalDependencies', 'bundledDependencies']) {
      expect(Object.keys(manifest[key] ?? {}), key).toEqual([])
    }
    // The libraries that an adapter exists for: npm must not install them.
    const optional = Object.keys(manifest.peerDependencies).map((name) => [name, { optional: true }])
    expect(manifest.peerDependenciesMeta).toEqual(Object.fromEntries(optional))
    for (const key of ['preinstall', 'install', 'postinstall']) expect(manifest.scripts[key], key).toBeUndefined()
  })

  test('exports files that it holds', () => {
    const targets: string[] = []
    const collect = (entry: unknown) => {
      if (typeof entry === 'string') targets.push(entry.replace(/^\.\//, ''))
      else if (entry !== null && typeof entry === 'object') Object.values(entry).forEach(collect)
    }
    collect(manifest.exports)
    collect([manifest.main, manifest.types, manifest.bin])
    expect(targets.length).toBeGreaterThan(3)
    for (const target of targets.filter((target) => !target.includes('*'))) expect(files, target).toContain(target)
    expect(manifest.exports).toHaveProperty(['./package.json'])
    expect(Object.keys(manifest.exports).some((key) => key.endsWith('.wasm'))).toBe(true)
  })

  const scripts = files.filter((file) => /\.c?js$/.test(file))

  test('makes no code from strings', () => {
    for (const file of scripts) {
      expect(readFileSync(join(ROOT, file), 'utf8'), file).not.toMatch(/\beval\s*\(|\bFunction\s*\(/)
    }
  })

  test('takes nothing but its own files, Node modules where Node is, and what an adapter is for', () => {
    const outside = scripts.flatMap((file) =>
      importsOf(file)
        .filter((name) => !name.startsWith('.'))
        .map((name) => `${file}: ${name}`),
    )
    expect(outside.filter((edge) => !/^build\/(adapters\/|chunk-next-family|cli).*: node:/.test(edge))).toEqual([])
  })

  test('waits for nothing at import', () => {
    for (const file of scripts.filter((file) => file !== 'build/cli.js')) {
      const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest)
      const waits = (node: ts.Node): boolean =>
        ts.isAwaitExpression(node) || (!ts.isFunctionLike(node) && (ts.forEachChild(node, waits) ?? false))
      expect(waits(source), file).toBe(false)
    }
  })

  test('has an entry without any Wasm', () => {
    const code = ['simd', 'baseline'].map((name) =>
      readFileSync(join(ROOT, `build/${name}.wasm`))
        .toString('hex')
        .slice(0, 100),
    )
    const has = (entry: string) =>
      closure(entry).some((file) => code.some((text) => readFileSync(join(ROOT, file), 'utf8').includes(text)))
    for (const extension of ['js', 'cjs']) {
      expect(has(manifest.exports['.'][extension === 'js' ? 'import' : 'require'].default.slice(2))).toBe(true)
      expect(has(manifest.exports['./js'][extension === 'js' ? 'import' : 'require'].default.slice(2))).toBe(false)
    }
  })

  test('has no machine path in it', () => {
    for (const file of files.filter((file) => existsSync(join(ROOT, file)) && /\.(js|cjs|ts|json|md|map)$/.test(file))) {
      expect(readFileSync(join(ROOT, file), 'utf8').includes(ROOT.slice(0, -1)), file).toBe(false)
    }
  })
})

/** What a script takes by `import`, `export … from` or `require`. */
function importsOf(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined) {
      found.push((node.moduleSpecifier as ts.StringLiteral).text)
    }
    const called =
      ts.isCallExpression(node) && (node.expression.kind === ts.SyntaxKind.ImportKeyword || isRequire(node.expression))
    if (called && ts.isStringLiteralLike(node.arguments[0])) found.push(node.arguments[0].text)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function isRequire(callee: ts.Expression): boolean {
  return ts.isIdentifier(callee) && callee.text === 'require'
}

/** A script and all that it takes of the package. */
function closure(entry: string, seen: string[] = []): string[] {
  if (seen.includes(entry)) return seen
  seen.push(entry)
  for (const name of importsOf(entry).filter((name) => name.startsWith('.'))) closure(join(entry, '..', name), seen)
  return seen
}
