// What a program loads to have an adapter: files are counted, as each costs time before the first message.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const ADAPTERS = { 'dbus-next': 'install', 'dbus-native': 'install', jellybrick: 'accelerate' }

/** What a program prints, as JSON. */
function run(program: string, way: 'commonjs' | 'module', engine = ''): unknown {
  const { stdout, stderr, status } = spawnSync(process.execPath, [`--input-type=${way}`, '-e', program], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '', DBUS_CODEC_ENGINE: engine },
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

/** A call encoded and decoded over the adapter; then the files of ours that have been loaded. */
const FIRST_MESSAGE = `
  const message = require('dbus-native/lib/message')
  require('dbus-codec/adapters/dbus-native').install(message)
  const call = { type: 1, serial: 1, destination: 'a.b', path: '/', member: 'M', signature: 's', body: ['text'] }
  const [text] = message.unmarshall(message.marshall(call)).body
  const files = Object.keys(require.cache).map((file) => /[\\\\/]build[\\\\/](.*)$/.exec(file)?.[1].replace('\\\\', '/'))
  console.log(JSON.stringify([text, ...files.filter((file) => file !== undefined).sort()]))`

describe('what an adapter loads', () => {
  const [adapter, codec, entry] = ['adapters/dbus-native.cjs', 'chunk-js.cjs', 'index.cjs']

  test('is three files, the JavaScript engine and the Wasm bytes not among them', () => {
    expect(run(FIRST_MESSAGE, 'commonjs')).toEqual(['text', adapter, codec, entry])
  })

  test('is the JavaScript engine too where that runs', () => {
    expect(run(FIRST_MESSAGE, 'commonjs', 'js')).toEqual(['text', adapter, 'chunk-engine.cjs', codec, entry])
  })

  test('is of the peer nothing that it does not load itself, until it is asked for', () => {
    const program = `
      const message = require('dbus-native/lib/message')
      const file = require.resolve('dbus-native/lib/unmarshall')
      const before = file in require.cache
      const body = require('dbus-codec/adapters/dbus-native').install(message)
      // The peer alone reads such a signature.
      const values = () => body.unmarshall(Buffer.from('02726100', 'hex'), 'g')
      const imports = [file, require.resolve('dbus-native/lib/marshall')].map((name) => import(name))
      Promise.all(imports).then(([unmarshall, marshall]) => console.log(JSON.stringify([
        before,
        require('dbus-native/lib/unmarshall') === body.unmarshall,
        unmarshall.default === body.unmarshall && marshall.default === body.marshall,
        values(),
        require('dbus-native/lib/unmarshall') === body.unmarshall,
      ])))`
    expect(run(program, 'commonjs')).toEqual([false, true, true, ['ra'], true])
  })

  test.each(Object.entries(ADAPTERS))('is the same copy for import and require: %s', (name, exported) => {
    const program = `
      import { createRequire } from 'node:module'
      import { ${exported} } from 'dbus-codec/adapters/${name}'
      const required = createRequire(process.cwd() + '/')('dbus-codec/adapters/${name}')
      console.log(JSON.stringify([typeof ${exported}, required.${exported} === ${exported}]))`
    expect(run(program, 'module')).toEqual(['function', true])
  })
})
