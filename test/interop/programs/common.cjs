'use strict'

const NAME = 'org.dbuscodec.Service'
const PATH = '/org/dbuscodec/Test'
const ECHO = 'org.dbuscodec.Echo'
const TEST = 'org.dbuscodec.Test'

/** Numbers, and the one word, that JSON cannot spell. */
const FLOATS = { '-0': -0, NaN: Number.NaN, Infinity: Number.POSITIVE_INFINITY, undefined: undefined }

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** A member name that tells which case is being sent. */
const memberOf = (name) => `E_${name.replace(/\W/g, '_')}`

/** The outcome of an act as text: its result, its error, or that it never came. */
function within(act, ms = 5000) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('never'), ms)
    const done = (text) => {
      clearTimeout(timer)
      resolve(String(text))
    }
    Promise.resolve()
      .then(act)
      .then(done, (error) => done(`throws ${error?.name === 'DBusCodecError' ? error.code : ''} ${error?.message ?? error}`))
  })
}

module.exports = { NAME, PATH, ECHO, TEST, FLOATS, memberOf, sleep, within }
