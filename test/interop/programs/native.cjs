'use strict'
// A service and a client in the manner of dbus-native, for it and its fork.
const { EventEmitter } = require('node:events')
const { canonical } = require('./canonical.cjs')
const { ECHOES, REFUSALS } = require('./cases.cjs')
const { ECHO, NAME, PATH, TEST, FLOATS, memberOf, sleep, within } = require('./common.cjs')

/** style: how variants and dicts are written: 'class' and objects, 'pair' and pairs, or 'plain' and objects. */
function toPeer(dbus, value, style, inVariant) {
  if (Array.isArray(value)) return value.map((item) => toPeer(dbus, item, style, inVariant))
  if (value === null || typeof value !== 'object') return value
  if (value.v) {
    const inner = toPeer(dbus, value.v[1], style, true)
    return style === 'class' ? new dbus.Variant(value.v[0], inner) : style === 'pair' ? [value.v[0], inner] : inner
  }
  if (value.n) return dbus.Variant ? BigInt(value.n) : value.n
  if (value.f) return FLOATS[value.f]
  const pairs = value.d.map(([key, item]) => [toPeer(dbus, key, style), toPeer(dbus, item, style)])
  if (style === 'pair' || pairs.some(([key]) => key === '__proto__')) return pairs
  return Object.fromEntries(pairs)
}

function messageRecord(message) {
  const { serial: _serial, replySerial: _replySerial, ...rest } = message
  return canonical(Object.fromEntries(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))))
}

const declaration = {
  name: TEST,
  methods: {
    Add: ['dd', 'd', ['a', 'b'], ['sum']],
    Text: ['', 's', [], ['text']],
    Struct: ['', '(su)', [], ['both']],
    Fail: ['', '', [], []],
    Wrong: ['', 'u', [], ['number']],
    Bump: ['i', 's', ['step'], ['done']],
  },
  properties: { Title: 's', Level: 'y', Bytes: 'ay' },
  signals: { Bumped: ['ias', 'step', 'details'] },
}

async function service(_dbus, bus) {
  const seen = []
  const connection = bus.connection
  const [route] = connection.listeners('message')
  connection.removeListener('message', route)
  connection.on('message', (message) => {
    if (message.interface !== ECHO || message.type !== 1) return route(message)
    if (message.member === 'Quit') {
      bus.sendReply(message)
      setTimeout(() => {
        process.stdout.write(`${JSON.stringify(seen)}\n`, () => process.exit(0))
      }, 50)
      return
    }
    seen.push([message.member, messageRecord(message)])
    try {
      bus.sendReply(message, message.signature, message.body)
    } catch (error) {
      seen.push([`${message.member} not sent back`, canonical(error.message)])
      bus.sendError(message, 'org.dbuscodec.Error.Encode', 'cannot send back')
    }
  })
  const object = Object.assign(new EventEmitter(), {
    Title: 'first',
    Level: 4,
    Bytes: Buffer.from([1, 2, 3]),
    Add: (a, b) => a + b,
    Text: () => 'text',
    Struct: () => ['text', 7],
    Fail() {
      throw Object.assign(new Error('you asked for it'), { dbusName: 'org.dbuscodec.Error.Refused' })
    },
    Wrong: () => 7,
    Bump(step) {
      this.emit('Bumped', step, ['a', 'b'])
      return 'done'
    },
  })
  bus.exportInterface(object, PATH, declaration)
  await new Promise((resolve, reject) => bus.requestName(NAME, 0, (error) => (error ? reject(error) : resolve())))
}

function errorRecord(error) {
  if (Array.isArray(error)) return canonical(['array', error.name, error.message, ...error])
  return canonical([error?.constructor?.name, error?.name, error?.dbusName, error?.message])
}

