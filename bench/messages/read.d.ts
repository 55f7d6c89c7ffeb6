import type { NeutralMessage } from './types.js'

export function read(bytes: Uint8Array): NeutralMessage
