// The rows as files, for programs in other languages: each message preceded by its length in 4 bytes and 4 bytes of zero, and
// followed by zeros up to a multiple of 8; and each row's neutral message as JSON, for languages that check by value.
import { mkdirSync, writeFileSync } from 'node:fs'
import { messagesOf, ROWS } from './rows.js'
import { canonical } from './types.js'
import { write } from './write.js'

/** Writes what is asked for; returns the folder. */
export function store(folder, { rows = ROWS, rotations = true } = {}) {
  mkdirSync(folder, { recursive: true })
  for (const row of rows) {
    for (const kind of rotations && row.size !== 'large' ? ['once', 'rotation'] : ['once']) {
      const messages = messagesOf(row, kind === 'rotation')
      writeFileSync(`${folder}/${row.name}.${kind}.LE`, framed(messages, 'little'))
      if (kind === 'rotation') continue
      writeFileSync(`${folder}/${row.name}.${kind}.BE`, framed(messages, 'big'))
      const { body, ...header } = messages[0]
      writeFileSync(
        `${folder}/${row.name}.json`,
        `{"header":${JSON.stringify(header)},"body":${canonical(header.signature, body)}}`,
      )
    }
  }
  return folder
}

function framed(messages, byteOrder) {
  return Buffer.concat(
    messages.map((message) => {
      const bytes = write(message, { byteOrder })
      const record = Buffer.alloc(8 + Math.ceil(bytes.length / 8) * 8)
      record.writeUInt32LE(bytes.length)
      bytes.copy(record, 8)
      return record
    }),
  )
}
