import type { NeutralMessage } from './types.js'

export function write(message: NeutralMessage, options?: { byteOrder?: 'little' | 'big' }): Buffer
