// Which way of writing a text is quickest, by length: what SHORT_TEXT in js/strings.ts is set from. And from how many bytes on UTF-8
// is better looked at in blocks: BLOCK in assembly/utf8.ts. `npm run build && node bench/text.js`
import { isUtf8 } from 'node:buffer'
import { createCodec } from '../build/index.js'
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

// What remains of a message is the same for both engines: only simd has blocks.
const codecs = ['simd', 'baseline'].map((engine) => createCodec({ engine }))
const SCRIPTS = {
  ASCII: 'The quick brown fox. ',
  Latin: 'Zwölf Boxkämpfer über den Deich. ',
  Cyrillic: 'Съешь ещё этих мягких булок. ',
  Chinese: '天地玄黄宇宙洪荒日月盈昃',
  emoji: '😀👍🎉🚀',
}

for (const [script, piece] of Object.entries(SCRIPTS)) {
  for (const length of [12, 16, 20, 24, 32, 64, 256, 8192]) {
    const text = piece.repeat(length / 12 + 1)
    // Whole characters, in at most so many bytes.
    const { read, written } = encoder.encodeInto(text, new Uint8Array(length))
    const bytes = Buffer.from(text.slice(0, read))
    const message = { type: 4, serial: 1, path: '/a', interface: 'a.b', member: 'M', signature: 's', body: [text.slice(0, read)] }
    const encoded = codecs[0].encode(message)
    const calls = [...codecs.map((codec) => () => codec.validate(encoded)), () => isUtf8(bytes)]
    const [simd, baseline, alone] = calls.map((call) => quickest(call, 64))
    console.log(script.padEnd(9), String(written).padStart(7), `validate: simd ${simd}  baseline ${baseline}  isUtf8 ${alone}`)
  }
}
