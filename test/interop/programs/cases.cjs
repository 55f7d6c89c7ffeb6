'use strict'
// What is sent, in a neutral spelling that JSON can carry to Python: { v: [signature, value] } is a variant,
// { d: [[key, value]] } a dict, { n: 'digits' } an integer that a double cannot hold, { f: name } a number JSON has no word for.

const v = (signature, value) => ({ v: [signature, value] })
const d = (pairs) => ({ d: pairs })
const n = (digits) => ({ n: digits })
const f = (name) => ({ f: name })

const bytes = (length) => Array.from({ length }, (_, i) => (i * 7) & 0xff)

const device = (address) =>
  d([
    ['Address', v('s', address)],
    ['RSSI', v('n', -60)],
    ['Connected', v('b', false)],
    ['UUIDs', v('as', ['0000180f-0000-1000-8000-00805f9b34fb', '0000180a-0000-1000-8000-00805f9b34fb'])],
    ['Adapter', v('o', '/org/bluez/hci0')],
    ['ServiceData', v('a{sv}', d([['0000fe9f', v('ay', bytes(8))]]))],
  ])

/** Sent and echoed: [name, signature, values]. */
const ECHOES = [
  ['no arguments', '', []],
  ['bytes', 'yyy', [0, 1, 255]],
  ['booleans', 'bb', [true, false]],
  ['16 bits', 'nnqq', [-32768, 32767, 0, 65535]],
  ['32 bits', 'iiuu', [-2147483648, 2147483647, 0, 4294967295]],
  [
    '64 bits',
    'xxxxtt',
    [n('-9223372036854775807'), n('9223372036854775807'), n('9007199254740993'), n('-1'), n('0'), n('18446744073709551615')],
  ],
  ['small 64 bits', 'xt', [n('-5'), n('7')]],
  ['doubles', 'ddddd', [0, f('-0'), 1.5, 1.7976931348623157e308, 5e-324]],
  ['strings', 'sssss', ['', 'text', 'ünï☃', '😀 emoji', 'line\nbreak\ttab']],
  ['a string of 300', 's', ['ab'.repeat(150)]],
  ['a string of 70000', 's', ['xyzé'.repeat(17500)]],
  ['noncharacters', 's', ['\ufdd0\ufffe']],
  ['object paths', 'oo', ['/', '/org/dbuscodec/a_1']],
  ['signatures', 'gg', ['', 'a{sv}(ii)as']],
  ['empty arrays', 'ayasaia(si)a{sv}ax', [[], [], [], [], d([]), []]],
  ['byte array', 'ay', [bytes(1000)]],
  ['byte arrays', 'aay', [[bytes(3), [], bytes(9)]]],
  ['array n', 'an', [[-1, 0, 32767]]],
  ['array q', 'aq', [[0, 65535]]],
  ['array i', 'ai', [[-1, 0, 2147483647]]],
  ['array u', 'au', [[0, 4294967295]]],
  ['array x', 'yax', [1, [n('-1'), n('9007199254740993')]]],
  ['array t', 'yat', [1, [n('1'), n('18446744073709551615')]]],
  ['array d', 'yad', [1, [0.5, -2.25]]],
  ['array b', 'ab', [[true, false, true]]],
  ['array s', 'as', [['a', '', 'ccc']]],
  ['array o', 'ao', [['/', '/a/b']]],
  ['array g', 'ag', [['', 's', 'a{sv}']]],
  ['array of arrays', 'aas', [[['a'], [], ['b', 'c']]]],
  ['struct', '(sib)', [['text', -7, true]]],
  [
    'nested structs',
    '((sy)(x(d)))',
    [
      [
        ['a', 1],
        [n('2'), [3.5]],
      ],
    ],
  ],
  [
    'array of structs',
    'a(sub)',
    [
      [
        ['a', 1, true],
        ['b', 2, false],
      ],
    ],
  ],
  [
    'dict of strings',
    'a{ss}',
    [
      d([
        ['one', '1'],
        ['two', '2'],
      ]),
    ],
  ],
  [
    'dict of structs',
    'a{s(ii)}',
    [
      d([
        ['p', [1, 2]],
        ['q', [-1, -2]],
      ]),
    ],
  ],
  [
    'dict of dicts',
    'a{sa{ss}}',
    [
      d([
        ['p', d([['x', 'y']])],
        ['q', d([])],
      ]),
    ],
  ],
  [
    'dict keyed by path',
    'a{oay}',
    [
      d([
        ['/a', bytes(2)],
        ['/b', []],
      ]),
    ],
  ],
  ['dict of bytes', 'a{say}', [d([['k', bytes(5)]])]],
  ['variant s', 'v', [v('s', 'text')]],
  ['variant y', 'v', [v('y', 200)]],
  ['variant b', 'v', [v('b', true)]],
  ['variant i', 'v', [v('i', -70000)]],
  ['variant d', 'v', [v('d', 0.25)]],
  ['variant x', 'v', [v('x', n('-9007199254740993'))]],
  ['variant t', 'v', [v('t', n('18446744073709551615'))]],
  ['variant o', 'v', [v('o', '/a')]],
  ['variant g', 'v', [v('g', 'as')]],
  ['variant ay', 'v', [v('ay', bytes(40))]],
  ['variant as', 'v', [v('as', ['a', 'b', 'c'])]],
  ['variant ai', 'v', [v('ai', [1, 2, 3])]],
  ['variant struct', 'v', [v('(sib)', ['a', 1, false])]],
  ['variant dict', 'v', [v('a{ss}', d([['k', 'w']]))]],
  ['variant variant', 'v', [v('v', v('s', 'deep'))]],
  ['variant thrice', 'v', [v('v', v('v', v('u', 7)))]],
  ['variants', 'vvs', [v('u', 1), v('s', 'two'), 'three']],
  ['array of variants', 'av', [[v('s', 'a'), v('u', 5), v('as', ['x', 'y', 'z'])]]],
  ['struct with variant', '(sv)', [['k', v('b', true)]]],
  [
    'array of structs with variant',
    'a(sv)',
    [
      [
        ['k', v('d', 1.5)],
        ['l', v('s', 'm')],
      ],
    ],
  ],
  ['vardict', 'a{sv}', [device('AA:BB')]],
  ['vardict with a vardict', 'a{sv}', [d([['outer', v('a{sv}', d([['inner', v('s', 'x')]]))]])]],
  [
    'managed objects',
    'a{oa{sa{sv}}}',
    [
      d([
        [
          '/org/bluez/hci0/dev_1',
          d([
            ['org.bluez.Device1', device('11')],
            ['org.freedesktop.DBus.Properties', d([])],
          ]),
        ],
      ]),
    ],
  ],
  ['properties changed', 'sa{sv}as', ['org.bluez.Device1', device('22'), ['Icon']]],
  ['everything', 'ybnqiuxtdsog', [1, true, -2, 3, -4, 5, n('-6'), n('7'), 8.5, 'nine', '/ten', '(s)']],
  // Keys that are no text: dbus-next cannot send them, the adapter can.
  [
    'dict keyed by u',
    'a{us}',
    [
      d([
        [1, 'one'],
        [4000000000, 'big'],
      ]),
    ],
  ],
  ['dict keyed by q', 'a{qv}', [d([[76, v('ay', bytes(6))]])]],
  ['dict keyed by y', 'a{ys}', [d([[9, 'nine']])]],
  ['dict keyed by n', 'a{ns}', [d([[-3, 'minus three']])]],
  ['dict keyed by i', 'a{is}', [d([[-3, 'minus three']])]],
  ['dict keyed by x', 'a{xs}', [d([[n('-4'), 'small']])]],
  ['dict keyed by t', 'a{ts}', [d([[n('9007199254740993'), 'exact']])]],
  ['dict keyed by d', 'a{ds}', [d([[1.5, 'half']])]],
  ['dict keyed by b', 'a{bs}', [d([[true, 'yes']])]],
  [
    '__proto__ as a key',
    'a{ss}',
    [
      d([
        ['a', 'b'],
        ['__proto__', 'own'],
      ]),
    ],
  ],
  ['int64 min', 'x', [n('-9223372036854775808')]],
]

