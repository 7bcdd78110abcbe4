/** The segments of one process: written to in groups, read from in order, removed when they are shipped. */
import { randomUUID } from "node:crypto"
import type { CaptureRecord } from "@limbeck/gateway/capture/CallRecord"
import type { BatchMax } from "@limbeck/gateway/capture/Journal"
import * as RecordCodec from "@limbeck/gateway/capture/RecordCodec"
import type { RecorderFigures } from "@limbeck/gateway/capture/Recorder"
import { Waiting } from "@limbeck/gateway/capture/Waiting"
import * as Option from "effect/Option"
import { codeOf, hasCode } from "../../ErrorCode.ts"
import { Folder } from "./Folder.ts"
import { frameOf } from "./Frames.ts"
import { type Entry, GroupWriter } from "./GroupWriter.ts"
import { Segment } from "./Segment.ts"

export interface JournalBounds {
  /** Of all segments. */
  readonly bytesMax: number
  /** A segment that has so many is followed by another. */
  readonly segmentBytes: number
  /** Of records that are on disk and in memory too, to be shipped without being read. */
  readonly heldBytesMax: number
}

const writes = { groupBytes: 4 * 1024 ** 2, waitingBytesMax: 64 * 1024 ** 2, patienceMillis: 5_000 }

const fullMessage = "The journal of captured calls is full"
const hangingMessage = "The disk of the journal does not answer"
const slowMessage = "The disk of the journal is too slow"

const isDiskFull = (error: unknown): boolean => hasCode(error, "ENOSPC", "EDQUOT")

/** Without a path: it is told to everybody. */
const troubleOf = (error: unknown): string => {
  if (isDiskFull(error)) return "The disk of the journal is full"
  return `The journal cannot be written: ${codeOf(error) ?? "a defect"}`
}

interface Taken {
  readonly segment: Segment
  readonly end: number
  readonly count: number
}

export class JournalFiles {
  readonly #root: string
  readonly #bounds: JournalBounds
  readonly #writer = new GroupWriter<CaptureRecord>((group, size) => this.#write(group, size), writes)
  #folder: Folder
  /** In the order in which they are shipped; the current one is the last. */
  #segments: Array<Segment> = []
  #current: Segment | null = null
  /** Files that are this process's now, and are yet to be read. */
  readonly #adopting: Array<string> = []
  #taken: Taken | null = null
  #bytes = 0
  #heldBytes = 0
  #dropped = 0
  #trouble: string | null = null
  readonly waiting = new Waiting()

  constructor(root: string, bounds: JournalBounds) {
    this.#root = root
    this.#bounds = bounds
    this.#folder = new Folder(root, randomUUID())
  }

  get figures(): RecorderFigures {
    const trouble = this.#writer.isHanging ? hangingMessage : this.#trouble
    return { waiting: this.waiting.count, dropped: this.#dropped, trouble }
  }

  /** Calls `done` when the record is on disk, or is dropped and counted. A shadow result goes with the next call. */
  append(record: CaptureRecord, done: () => void): void {
    const bytes = frameOf(RecordCodec.encode(record))
    const size = bytes.reduce((sum, { length }) => sum + length, 0)
    if (this.#writer.add({ value: record, bytes, size, done, isIdle: record.kind === "shadow" })) return
    this.#drop(1, slowMessage)
    done()
  }

  #drop(count: number, trouble: string): void {
    this.#dropped += count
    this.#trouble = trouble
  }

  async #write(group: ReadonlyArray<Entry<CaptureRecord>>, size: number): Promise<void> {
    try {
      await this.#cutShipped()
      if (this.#bytes + size > this.#bounds.bytesMax) return this.#drop(group.length, fullMessage)
      const segment = this.#current ?? (await this.#roll())
      const bytes = group.flatMap((entry) => entry.bytes)
      await new Promise<void>((resolve, reject) =>
        segment.write(bytes, size, (error) => (error === null ? resolve() : reject(error)))
      )
      this.#written(segment, group, size)
      this.#trouble = null
    } catch (error) {
      this.#drop(group.length, troubleOf(error))
      // What a failed file holds is not certain.
      if (!isDiskFull(error)) await this.#finish()
    }
  }

  async #roll(): Promise<Segment> {
    await this.#folder.make()
    const segment = await Segment.create(this.#folder.path, this.#folder.nextPath())
    this.#segments.push(segment)
    this.#current = segment
    return segment
  }

  #written(segment: Segment, group: ReadonlyArray<Entry<CaptureRecord>>, size: number): void {
    const before = segment.size - size
    this.#bytes += size
    if (segment.held !== null && this.#heldBytes + size > this.#bounds.heldBytesMax) {
      this.#heldBytes -= before - segment.shippedTo
      segment.held = null
    }
    if (segment.held !== null) {
      this.#heldBytes += size
      let end = before
      for (const entry of group) {
        end += entry.size
        segment.held.push({ record: entry.value, end })
      }
    }
    segment.waiting += group.length
    this.waiting.add(group.length)
    if (segment.size >= this.#bounds.segmentBytes) this.#current = null
  }

  /** No more is written to the current segment. */
  async #finish(): Promise<void> {
    const segment = this.#current
    this.#current = null
    if (segment?.waiting === 0) await this.#remove(segment)
  }

