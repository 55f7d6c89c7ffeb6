'use strict'
// The options that change what values look like, per peer.
const MODES = {
  'dbus-next': {
    default: { options: {} },
    numbers: { options: { ayBuffer: false } },
    jsbi: { options: {}, jsbi: true },
  },
  '@jellybrick/dbus-next': {
    default: { options: {} },
    numbers: { options: { ayBuffer: false } },
  },
  'dbus-native': {
    default: { options: {} },
    wrap: { options: { variants: 'wrap' } },
    tree: { options: { variants: 'tree' } },
    pairs: { options: { plainValues: false } },
    'pairs, plain variants': { options: { plainValues: false, variants: 'plain' } },
    lossy: { options: { returnBigInt: false } },
    view: { options: { ayBuffer: 'view' } },
    numbers: { options: { ayBuffer: false } },
  },
  '@homebridge/dbus-native': {
    default: { options: {} },
    longs: { options: { ReturnLongjs: true } },
    numbers: { options: { ayBuffer: false } },
  },
}

module.exports = { MODES }
