/**
 * The segments of one process: written to in groups, read from in order, removed when they are shipped.
 *
 *     append ─▶ GroupWriter ─▶ current segment ── full, or failed ──▶ others, in order ── shipped ──▶ removed
 *                                  ▲     └─ all of it shipped ─▶ cut                    ▲
 *                                  └───────────────────────────────┘                    │
 *     adopt ── segments of dead processes, which go first ──────────────────────────────┘
 *
 * Each segment counts for itself; this class only sums. Invariants, whenever no method is under way; the first three are
 * checked before each group is written:
 * 1. #current is null or the last of #segments. Only the current segment is written or cut, in turns that #writer gives.
 * 2. waiting.count is the sum over #segments.
 * 3. #taken is the last batch of `next`, from a segment in #segments; null once the batch is shipped or its folder is lost.
 * 4. The bytes of #segments are at most bytesMax, not counting adopted segments; those in memory at most heldBytesMax.
 */
import { randomUUID } from "node:crypto"
import type { CaptureRecord } from "@limbeck/capture/call/CallRecord"
import * as RecordCodec from "@limbeck/capture/call/RecordCodec"
import type { BatchMax } from "@limbeck/capture/journal/Journal"
import type { RecorderFigures } from "@limbeck/capture/journal/Recorder"
import { WaitingRecords } from "@limbeck/capture/journal/WaitingRecords"
import { codeOf, hasCode } from "../../../internal/ErrorCode.ts"
import { Folder } from "./Folder.ts"
import { frameOf } from "./Frames.ts"
import { type Entry, GroupWriter } from "./GroupWriter.ts"
import { type Batch, Segment } from "./Segment.ts"
import * as SegmentName from "./SegmentName.ts"

export interface JournalBounds {
  /** Of all segments. */
  readonly bytesMax: number
  /** A segment of this size is full. */
  readonly segmentBytes: number
  /** Of records that are on disk and in memory too, to be shipped without being read. */
  readonly heldBytesMax: number
}

const writes = { groupBytes: 4 * 1024 ** 2, waitingBytesMax: 64 * 1024 ** 2, patienceMillis: 5_000 }

const fullMessage = "The journal of captured calls is full"
const hangingMessage = "The disk of the journal does not answer"
const slowMessage = "The disk of the journal is too slow"

const isDiskFull = (error: unknown): boolean => hasCode(error, "ENOSPC", "EDQUOT")

/** Without a path: the health check shows it to everybody. */
const troubleOf = (error: unknown): string => {
  if (isDiskFull(error)) return "The disk of the journal is full"
  return `The journal cannot be written: ${codeOf(error) ?? "a defect"}`
}

const sum = (segments: ReadonlyArray<Segment>, of: (segment: Segment) => number): number =>
  segments.reduce((total, segment) => total + of(segment), 0)

export class JournalFiles {
  readonly #root: string
  readonly #bounds: JournalBounds
  readonly #writer = new GroupWriter<CaptureRecord>((group, size) => this.#write(group, size), writes)
  #folder: Folder
  /** In shipping order; the current segment is the last. */
  #segments: Array<Segment> = []
  #current: Segment | null = null
  /** Files taken over but not yet read. */
  readonly #adopting: Array<string> = []
  #taken: { readonly segment: Segment; readonly batch: Batch } | null = null
  #dropped = 0
  #trouble: string | null = null
  #mistake: string | null = null
  readonly waiting = new WaitingRecords()

  constructor(root: string, bounds: JournalBounds) {
    this.#root = root
    this.#bounds = bounds
    this.#folder = new Folder(root, randomUUID())
  }

