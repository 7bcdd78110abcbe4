/**
 * Records in a file, each a frame: the length of what it holds, a checksum of that, and the bytes. A frame that is cut short or
 * does not fit its checksum ends the file: nothing behind it can be believed.
 */
import { crc32 } from "node:zlib"

export const frameHeadBytes = 8

/** What is written of a record: a head, and its parts as they are. */
export const frameOf = (parts: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> => {
  const head = Buffer.allocUnsafe(frameHeadBytes)
  let length = 0
  let checksum = 0
  for (const part of parts) {
    length += part.length
    checksum = crc32(part, checksum)
  }
  head.writeUInt32BE(length, 0)
  head.writeUInt32BE(checksum, 4)
  return [head, ...parts]
}

export interface Frame {
  readonly payload: Uint8Array
  /** The bytes of the frame, head included. */
  readonly size: number
}

/** `short`: more bytes are needed than there are; so many at least. */
export type Read = Frame | { readonly short: number } | "corrupt"

/** The frame at `at`. An empty one is none: a file system may leave zeros behind a power loss. */
export const frameAt = (bytes: Uint8Array, at: number): Read => {
  if (bytes.length - at < frameHeadBytes) return { short: frameHeadBytes }
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, frameHeadBytes)
  const length = view.getUint32(0)
  if (length === 0) return "corrupt"
  const size = frameHeadBytes + length
  if (bytes.length - at < size) return { short: size }
  const payload = bytes.subarray(at + frameHeadBytes, at + size)
  return crc32(payload) === view.getUint32(4) ? { payload, size } : "corrupt"
}
