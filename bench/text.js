// Which way of writing a text is quickest, by length: what SHORT_TEXT in js/strings.ts is set from. `node bench/text.js`
import { quickest } from './timing.js'

const bytes = new Uint8Array(new WebAssembly.Memory({ initial: 16 }).buffer)
const encoder = new TextEncoder()
const { utf8Write } = Buffer.prototype
const WAYS = {
  loop(text) {
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  },
  utf8Write: (text) => utf8Write.call(bytes, text, 0, text.length * 3),
  encodeInto: (text) => encoder.encodeInto(text, bytes.subarray(0, text.length * 3)),
}

console.log(process.version)
for (const length of [4, 8, 16, 24, 40, 64, 256, 4096]) {
  const texts = Array.from({ length: 512 }, (_, i) =>
    Buffer.from(`${i} org.bluez.Device`.padEnd(length, 'x').slice(0, length)).toString('latin1'),
  )
  const cells = Object.entries(WAYS).map(([name, write]) => `${name} ${quickest((i) => write(texts[i]))}`)
  console.log(String(length).padStart(5), cells.join('  '))
}
