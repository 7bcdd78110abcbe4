/**
 * Records in a file, each in a frame that can be found without the frames before, so that damage costs only the damaged
 * frames:
 *
 *     marker 8 | number 4 | length 4 | checksum of the record 4 | checksum of this head 4 | record | end marker 8 | number 4
 *
 * The marker is random for each file and part of its name: record bytes cannot pass for a frame, and names map files to
 * markers. Frames are numbered from 1, so a gap between two whole frames counts the lost ones. Behind the last whole frame,
 * only frames with an end marker count as lost: a write that was cut short was never acknowledged, and trailing zeros or
 * garbage were never a frame.
 */
import { crc32 } from "node:zlib"

export const markerBytes = 8
const headBytes = markerBytes + 16
const tailBytes = markerBytes + 4

export interface Frame {
  readonly payload: Uint8Array
  /** The end offset of the frame within the searched bytes. */
  readonly end: number
  /** Null in files that do not number their frames. */
  readonly number: number | null
}

/** More bytes are needed than there are: from `at` on, so many at least. */
interface CutFrame {
  readonly at: number
  readonly needed: number
}

/** `none`: the rest of the file holds no frame. */
export type FrameMatch = Frame | CutFrame | "none"

const endMarkerOf = (marker: Buffer): Buffer => Buffer.from(marker.map((byte) => byte ^ 0xff))

/** Copies shorter records: writing and checksumming part by part takes longer, and a stream has dozens of parts. */
const copiedMax = 64 * 1024

/** Writes length and checksum into the head of a frame. */
const describe = (head: Buffer, length: number, checksum: number): void => {
  head.writeUInt32BE(length, 12)
  head.writeUInt32BE(checksum, 16)
}

const inOnePiece = (parts: ReadonlyArray<Uint8Array>, length: number): Buffer => {
  const frame = Buffer.allocUnsafe(headBytes + length + tailBytes)
  let at = headBytes
  for (const part of parts) {
    frame.set(part, at)
    at += part.length
  }
  describe(frame, length, crc32(frame.subarray(headBytes, at)))
  return frame
}

/** What is written of a record: its parts in their order, between a head and a tail that are blank until `stamp`. */
export const frameOf = (parts: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> => {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  if (length <= copiedMax) return [inOnePiece(parts, length)]
  const ends = Buffer.allocUnsafe(headBytes + tailBytes)
  describe(
    ends,
    length,
    parts.reduce((checksum, part) => crc32(part, checksum), 0)
  )
  return [ends.subarray(0, headBytes), ...parts, ends.subarray(headBytes)]
}

/** Makes frames of one file: with its marker, and numbered from 1. */
export class FrameStamp {
  readonly #marker: Buffer
  readonly #endMarker: Buffer

  constructor(marker: Buffer) {
    this.#marker = marker
    this.#endMarker = endMarkerOf(marker)
  }

  /** Completes what `frameOf` returned. May be done again, for another file. */
  stamp(frame: ReadonlyArray<Uint8Array>, number: number): void {
    const head = frame[0] as Buffer // As `frameOf` made them.
    const last = frame[frame.length - 1] as Buffer
    const tailAt = last.length - tailBytes
    head.set(this.#marker, 0)
    head.writeUInt32BE(number, markerBytes)
    head.writeUInt32BE(crc32(head.subarray(0, headBytes - 4)), headBytes - 4)
    last.set(this.#endMarker, tailAt)
    last.writeUInt32BE(number, tailAt + markerBytes)
  }
}

const hasHead = (bytes: Buffer, at: number): boolean =>
  crc32(bytes.subarray(at, at + headBytes - 4)) === bytes.readUInt32BE(at + headBytes - 4)

/**
 * The first whole frame at or behind `from`. `isEnd`: the file has no further bytes. Skips a false head, without a frame
 * behind it.
 */
export const find = (bytes: Buffer, from: number, isEnd: boolean, marker: Buffer): FrameMatch => {
  let at = bytes.indexOf(marker, from)
  while (at >= 0) {
    const isHeadHere = bytes.length - at >= headBytes
    if (isHeadHere && hasHead(bytes, at)) {
      const length = bytes.readUInt32BE(at + 12)
      const size = headBytes + length + tailBytes
      const payload = bytes.subarray(at + headBytes, at + headBytes + length)
      if (bytes.length - at < size && !isEnd) return { at, needed: size }
      // A frame is whole even without its tail.
      if (payload.length === length && crc32(payload) === bytes.readUInt32BE(at + 16)) {
        return { payload, end: Math.min(at + size, bytes.length), number: bytes.readUInt32BE(at + markerBytes) }
      }
    } else if (!isHeadHere && !isEnd) return { at, needed: headBytes }
    at = bytes.indexOf(marker, at + 1)
  }
  return isEnd ? "none" : { at: Math.max(from, bytes.length - markerBytes + 1), needed: headBytes }
}

/**
 * The highest number of a frame that ends in these bytes; `after` without a frame, or if the number exceeds what these
 * bytes can hold.
 */
export const lastEnded = (bytes: Buffer, after: number, marker: Buffer): number => {
  const endMarker = endMarkerOf(marker)
  let last = after
  for (let at = bytes.indexOf(endMarker); at >= 0; at = bytes.indexOf(endMarker, at + 1)) {
    if (bytes.length - at < tailBytes) break
    const number = bytes.readUInt32BE(at + markerBytes)
    if (number > last && (number - after) * (headBytes + tailBytes) <= bytes.length) last = number
  }
  return last
}