  get figures(): RecorderFigures {
    const trouble = this.#writer.isHanging ? hangingMessage : this.#trouble
    return { waiting: this.waiting.count, dropped: this.#dropped, trouble }
  }

  /** The number and text of the invariant that was broken first; null where all held. */
  get mistake(): string | null {
    return this.#mistake
  }

  #findMistake(): string | null {
    if (this.#current !== null && this.#current !== this.#segments.at(-1))
      return "1: the current segment is not the last"
    const waiting = sum(this.#segments, (segment) => segment.waiting)
    if (this.waiting.count !== waiting) return `2: ${this.waiting.count} records wait, and the segments have ${waiting}`
    const isTaken = this.#taken === null || this.#segments.includes(this.#taken.segment)
    return isTaken ? null : "3: the last batch is of no segment"
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
    this.#mistake ??= this.#findMistake()
    try {
      await this.#cutShipped()
      const bytes = sum(this.#segments, (segment) => segment.size)
      if (bytes + size > this.#bounds.bytesMax) return this.#drop(group.length, fullMessage)
      const segment = this.#current ?? (await this.#roll())
      const heldBytes = sum(this.#segments, (segment) => segment.heldBytes)
      const { bytesMax, heldBytesMax, segmentBytes } = this.#bounds
      const room = Math.min(bytesMax - bytes, segmentBytes - segment.size) - size
      await segment.write(group, size, room, heldBytes + size <= heldBytesMax)
      this.waiting.add(group.length)
      if (segment.size >= this.#bounds.segmentBytes) this.#current = null
      this.#trouble = null
    } catch (error) {
      this.#drop(group.length, troubleOf(error))
      // The content of a failed file is uncertain.
      if (!isDiskFull(error)) await this.#finish()
    }
  }

  async #roll(): Promise<Segment> {
    await this.#folder.make()
    const segment = await Segment.create(this.#folder.path, this.#folder.nextPath(SegmentName.newSuffix()))
    this.#segments.push(segment)
    this.#current = segment
    return segment
  }

  /** No more is written to the current segment. */
  async #finish(): Promise<void> {
    const segment = this.#current
    this.#current = null
    if (segment?.waiting === 0) await this.#remove(segment)
  }

  async #remove(segment: Segment): Promise<void> {
    this.#segments = this.#segments.filter((other) => other !== segment)
    await segment.remove().catch(() => {})
  }

  /** Cuts a current segment that is wholly shipped. */
  async #cutShipped(): Promise<void> {
    const segment = this.#current
    if (segment === null || segment.waiting > 0 || segment.size === 0) return
    await segment.cut().catch(() => this.#finish())
  }

  /** See `Shelf.next`. */
  async next(max: BatchMax): Promise<ReadonlyArray<CaptureRecord>> {
    for (const segment of this.#segments) {
      if (segment.waiting === 0) continue
      const batch = await segment.next(max)
      // Its folder was lost meanwhile: its records are another process's to ship.
      if (!this.#segments.includes(segment)) return this.next(max)
      this.#taken = { segment, batch }
      if (batch.error !== undefined) this.#trouble = troubleOf(batch.error)
      this.#dropped += batch.count - batch.records.length
      if (batch.records.length > 0) return batch.records
      // No record of the batch is readable.
      await this.acknowledge()
      return this.next(max)
    }
    return []
  }

  /** See `Shelf.acknowledge`. */
  async acknowledge(): Promise<void> {
    if (this.#taken === null) return
    const { batch, segment } = this.#taken
    this.#taken = null
    segment.acknowledge(batch)
    this.waiting.remove(batch.count)
    if (segment.waiting > 0) return
    if (segment === this.#current) await this.#writer.alone(() => this.#cutShipped())
    else await this.#remove(segment)
  }

  /** Takes over what dead processes left: how many records those are, and how many damage took. */
  async adopt(): Promise<{ readonly records: number; readonly lost: number }> {
    let records = 0
    let lost = 0
    this.#adopting.push(...(await this.#folder.adopt()))
    for (let path = this.#adopting[0]; path !== undefined; path = this.#adopting[0]) {
      const { lost: lostHere, segment } = await Segment.adopt(path)
      this.#adopting.shift()
      lost += lostHere
      records += segment.waiting
      this.#segments.unshift(segment)
      this.waiting.add(segment.waiting)
      if (segment.waiting === 0) await this.#remove(segment)
    }
    this.#dropped += lost
    return { records, lost }
  }

  /** Writes the heartbeat; releases callers that wait for a hanging disk. */
  async beat(): Promise<void> {
    this.#writer.releaseWaiting()
    if (await this.#folder.beat()) return
    // This process stood still so long that another took its segments over: they are the other's to ship.
    await this.#writer.alone(async () => {
      const lost = this.#segments
      this.#segments = []
      this.#current = null
      this.#taken = null
      this.#adopting.length = 0
      this.#folder = new Folder(this.#root, randomUUID())
      this.waiting.remove(sum(lost, ({ waiting }) => waiting))
      await Promise.all(lost.map((segment) => segment.close().catch(() => {})))
    })
  }

  /** Leaves unshipped records to the next process. */
  async close(): Promise<void> {
    await this.#writer.drain()
    for (const segment of this.#segments) await (segment.waiting === 0 ? segment.remove() : segment.close())
    this.#segments = []
    this.#current = null
    await this.#folder.release()
  }
}
