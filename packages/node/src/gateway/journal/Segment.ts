/** One file of the journal: records are added to its end until it is full, and read from its beginning until all are shipped. */
import * as fs from "node:fs"
import { promisify } from "node:util"
import type { CaptureRecord } from "@limbeck/gateway/capture/CallRecord"
import { type Frame, frameAt } from "./Frames.ts"

const open = promisify(fs.open)
const close = promisify(fs.close)
const read = promisify(fs.read)
const ftruncate = promisify(fs.ftruncate)
const fsync = promisify(fs.fsync)
const unlink = promisify(fs.unlink)

/** What is read at once. */
const blockBytes = 1024 * 1024

const syncFolder = async (folder: string): Promise<void> => {
  const directory = await open(folder, "r")
  await fsync(directory).finally(() => close(directory))
}

export interface Held {
  readonly record: CaptureRecord
  /** Where its frame ends. */
  readonly end: number
}

export class Segment {
  readonly path: string
  readonly #fd: number
  /** Bytes that hold whole records. */
  size = 0
  /** Records beyond `shippedTo`. */
  waiting = 0
  shippedTo = 0
  /** The records beyond `shippedTo` in memory; null where they are to be read from the file. */
  held: Array<Held> | null

  private constructor(path: string, fd: number, held: Array<Held> | null) {
    this.path = path
    this.#fd = fd
    this.held = held
  }

  /** A new one, empty. Its name is durable, too. */
  static async create(folder: string, path: string): Promise<Segment> {
    const segment = new Segment(path, await open(path, "wx+", 0o600), [])
    // Where a folder cannot be synced, names are kept without.
    await syncFolder(folder).catch(() => {})
    return segment
  }

  /** One that another process left: its whole records wait to be shipped. `cut`: the bytes behind them, which are cut off. */
  static async adopt(path: string): Promise<{ readonly segment: Segment; readonly cut: number }> {
    const segment = new Segment(path, await open(path, "r+"), null)
    const { size } = await promisify(fs.fstat)(segment.#fd)
    for await (const frame of segment.#frames(0, size)) {
      segment.size += frame.size
      segment.waiting++
    }
    if (segment.size < size) await ftruncate(segment.#fd, segment.size)
    return { segment, cut: size - segment.size }
  }

  /** Adds these bytes, durably; when that fails, they are not part of it. */
  write(bytes: ReadonlyArray<Uint8Array>, length: number, done: (error: Error | null) => void): void {
    const fail = (error: Error) => fs.ftruncate(this.#fd, this.size, () => done(error))
    fs.writev(this.#fd, bytes, this.size, (error, written) => {
      if (error !== null) return fail(error)
      if (written < length) return fail(Object.assign(new Error("short write"), { code: "ENOSPC" }))
      fs.fdatasync(this.#fd, (unsynced) => {
        if (unsynced !== null) return fail(unsynced)
        this.size += length
        done(null)
      })
    })
  }

  /** The frames from `from` on, as far as they are whole. */
  async *#frames(from: number, to: number): AsyncGenerator<Frame> {
    let at = from
    let needed = blockBytes
    while (at < to) {
      const block = Buffer.allocUnsafe(Math.min(needed, to - at))
      const { bytesRead } = await read(this.#fd, block, 0, block.length, at)
      const bytes = block.subarray(0, bytesRead)
      let used = 0
      let found = frameAt(bytes, used)
      while (typeof found === "object" && "payload" in found) {
        yield found
        used += found.size
        found = frameAt(bytes, used)
      }
      at += used
      if (found === "corrupt" || bytesRead < block.length) return
      if (used === 0 && block.length >= found.short) return
      needed = Math.max(blockBytes, found.short)
      if (used === 0 && needed > to - at) return
    }
  }

  /** What is not shipped, from the file. */
  frames(): AsyncGenerator<Frame> {
    return this.#frames(this.shippedTo, this.size)
  }

  /** Empties it. */
  async cut(): Promise<void> {
    await ftruncate(this.#fd, 0)
    this.size = 0
    this.shippedTo = 0
  }

  async close(): Promise<void> {
    await close(this.#fd)
  }

  async remove(): Promise<void> {
    await unlink(this.path)
    await this.close()
  }
}
