/**
 * One file of the journal: records are appended until it is full, and taken from its beginning until all are shipped.
 *
 *     0 ──── shipped ──── #shippedTo ──── waiting ──── size
 *                              └─ in #held as well ─┘
 *
 * Its counters are its own. Invariants, whenever no method is under way:
 * 1. 0 <= #shippedTo <= size, and `waiting` whole records lie between the two.
 * 2. #held is null for good, or holds exactly those records, in order; the last of them ends at `size`.
 * 3. A failure changes nothing, neither a failed write nor an unreadable batch.
 */
import * as fs from "node:fs"
import { promisify } from "node:util"
import type { CaptureRecord } from "@limbeck/capture/call/CallRecord"
import * as RecordCodec from "@limbeck/capture/call/RecordCodec"
import type { BatchMax } from "@limbeck/capture/journal/Journal"
import * as Option from "effect/Option"
import { DurableFile } from "./DurableFile.ts"
import * as Frames from "./Frames.ts"
import * as FramesBefore from "./FramesBefore.ts"
import * as SegmentName from "./SegmentName.ts"

const open = promisify(fs.open)
const close = promisify(fs.close)
const fsync = promisify(fs.fsync)
const unlink = promisify(fs.unlink)

/** What is read at once. */
const blockBytes = 1024 * 1024

const syncFolder = async (folder: string): Promise<void> => {
  const directory = await open(folder, "r")
  await fsync(directory).finally(() => close(directory))
}

interface HeldRecord {
  readonly record: CaptureRecord
  /** Where its frame ends. */
  readonly end: number
}

/** A record on its way to the file. */
export interface SegmentEntry {
  readonly value: CaptureRecord
  /** Its frame, as `frameOf` made it. */
  readonly bytes: ReadonlyArray<Uint8Array>
  /** Of the frame, in bytes. */
  readonly size: number
}

/** The oldest waiting records of a segment, up to the requested limit. */
export interface Batch {
  readonly records: ReadonlyArray<CaptureRecord>
  /** Of the frames that the batch takes; more than `records` where some cannot be decoded. */
  readonly count: number
  /** Where the last of them ends. */
  readonly end: number
  /** Why the file could not be read to the end of the batch; undefined where it could. */
  readonly error: unknown
}

/** A frame with its end in the file. */
type FramePlace = Pick<Frames.Frame, "end" | "number" | "payload">

export class Segment {
  readonly path: string
  readonly #file: DurableFile
  /** Null in files of the earlier format, which have none. */
  readonly #marker: Buffer | null
  readonly #stamp: Frames.FrameStamp | null
  /** Frames written since the segment was empty. */
  #count = 0
  #size = 0
  #waiting = 0
  #shippedTo = 0
  /** The waiting records, in memory; null if they are read from the file. */
  #held: Array<HeldRecord> | null

  private constructor(path: string, file: DurableFile, marker: Buffer | null, held: Array<HeldRecord> | null) {
    this.path = path
    this.#file = file
    this.#marker = marker
    this.#stamp = marker === null ? null : new Frames.FrameStamp(marker)
    this.#held = held
  }

  /** Bytes of whole records, and of damage between them. */
  get size(): number {
    return this.#size
  }

  /** Records that are not shipped. */
  get waiting(): number {
    return this.#waiting
  }

  /** Bytes of records also held in memory. */
  get heldBytes(): number {
    return this.#held === null ? 0 : this.#size - this.#shippedTo
  }

  /** A new one, empty, of a path with a marker. Its name is durable, too. */
  static async create(folder: string, path: string): Promise<Segment> {
    const segment = new Segment(path, await DurableFile.create(path), SegmentName.markerOf(path), [])
    // Where a folder cannot be synced, names are kept without.
    await syncFolder(folder).catch(() => {})
    return segment
  }

