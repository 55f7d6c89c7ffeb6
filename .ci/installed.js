// Whether node_modules is what package-lock.json asks for: then `npm ci`, and with it the network, can be left out.
import { existsSync, readFileSync } from 'node:fs'

const HIDDEN = 'node_modules/.package-lock.json'
if (!existsSync(HIDDEN)) process.exit(1)
const read = (path) => JSON.parse(readFileSync(path, 'utf8')).packages
const wanted = Object.entries(read('package-lock.json')).filter(([path]) => path !== '')
const installed = read(HIDDEN)
// An optional package may be listed and yet be gone: its build failed, and nothing here needs it.
const missing = wanted.filter(([path, { version, optional, peer, link }]) => {
  if (optional || peer || link) return false
  return installed[path]?.version !== version || !existsSync(path)
})
process.exit(missing.length === 0 ? 0 : 1)
