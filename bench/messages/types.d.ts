export class Typed {
  constructor(signature: string, value: unknown)
  readonly signature: string
  readonly value: unknown
}
export interface NeutralMessage {
  type: number
  flags: number
  serial: number
  signature: string
  body: unknown[]
  [field: string]: unknown
}
export function canonical(signature: string, body: unknown[]): string
