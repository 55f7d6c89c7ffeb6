// Memory that someone else can change while it is being read: shared with another thread, or resizable.
const byteLengthOf = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength')?.get

/** Whether nobody else can change what a buffer holds while it is being worked on. @internal */
export function isSteady(buffer: ArrayBufferLike): boolean {
  try {
    // Fails for a SharedArrayBuffer of whatever realm.
    byteLengthOf?.call(buffer)
    return (buffer as { resizable?: boolean }).resizable !== true
  } catch {
    return false
  }
}

/** The bytes, or a copy of them when someone else can change them: then what was checked would not be what is read. @internal */
export function steady(bytes: Uint8Array): Uint8Array {
  return isSteady(bytes.buffer) ? bytes : new Uint8Array(bytes)
}
