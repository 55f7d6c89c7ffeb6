'use strict'
// A service and a client in the manner of dbus-next, for it and its fork.
const { canonical } = require('./canonical.cjs')
const { ECHOES, REFUSALS } = require('./cases.cjs')
const { ECHO, NAME, PATH, TEST, FLOATS, memberOf, sleep, within } = require('./common.cjs')

function toPeer(dbus, value) {
  if (Array.isArray(value)) return value.map((item) => toPeer(dbus, item))
  if (value === null || typeof value !== 'object') return value
  if (value.v) return new dbus.Variant(value.v[0], toPeer(dbus, value.v[1]))
  if (value.n) return dbus.int64 ? dbus.int64(value.n) : BigInt(value.n)
  if (value.f) return FLOATS[value.f]
  const object = {}
  for (const [key, item] of value.d) {
    // Defined, not assigned: "__proto__" is a key like another.
    Object.defineProperty(object, String(toPeer(dbus, key)), {
      value: toPeer(dbus, item),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return object
}

function messageRecord(message) {
  const { type, path, interface: iface, member, errorName, destination, sender, signature, flags, body } = message
  return canonical([message.constructor.name, type, path, iface, member, errorName, destination, sender, signature, flags, body])
}

function testInterface(dbus) {
  const { Interface } = dbus.interface
  class Test extends Interface {
    constructor() {
      super(TEST)
      // In the fork the constructor hides what configureMembers put on the prototype.
      for (const name of ['$properties', '$methods', '$signals']) if (this[name] === undefined) delete this[name]
      this._title = 'first'
      this._level = 4
    }
    get Title() {
      return this._title
    }
    set Title(value) {
      this._title = value
      Interface.emitPropertiesChanged(this, { Title: value }, ['Level'])
    }
    get Level() {
      return this._level
    }
    get Map() {
      return {
        k: new dbus.Variant('ay', Buffer.from([1, 2, 3])),
        l: new dbus.Variant('(sx)', ['m', dbus.int64 ? dbus.int64('5') : 5n]),
      }
    }
    Add(a, b) {
      return a + b
    }
    Multi() {
      return ['text', 7]
    }
    Nothing() {}
    Fail() {
      throw new dbus.DBusError('org.dbuscodec.Error.Refused', 'you asked for it')
    }
    Wrong() {
      return 'not a number'
    }
    Bump(step) {
      this.Bumped(step, { by: new dbus.Variant('i', step) })
    }
    Bumped(step, details) {
      return [step, details]
    }
  }
  Test.configureMembers({
    properties: {
      Title: { signature: 's' },
      Level: { signature: 'y', access: dbus.interface.ACCESS_READ },
      Map: { signature: 'a{sv}', access: dbus.interface.ACCESS_READ },
    },
    methods: {
      Add: { inSignature: 'dd', outSignature: 'd' },
      Multi: { outSignature: 'su' },
      Nothing: {},
      Fail: {},
      Wrong: { outSignature: 'u' },
      Bump: { inSignature: 'i' },
    },
    signals: { Bumped: { signature: 'ia{sv}' } },
  })
  return new Test()
}

async function service(dbus, bus) {
  const seen = []
  const { Message } = dbus
  bus.addMethodHandler((message) => {
    if (message.interface !== ECHO) return false
    if (message.member === 'Quit') {
      bus.send(Message.newMethodReturn(message))
      setTimeout(() => {
        process.stdout.write(`${JSON.stringify(seen)}\n`, () => process.exit(0))
      }, 50)
      return true
    }
    seen.push([message.member, messageRecord(message)])
    try {
      bus.send(Message.newMethodReturn(message, message.signature, message.body))
    } catch (error) {
      seen.push([`${message.member} not sent back`, canonical(error.message)])
      bus.send(Message.newError(message, 'org.dbuscodec.Error.Encode', 'cannot send back'))
    }
    return true
  })
  bus.export(PATH, testInterface(dbus))
  await bus.requestName(NAME, 0)
}

async function client(dbus, bus) {
  const { Message } = dbus
  const record = []
  const step = async (name, act) => record.push([name, await within(act)])
  const message = (member, signature, body) =>
    new Message({ destination: NAME, path: PATH, interface: ECHO, member, signature, body })

  for (const [name, signature, values] of ECHOES) {
    await step(name, async () => messageRecord(await bus.call(message(memberOf(name), signature, toPeer(dbus, values)))))
  }

  const stream = bus._connection.stream
  for (const [name, signature, values] of REFUSALS) {
    await step(name, async () => {
      let sent = 0
      stream.write = () => {
        sent++
        return true
      }
      try {
        bus.send(message('Refuse', signature, toPeer(dbus, values)))
      } finally {
        delete stream.write
      }
      return `sent ${sent}`
    })
  }

  await step('the same message twice', async () => {
    const twice = message('Twice', 'v', [new dbus.Variant('s', 'x')])
    await bus.call(twice)
    return messageRecord(await bus.call(twice))
  })
  await step('a hundred calls at once', async () => {
    const calls = Array.from({ length: 100 }, (_, i) => bus.call(message('Many', 'u', [i])))
    return (await Promise.all(calls)).map((reply) => reply.body[0]).join()
  })

  let object
  await step('introspection', async () => {
    object = await bus.getProxyObject(NAME, PATH)
    return canonical([Object.keys(object.interfaces), object.nodes])
  })
  if (!object?.interfaces[TEST]) return record
  const test = object.getInterface(TEST)
  const properties = object.getInterface('org.freedesktop.DBus.Properties')
  const heard = []
  await step('members', async () => canonical([test.$methods, test.$properties, test.$signals]))
  await step('subscribe', async () => {
    test.on('Bumped', (...args) => heard.push(canonical(args)))
    properties.on('PropertiesChanged', (...args) => heard.push(canonical(args)))
    await sleep(100)
  })
  await step('method', async () => canonical(await test.Add(1.5, 2)))
  await step('method with two results', async () => canonical(await test.Multi()))
  await step('method without result', async () => canonical(await test.Nothing()))
  await step('error reply', async () =>
    test.Fail().catch((error) => canonical([error.constructor.name, error.type, error.text, error.message])),
  )
  await step('wrong result', async () => test.Wrong().then(canonical, (error) => `${error.type} ${error.constructor.name}`))
  await step('unknown method', async () =>
    bus
      .call(new Message({ destination: NAME, path: PATH, interface: TEST, member: 'Missing' }))
      .catch((error) => canonical([error.type, error.text])),
  )
  await step('unknown object', async () =>
    bus
      .call(new Message({ destination: NAME, path: '/missing', interface: TEST, member: 'Add', signature: 'dd', body: [1, 2] }))
      .catch((error) => canonical([error.type, error.text])),
  )
  await step('unknown service', async () =>
    bus
      .call(new Message({ destination: 'org.dbuscodec.Missing', path: PATH, interface: TEST, member: 'Add' }))
      .catch((error) => canonical([error.type, error.text])),
  )
  await step('property', async () => canonical([await properties.Get(TEST, 'Title'), await properties.Get(TEST, 'Level')]))
  await step('properties', async () => canonical(await properties.GetAll(TEST)))
  await step('set a property', async () => canonical(await properties.Set(TEST, 'Title', new dbus.Variant('s', 'second'))))
  await step('set a read-only property', async () =>
    properties.Set(TEST, 'Level', new dbus.Variant('y', 1)).catch((error) => canonical([error.type, error.text])),
  )
  await step('set with a wrong type', async () =>
    properties.Set(TEST, 'Title', new dbus.Variant('u', 1)).catch((error) => canonical([error.type, error.text])),
  )
  await step('signal', async () => test.Bump(5))
  await sleep(200)
  record.push(['heard', heard.join('\n')])
  await bus.call(message('Quit', '', []))
  return record
}

module.exports = { service, client }
