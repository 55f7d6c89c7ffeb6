// What a dict of one key costs as an object when every key is new: why js/reader.ts makes a dictionary then. `node bench/objects.js`
const COUNT = 20_000
let kept
const WAYS = {
  object: (key, value) => {
    const object = {}
    object[key] = value
    return object
  },
  dictionary: (key, value) => {
    const object = Object.create(null)
    object[key] = value
    return Object.setPrototypeOf(object, Object.prototype)
  },
  map: (key, value) => new Map().set(key, value),
}

for (const [name, make] of Object.entries(WAYS)) {
  let best = Infinity
  for (let round = 0; round < 15; round++) {
    const keys = Array.from({ length: COUNT }, (_, i) => Buffer.from(`${name}${round}-${i}`).toString('latin1'))
    const from = process.hrtime.bigint()
    for (let i = 0; i < COUNT; i++) kept = make(keys[i], i)
    best = Math.min(best, Number(process.hrtime.bigint() - from) / COUNT)
  }
  console.log(name.padEnd(12), best.toFixed(0))
}
if (kept === undefined) throw new Error('nothing was kept')
