import type { NeutralMessage } from './types.js'

export interface Row {
  name: string
  title: string
  size: 'small' | 'medium' | 'large'
}
export const ROTATION: number
export const ROWS: Row[]
export function rowNamed(name: string): Row
export function messagesOf(row: Row, rotation: boolean): NeutralMessage[]
