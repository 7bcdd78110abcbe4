/**
 * A file for durable appends. A write that extends a file costs the disk and this process twice as much as one that does
 * not: so the file grows by zeros in advance.
 *
 *     0 ──── what was added ──── size ──── zeros ──── #end
 *
 * After a kill the file may end in zeros; `adopt` finds the end for its new owner.
 */
import * as fs from "node:fs"
import { promisify } from "node:util"

const open = promisify(fs.open)
const close = promisify(fs.close)
const read = promisify(fs.read)
const ftruncate = promisify(fs.ftruncate)
const fstat = promisify(fs.fstat)

/** A file grows by as much as it holds, and by no more than this. */
const zeros = Buffer.alloc(512 * 1024)

/**
 * On Linux each write is durable when it returns: one trip to the disk and to Node's threads, where a write plus
 * `fdatasync` takes two. Elsewhere the flag promises less than `fdatasync`, or is missing.
 */
const isDurableAtOnce = process.platform === "linux"
const { O_CREAT, O_DSYNC, O_EXCL, O_RDWR } = fs.constants
const creating = O_CREAT | O_EXCL | O_RDWR | (isDurableAtOnce ? O_DSYNC : 0)

const shortWrite = () => Object.assign(new Error("short write"), { code: "ENOSPC" })

export class DurableFile {
  readonly #fd: number
  #size = 0
  #end: number

  private constructor(fd: number, end: number) {
    this.#fd = fd
    this.#end = end
  }

  /** A new one, empty. */
  static async create(path: string): Promise<DurableFile> {
    return new DurableFile(await open(path, creating, 0o600), 0)
  }

  /** Opens an existing file for reading. `size` is the file's size until `cut`. */
  static async adopt(path: string): Promise<DurableFile> {
    const fd = await open(path, "r+")
    const { size } = await fstat(fd)
    const file = new DurableFile(fd, size)
    file.#size = size
    return file
  }

  /** Without the zeros. */
  get size(): number {
    return this.#size
  }

  /**
   * Appends all parts durably; on failure the file keeps its previous end. `length`: bytes of the parts. `room`: maximum
   * zeros behind them. One call at a time.
   */
  add(parts: ReadonlyArray<Uint8Array>, length: number, room: number): Promise<void> {
    const isLonger = this.#size + length > this.#end
    return new Promise((resolve, reject) => {
      const fail = (error: Error) => {
        this.#end = this.#size
        fs.ftruncate(this.#fd, this.#size, () => reject(error))
      }
      const succeed = (written: number) => {
        this.#end = Math.max(this.#end, this.#size + written)
        this.#size += length
        resolve()
      }
      fs.writev(this.#fd, isLonger ? [...parts, this.#zeros(room)] : parts, this.#size, (error, written) => {
        if (error !== null) return fail(error)
        // Some of the zeros may be missing.
        if (written < length) return fail(shortWrite())
        if (isDurableAtOnce) return succeed(written)
        fs.fdatasync(this.#fd, (unsynced) => (unsynced === null ? succeed(written) : fail(unsynced)))
      })
    })
  }

  #zeros(room: number): Buffer {
    return zeros.subarray(0, Math.max(0, Math.min(this.#size, room)))
  }

  async read(at: number, length: number): Promise<Buffer> {
    const block = Buffer.allocUnsafe(length)
    const { bytesRead } = await read(this.#fd, block, 0, length, at)
    return block.subarray(0, bytesRead)
  }

  /** What is behind these bytes is gone. */
  async cut(size: number): Promise<void> {
    await ftruncate(this.#fd, size)
    this.#size = size
    this.#end = size
  }

  async close(): Promise<void> {
    await close(this.#fd)
  }
}