/** Refused by all or most encoders: [name, signature, values]. Values are as JavaScript has them. */
const REFUSALS = [
  ['y 256', 'y', [256]],
  ['y -1', 'y', [-1]],
  ['y 1.5', 'y', [1.5]],
  ['y of text', 'y', ['1']],
  ['n 40000', 'n', [40000]],
  ['q -1', 'q', [-1]],
  ['i 2^31', 'i', [2147483648]],
  ['u 2^32', 'u', [4294967296]],
  ['u -1', 'u', [-1]],
  ['u NaN', 'u', [f('NaN')]],
  ['x 2^63', 'x', [n('9223372036854775808')]],
  ['x -2^63-1', 'x', [n('-9223372036854775809')]],
  ['t -1', 't', [n('-1')]],
  ['t 2^64', 't', [n('18446744073709551616')]],
  ['x of words', 'x', ['twelve']],
  ['d NaN', 'd', [f('NaN')]],
  ['d Infinity', 'd', [f('Infinity')]],
  ['d of text', 'd', ['1.5']],
  ['ad with NaN', 'ad', [[1, f('NaN')]]],
  ['b 2', 'b', [2]],
  ['b of text', 'b', ['true']],
  ['s with NUL', 's', ['a\0b']],
  ['s of a number', 's', [5]],
  ['s null', 's', [null]],
  ['s undefined', 's', [f('undefined')]],
  ['as with a number', 'as', [['a', 5]]],
  ['as null', 'as', [null]],
  ['as of a number', 'as', [7]],
  ['ay with 256', 'ay', [[1, 256]]],
  ['ay with text', 'ay', [[1, 'x']]],
  ['struct with two of three', '(sib)', [['a', 1]]],
  ['struct with four of three', '(sib)', [['a', 1, true, 2]]],
  ['struct of a number', '(sib)', [5]],
  ['dict of a number', 'a{ss}', [5]],
  ['dict with a number as text', 'a{ss}', [d([['k', 5]])]],
  ['too few values', 'ss', ['a']],
  ['too many values', 's', ['a', 'b']],
  ['unknown type code', 'z', ['a']],
  ['open struct', '(s', [['a']]],
  ['array of nothing', 'a', [[]]],
  ['g with an unknown code', 'g', ['z']],
  ['g too long', 'g', ['s'.repeat(256)]],
  ['variant with two types', 'v', [v('ss', 'a')]],
  ['variant with a bad value', 'v', [v('u', 'a')]],
  ['variant null', 'v', [null]],
  // The peers let these through; a bus would drop the connection for most of them.
  ['lone surrogate', 's', ['a\ud800b']],
  ['bad object path', 'o', ['not a path']],
  ['empty object path', 'o', ['']],
  ['trailing slash', 'o', ['/a/']],
  ['g unbalanced', 'g', ['a{sv']],
  ['33 arrays', `${'a'.repeat(33)}s`, [[]]],
]

module.exports = { ECHOES, REFUSALS }
