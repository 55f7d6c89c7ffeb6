// @jellybrick/dbus-next ships one bundle that exports none of its codec. The bench, and only the bench, loads that bundle with
// one line added that hands its own functions out.
import { readFileSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { seam } from './dbus-next.js'

const require = createRequire(import.meta.url)
const HAND_OUT = '\nmodule.exports = { marshallMessage, messageToJsFmt, unmarshalMessages, Variant }\n'

export function open() {
  const file = require.resolve('@jellybrick/dbus-next')
  const module = new Module(file)
  module.filename = file
  module.paths = Module._nodeModulePaths(file)
  module._compile(readFileSync(file, 'utf8').replace(/\/\/# sourceMappingURL.*$/, '') + HAND_OUT, file)
  return seam(module.exports)
}
