// The engines that a test runs on: all three, or those named in DBUS_CODEC_TEST_ENGINES ("simd,js"), for hosts that have
// no WebAssembly or no SIMD.
export type EngineName = 'simd' | 'baseline' | 'js'

const ALL: readonly EngineName[] = ['simd', 'baseline', 'js']

export const ENGINES: readonly EngineName[] = chosen(process.env.DBUS_CODEC_TEST_ENGINES)

function chosen(names: string | undefined): readonly EngineName[] {
  if (names === undefined || names === '') return ALL
  const asked = names.split(',')
  const unknown = asked.filter((name) => !ALL.includes(name as EngineName))
  if (unknown.length > 0) throw new Error(`DBUS_CODEC_TEST_ENGINES: no engine ${unknown.join(', ')}`)
  return ALL.filter((name) => asked.includes(name))
}
