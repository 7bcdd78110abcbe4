/**
 * Gathers entries during a write and writes them together: alone an entry waits for nothing, under load many share one
 * write.
 */
import { performance } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"

/**
 * A fast disk leaves no time for gathering, and a write per record costs as much as the record. After entries came
 * together, or during a write, the next write waits this long for more, unless enough are gathered: callers acknowledged
 * together return together, and the first of them would get a write of its own, as every second write under load did.
 */
const gatherMillis = 2
const gatheredEnough = 32

/** An entry without a waiting caller shares the next write, and so costs none of its own; or is written after this time. */
const idleMillis = 50

export interface Entry<A> {
  readonly value: A
  readonly bytes: ReadonlyArray<Uint8Array>
  readonly size: number
  /** Nobody waits for it. */
  readonly isIdle?: boolean
  /** Called once, or twice where the disk hung: the entry is written, or given up. */
  readonly done: () => void
}

export interface GroupBounds {
  /** Of one write. */
  readonly groupBytes: number
  /** Of what waits for the disk. */
  readonly waitingBytesMax: number
  /** A caller that waits longer for the disk is released. */
  readonly patienceMillis: number
}

export class GroupWriter<A> {
  readonly #write: (group: ReadonlyArray<Entry<A>>, size: number) => Promise<void>
  readonly #bounds: GroupBounds
  #waiting: Array<Entry<A>> = []
  #waitingBytes = 0
  /** Waiting entries with a waiting caller. */
  #urgent = 0
  #idling: Promise<void> | null = null
  readonly #tasks: Array<() => Promise<void>> = []
  #group: ReadonlyArray<Entry<A>> = []
  #beganAt: number | null = null
  /** Whether the next write waits a moment for more. */
  #isGathering = false
  #running: Promise<void> | null = null

  /** `write` never rejects. */
  constructor(write: (group: ReadonlyArray<Entry<A>>, size: number) => Promise<void>, bounds: GroupBounds) {
    this.#write = write
    this.#bounds = bounds
  }

  get isHanging(): boolean {
    return this.#beganAt !== null && performance.now() - this.#beganAt > this.#bounds.patienceMillis
  }

  /** False where too much waits already: the entry is not taken. */
  add(entry: Entry<A>): boolean {
    if (this.#waitingBytes + entry.size > this.#bounds.waitingBytesMax) return false
    this.#waiting.push(entry)
    this.#waitingBytes += entry.size
    if (this.isHanging) entry.done()
    if (entry.isIdle !== true) {
      this.#urgent++
      this.#running ??= this.#run()
    } else if (this.#running === null) this.#idle()
    return true
  }

  /** Lets everybody go who waits for a disk that hangs. */
  releaseWaiting(): void {
    if (!this.isHanging) return
    for (const { done } of [...this.#group, ...this.#waiting]) done()
  }

  /** Runs `task` between two writes. */
  alone(task: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#tasks.push(() => task().then(resolve, reject))
      this.#running ??= this.#run()
    })
  }

  /** Until all is written. */
  async drain(): Promise<void> {
    while (this.#running !== null || this.#waiting.length > 0) {
      this.#running ??= this.#run(true)
      await this.#running
    }
  }

  #idle(): void {
    this.#idling ??= sleep(idleMillis, undefined, { ref: false }).then(() => {
      this.#idling = null
      // A run without entries would end before `#running` is assigned.
      if (this.#waiting.length > 0) this.#running ??= this.#run(true)
    })
  }

  /** `all`: also what nobody waits for. */
  async #run(all = false): Promise<void> {
    while (this.#tasks.length > 0 || this.#urgent > 0 || (all && this.#waiting.length > 0)) {
      const task = this.#tasks.shift()
      if (task !== undefined) {
        await task()
        continue
      }
      if (this.#isGathering && this.#waiting.length < gatheredEnough) await sleep(gatherMillis)
      await this.#writeGroup()
    }
    this.#running = null
    if (this.#waiting.length > 0) this.#idle()
  }

  async #writeGroup(): Promise<void> {
    const before = this.#urgent
    const size = this.#take()
    const cameTogether = before - this.#urgent > 1
    this.#beganAt = performance.now()
    await this.#write(this.#group, size)
    this.#beganAt = null
    this.#isGathering = cameTogether || this.#urgent > 0
    for (const { done } of this.#group) done()
    this.#group = []
  }

  /** Makes the oldest waiting entries the group; at least one. Returns its bytes. */
  #take(): number {
    let size = 0
    let count = 0
    for (const entry of this.#waiting) {
      if (count > 0 && size + entry.size > this.#bounds.groupBytes) break
      size += entry.size
      count++
      if (entry.isIdle !== true) this.#urgent--
    }
    this.#group = this.#waiting.slice(0, count)
    this.#waiting = this.#waiting.slice(count)
    this.#waitingBytes -= size
    return size
  }
}