  /** One that another process left: its whole records wait to be shipped. `lost`: those that damage took. */
  static async adopt(path: string): Promise<{ readonly segment: Segment; readonly lost: number }> {
    const file = await DurableFile.adopt(path)
    const isBefore = SegmentName.isBefore(path)
    // A renamed file begins with its marker, as long as its first frame is whole.
    const marker = isBefore ? null : (SegmentName.markerOf(path) ?? (await file.read(0, Frames.markerBytes)))
    const segment = new Segment(path, file, marker, null)
    const { size } = file
    let lost = 0
    for await (const { end, number } of segment.#frames(0, size)) {
      lost += number === null ? 0 : number - segment.#count - 1
      segment.#count = number ?? 0
      segment.#size = end
      segment.#waiting++
    }
    lost += await segment.#lostBehind(size)
    if (segment.#size < size) await file.cut(segment.#size)
    return { segment, lost }
  }

  /** The number of lost records behind the last whole one. The earlier format cannot tell them apart: at most one. */
  async #lostBehind(size: number): Promise<number> {
    if (size === this.#size) return 0
    const rest = await this.#file.read(this.#size, size - this.#size)
    if (this.#marker === null) return rest.some((byte) => byte !== 0) ? 1 : 0
    return Frames.lastEnded(rest, this.#count, this.#marker) - this.#count
  }

  /**
   * Appends these records durably; a failure appends none. `length`: bytes of their frames. `room`: how far the file may
   * grow beyond its content. `hold`: whether memory has room for the records; if not, this segment is read from its file
   * from now on. One write at a time.
   */
  async write(group: ReadonlyArray<SegmentEntry>, length: number, room: number, hold: boolean): Promise<void> {
    for (const [index, { bytes }] of group.entries()) this.#stamp?.stamp(bytes, this.#count + index + 1)
    const parts = group.flatMap(({ bytes }) => bytes)
    await this.#file.add(parts, length, room)
    this.#added(group, hold)
  }

  #added(group: ReadonlyArray<SegmentEntry>, hold: boolean): void {
    if (!hold) this.#held = null
    for (const { size, value } of group) {
      this.#size += size
      this.#held?.push({ record: value, end: this.#size })
    }
    this.#count += group.length
    this.#waiting += group.length
  }

  #find(bytes: Buffer, from: number, isEnd: boolean): Frames.FrameMatch {
    return this.#marker === null ? FramesBefore.find(bytes, from, isEnd) : Frames.find(bytes, from, isEnd, this.#marker)
  }

  /** The whole frames from `from` on. */
  async *#frames(from: number, to: number): AsyncGenerator<FramePlace> {
    let at = from
    let needed = blockBytes
    while (at < to) {
      const bytes = await this.#file.read(at, Math.min(needed, to - at))
      // A file shortened meanwhile ends here.
      const isEnd = at + bytes.length >= to || bytes.length < Math.min(needed, to - at)
      let found = this.#find(bytes, 0, isEnd)
      while (typeof found === "object" && "payload" in found) {
        yield { ...found, end: at + found.end }
        found = this.#find(bytes, found.end, isEnd)
      }
      if (found === "none") return
      at += found.at
      needed = Math.max(blockBytes, found.needed)
    }
  }

  /** The oldest waiting records; at least one, if readable. Returns the same batch until `acknowledge`. */
  async next(max: BatchMax): Promise<Batch> {
    return this.#held === null ? this.#fromFile(max) : this.#fromMemory(this.#held, max)
  }

  #isFull({ bytes, records }: BatchMax, count: number, end: number): boolean {
    return count > 0 && (count >= records || end - this.#shippedTo > bytes)
  }

  #fromMemory(held: ReadonlyArray<HeldRecord>, max: BatchMax): Batch {
    const records: Array<CaptureRecord> = []
    let end = this.#shippedTo
    for (const next of held) {
      if (this.#isFull(max, records.length, next.end)) break
      records.push(next.record)
      end = next.end
    }
    return { records, count: records.length, end, error: undefined }
  }

  async #fromFile(max: BatchMax): Promise<Batch> {
    const records: Array<CaptureRecord> = []
    let end = this.#shippedTo
    let count = 0
    let error: unknown
    try {
      for await (const frame of this.#frames(this.#shippedTo, this.#size)) {
        if (this.#isFull(max, count, frame.end)) break
        end = frame.end
        count++
        const record = RecordCodec.decode(frame.payload)
        if (Option.isSome(record)) records.push(record.value)
      }
    } catch (cause) {
      error = cause
    }
    // New damage in the file: the rest of its records is lost.
    return count === 0 ? { records, count: this.#waiting, end: this.#size, error } : { records, count, end, error }
  }

  /** The batch that `next` returned last does not wait any more. */
  acknowledge({ count, end }: Batch): void {
    this.#held = this.#held?.slice(count) ?? null
    this.#shippedTo = end
    this.#waiting -= count
  }

  /** Empties it, when all is shipped. */
  async cut(): Promise<void> {
    await this.#file.cut(0)
    this.#size = 0
    this.#shippedTo = 0
    this.#count = 0
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  async remove(): Promise<void> {
    await unlink(this.path)
    await this.close()
  }
}