  async #remove(segment: Segment): Promise<void> {
    this.#segments = this.#segments.filter((other) => other !== segment)
    this.#bytes -= segment.size
    await segment.remove().catch(() => {})
  }

  /** A current segment that is shipped as far as it goes begins again. */
  async #cutShipped(): Promise<void> {
    const segment = this.#current
    if (segment === null || segment.waiting > 0 || segment.size === 0) return
    const { size } = segment
    await segment.cut().then(
      () => {
        this.#bytes -= size
      },
      () => this.#finish()
    )
  }

  /** See `Shelf.next`. */
  async next(max: BatchMax): Promise<ReadonlyArray<CaptureRecord>> {
    for (const segment of this.#segments) {
      if (segment.waiting === 0) continue
      const records = segment.held === null ? await this.#fromFile(segment, max) : this.#fromMemory(segment, max)
      if (records.length > 0) return records
      // Nothing of what it took can be read.
      await this.shipped()
      return this.next(max)
    }
    return []
  }

  #fromMemory(segment: Segment, max: BatchMax): ReadonlyArray<CaptureRecord> {
    const records: Array<CaptureRecord> = []
    let end = segment.shippedTo
    for (const held of segment.held ?? []) {
      if (records.length > 0 && (records.length >= max.records || held.end - segment.shippedTo > max.bytes)) break
      records.push(held.record)
      end = held.end
    }
    this.#taken = { segment, end, count: records.length }
    return records
  }

  async #fromFile(segment: Segment, max: BatchMax): Promise<ReadonlyArray<CaptureRecord>> {
    const records: Array<CaptureRecord> = []
    let end = segment.shippedTo
    let count = 0
    try {
      for await (const { payload, size } of segment.frames()) {
        if (count > 0 && (count >= max.records || end + size - segment.shippedTo > max.bytes)) break
        end += size
        count++
        const record = RecordCodec.decode(payload)
        if (Option.isSome(record)) records.push(record.value)
        else this.#dropped++
      }
    } catch (error) {
      this.#trouble = troubleOf(error)
    }
    // The file is damaged where it was whole before: what is behind is lost.
    const isLost = count === 0
    if (isLost) this.#dropped += segment.waiting
    this.#taken = isLost ? { segment, end: segment.size, count: segment.waiting } : { segment, end, count }
    return records
  }

  /** See `Shelf.shipped`. */
  async shipped(): Promise<void> {
    if (this.#taken === null) return
    const { count, end, segment } = this.#taken
    this.#taken = null
    if (segment.held !== null) {
      this.#heldBytes -= end - segment.shippedTo
      segment.held = segment.held.slice(count)
    }
    segment.shippedTo = end
    segment.waiting -= count
    this.waiting.remove(count)
    if (segment.waiting > 0) return
    if (segment === this.#current) await this.#writer.alone(() => this.#cutShipped())
    else await this.#remove(segment)
  }

  /** Takes over what dead processes left; answers how many records those are, and how many files were cut. */
  async adopt(): Promise<{ readonly records: number; readonly cuts: number }> {
    let records = 0
    let cuts = 0
    this.#adopting.push(...(await this.#folder.adopt()))
    for (let path = this.#adopting[0]; path !== undefined; path = this.#adopting[0]) {
      const { cut, segment } = await Segment.adopt(path)
      this.#adopting.shift()
      if (cut > 0) cuts++
      records += segment.waiting
      this.#bytes += segment.size
      this.#segments.unshift(segment)
      this.waiting.add(segment.waiting)
      if (segment.waiting === 0) await this.#remove(segment)
    }
    this.#dropped += cuts
    return { records, cuts }
  }

  /** Says that this process is there; lets go who waits for a disk that hangs. */
  async beat(): Promise<void> {
    this.#writer.letGo()
    if (await this.#folder.beat()) return
    // This process stood still so long that another took its segments over: they are the other's to ship.
    await this.#writer.alone(async () => {
      const lost = this.#segments
      this.#segments = []
      this.#current = null
      this.#taken = null
      this.#adopting.length = 0
      this.#bytes = 0
      this.#heldBytes = 0
      this.#folder = new Folder(this.#root, randomUUID())
      this.waiting.remove(lost.reduce((sum, { waiting }) => sum + waiting, 0))
      await Promise.all(lost.map((segment) => segment.close().catch(() => {})))
    })
  }

  /** What is not shipped is left to the next process. */
  async close(): Promise<void> {
    await this.#writer.drained()
    for (const segment of this.#segments) await (segment.waiting === 0 ? segment.remove() : segment.close())
    this.#segments = []
    this.#current = null
    await this.#folder.release()
  }
}