async function client(dbus, bus) {
  const record = []
  const step = async (name, act) => record.push([name, await within(act)])
  const message = (member, signature, body) => ({ destination: NAME, path: PATH, interface: ECHO, member, signature, body })
  // The whole reply: the callback's `this` has it.
  const call = (request) =>
    new Promise((resolve) => {
      try {
        bus.invoke(request, function (error) {
          resolve(error ? errorRecord(error) : messageRecord(this.message))
        })
      } catch (error) {
        resolve(`throws ${error.message}`)
      }
    })

  const styles = dbus.Variant ? ['class', 'pair', 'plain'] : ['pair']
  for (const style of styles) {
    for (const [name, signature, values] of ECHOES) {
      if (style === 'plain' && !signature.includes('v')) continue
      await step(`${style}: ${name}`, () => call(message(memberOf(`${style}: ${name}`), signature, toPeer(dbus, values, style))))
    }
  }

  const stream = bus.connection.stream
  for (const [name, signature, values] of REFUSALS) {
    await step(name, async () => {
      let sent = 0
      stream.write = () => {
        sent++
        return true
      }
      try {
        bus.connection.message({
          type: 1,
          serial: 77,
          ...message('Refuse', signature, toPeer(dbus, values, dbus.Variant ? 'class' : 'pair')),
        })
      } finally {
        delete stream.write
      }
      return `sent ${sent}`
    })
  }
  await step('serial 2^32', async () => bus.connection.message({ ...message('M', 's', ['x']), serial: 2 ** 32 }))
  await step('no serial', async () => bus.connection.message({ ...message('M', 's', ['x']), serial: 0 }))

  await step('the same message twice', async () => {
    const twice = message('Twice', 'v', [['s', 'x']])
    return [await call(twice), await call(twice)].join()
  })
  await step('a hundred calls at once', async () => {
    const calls = Array.from({ length: 100 }, (_, i) => call(message('Many', 'u', [i])))
    return (await Promise.all(calls)).join()
  })
  await step('64-bit spellings', async () => {
    const spellings = [5, '7', '0xff', '-0x10', { low: 1, high: 2, unsigned: false }, 2 ** 53, 1.5, '', 'twelve', ' 12 ', '007']
    const outcomes = []
    for (const spelling of spellings) outcomes.push(await within(() => call(message('Spell', 'x', [spelling]))))
    return outcomes.join('\n')
  })
  await step('array-likes', async () =>
    Promise.all([
      call(message('Like', 'au', [new Uint32Array([1, 2, 4000000000])])),
      call(message('Like', 'ay', [Buffer.from([1, 2, 3])])),
      call(message('Like', 'ay', [new Uint16Array([1, 2])])),
      call(message('Like', 'ad', [new Float64Array([0.5])])),
      call(message('Like', 's', [Buffer.from('from a buffer')])),
      call(message('Like', 'as', [{ length: 2, 0: 'a', 1: 'b' }])),
    ]).then((all) => all.join('\n')),
  )
  if (dbus.Variant) {
    await step('inference', async () => {
      const values = [
        'text',
        true,
        5,
        2 ** 31,
        -(2 ** 31),
        1.5,
        5n,
        Buffer.from([1]),
        new Uint8Array([2]),
        [1, 2, 3],
        ['a', 'b', 'c'],
        [true, false, true],
        { a: 1, b: 'two', c: { d: [1.5, 2.5, 3.5] } },
        [{ a: 1 }, { b: 2 }, { c: 3 }],
        Object.assign(Object.create(null), { k: 'v' }),
        [[1, 2], [3], [4]],
        ['s', 'pair'],
        [],
        [1, 'a', 2],
        null,
        undefined,
        Number.NaN,
        () => {},
        new Date(0),
        new Map(),
      ]
      const outcomes = []
      for (const value of values) outcomes.push(await within(() => call(message('Infer', 'v', [value]))))
      return outcomes.join('\n')
    })
  }

  let test
  const get = (path, name) =>
    new Promise((resolve, reject) =>
      bus.getService(NAME).getInterface(path, name, (error, found) => (error ? reject(error) : resolve(found))),
    )
  const method = (name, ...args) =>
    new Promise((resolve) => test[name](...args, (error, ...results) => resolve(error ? errorRecord(error) : canonical(results))))
  await step('introspection', async () => {
    test = await get(PATH, TEST)
    return canonical([test.$methods, test.$properties, test.$signals, test.$name])
  })
  const heard = []
  await step('subscribe', async () => {
    test.on('Bumped', (...args) => heard.push(canonical(args)))
    await sleep(100)
  })
  await step('method', () => method('Add', 1.5, 2))
  await step('method with a text', () => method('Text'))
  await step('method with a struct', () => method('Struct'))
  await step('error reply', () => method('Fail'))
  await step('method with a number', () => method('Wrong'))
  await step('signal', () => method('Bump', 5))
  await step('unknown method', () => call({ destination: NAME, path: PATH, interface: TEST, member: 'Missing' }))
  await step('unknown object', () => call({ destination: NAME, path: '/missing', interface: TEST, member: 'Add' }))
  await step('unknown service', () => call({ destination: 'org.dbuscodec.Missing', path: PATH, interface: TEST, member: 'Add' }))
  const properties = 'org.freedesktop.DBus.Properties'
  await step('property', async () => [
    await call({ destination: NAME, path: PATH, interface: properties, member: 'Get', signature: 'ss', body: [TEST, 'Title'] }),
    await call({ destination: NAME, path: PATH, interface: properties, member: 'Get', signature: 'ss', body: [TEST, 'Bytes'] }),
  ])
  await step('properties', () =>
    call({ destination: NAME, path: PATH, interface: properties, member: 'GetAll', signature: 's', body: [TEST] }),
  )
  await step('set a property', () =>
    call({
      destination: NAME,
      path: PATH,
      interface: properties,
      member: 'Set',
      signature: 'ssv',
      body: [TEST, 'Title', ['s', 'second']],
    }),
  )
  await step(
    'property read back',
    () =>
      new Promise((resolve) => test.$readProp('Title', (error, value) => resolve(error ? errorRecord(error) : canonical(value)))),
  )
  await sleep(200)
  record.push(['heard', heard.join('\n')])
  await call(message('Quit', '', []))
  return record
}

module.exports = { service, client }
