import { describe, it } from 'vitest'
import { agree } from './judges.ts'
import { longNames, reservedNames, shortNames } from './names.ts'
import { utf8Messages } from './text.ts'

describe('everyone agrees on', () => {
  it('every short name in every field', async () => {
    await agree('short names', shortNames(4))
  })

  it('names round the limit of 255 bytes', async () => {
    await agree('long names', longNames())
  })

  it('the reserved names and all that is one edit away', async () => {
    await agree('reserved names', reservedNames())
  })

  it('every sequence at the edges of UTF-8', async () => {
    await agree('UTF-8', utf8Messages())
  })
})
