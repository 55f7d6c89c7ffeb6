// Where a peer over the adapter does not behave as the untouched peer. Everything that is not listed here is identical.
import type { Peer } from './conversation.ts'

export interface Exception {
  /** The steps it covers, by name. */
  steps: RegExp
  why: string
  peers: Peer[]
  /** What the step has to come to over the adapter, where that is more than "not what it was". */
  becomes?: RegExp
}

const NEXT: Peer[] = ['dbus-next', '@jellybrick/dbus-next']
const NATIVE: Peer[] = ['dbus-native', '@homebridge/dbus-native']
const ALL: Peer[] = [...NEXT, ...NATIVE]

/** Messages that the peers build wrongly or not at all, or lose while reading. */
export const IMPROVEMENTS: Exception[] = [
  {
    steps: /^(E_)?dict.keyed.by.[unqyidbxt]( not sent back)?$/,
    why: 'dict keys that are no text can be sent',
    peers: NEXT,
  },
  {
    steps: /^(E_)?(pair__|pair: )?doubles$/,
    why: 'minus zero keeps its sign',
    peers: ['dbus-next', '@homebridge/dbus-native'],
  },
  {
    steps: /__proto__.as.a.key/,
    why: '"__proto__" is a key like any other',
    // The fork reads dicts as pairs.
    peers: [...NEXT, 'dbus-native'],
  },
  {
    steps: /^(the same message twice|Twice.*)$/,
    why: 'sending a message leaves it as it was, so it can be sent again',
    peers: NEXT,
  },
]

/** Messages that the untouched peers send and for which a bus would disconnect them. */
export const REFUSED: Exception[] = [
  {
    steps: /^(bad object path|empty object path|trailing slash)$/,
    why: 'an object path in a body is checked',
    // dbus-native checks it itself.
    peers: [...NEXT, '@homebridge/dbus-native'],
    becomes: /^throws ERR_DBUS_OBJECT_PATH/,
  },
  { steps: /^33 arrays$/, why: 'a signature has at most 32 nested arrays', peers: ALL, becomes: /^throws ERR_DBUS_ARRAY_DEPTH/ },
]
