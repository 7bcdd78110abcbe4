/**
 * The earlier frame format, without markers: a length, a checksum, and the bytes. Still read, so that the first start after
 * an upgrade ships waiting records. A truncated or damaged frame ends the file.
 */
import { crc32 } from "node:zlib"
import type { FrameMatch } from "./Frames.ts"

const headBytes = 8

/** The frame at `from`. An empty one is none: a file system may leave zeros behind a power loss. */
export const find = (bytes: Buffer, from: number, isEnd: boolean): FrameMatch => {
  if (bytes.length - from < headBytes) return isEnd ? "none" : { at: from, needed: headBytes }
  const length = bytes.readUInt32BE(from)
  if (length === 0) return "none"
  const size = headBytes + length
  if (bytes.length - from < size) return isEnd ? "none" : { at: from, needed: size }
  const payload = bytes.subarray(from + headBytes, from + size)
  return crc32(payload) === bytes.readUInt32BE(from + 4) ? { payload, end: from + size, number: null } : "none"
}
