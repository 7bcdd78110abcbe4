/**
 * The memory of all answers under way in the process. Beyond the bound the longest answer moves to the spill, a file of its
 * own, and its writer waits: so an upstream is read no faster than the disk writes. Without a spill, or after its failure,
 * the longest answer is cut, which its record shows. The client notices neither.
 *
 *     bytes ── TapeBuffer.push ──▶ held ≤ bound ─────────────────────────────▶ TapeBuffer.use ──▶ record
 *                              └─▶ relieve: the longest ──▶ spill file ──▶ read back, one at a time
 *
 * Invariants: `held` is the sum over the reels; a released reel holds nothing; `use` gives a prefix of the pushed bytes,
 * and all of them unless `isCut`.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { SpillFile, SpillPlace } from "../Spill.ts"

export interface TapeBounds {
  /** Of all answers under way. */
  readonly heldBytesMax: number
  /** Bytes kept of a cut answer. */
  readonly cutBytes: number
}

/** Last bytes that stay in memory, where the end of a stream is searched. */
const tailBytes = 64

export interface TapeContent {
  readonly chunks: ReadonlyArray<Uint8Array>
  /** Whether bytes behind these were not kept. */
  readonly isCut: boolean
}

const lengthOf = (chunks: ReadonlyArray<Uint8Array>): number => chunks.reduce((sum, { length }) => sum + length, 0)

/** At most `most` first bytes, copied out of their buffers. */
const headOf = (chunks: ReadonlyArray<Uint8Array>, most: number): Uint8Array => {
  const head = new Uint8Array(Math.min(most, lengthOf(chunks)))
  let at = 0
  for (const chunk of chunks) {
    if (at >= head.length) break
    head.set(chunk.subarray(0, head.length - at), at)
    at += chunk.length
  }
  return head
}

/** What is kept of one answer. */
export class TapeBuffer {
  readonly #memory: TapeMemory
  readonly #turn = Semaphore.makeUnsafe(1)
  /** The chunks in memory, behind the last bytes of earlier chunks. */
  #chunks: Array<Uint8Array> = []
  /** The number of such leading chunks: none or one. */
  #past = 0
  /** The kept part of an answer that was cut without a move. */
  #head: ReadonlyArray<Uint8Array> = []
  #file: SpillFile | null = null
  #isMoved = false
  #isCut = false

  constructor(memory: TapeMemory) {
    this.#memory = memory
  }

  /** The available last bytes. Not copied: read for every chunk. */
  get end(): ReadonlyArray<Uint8Array> {
    return this.#chunks
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    if (this.#isCut) this.#leave()
    else this.#memory.count(this, chunk.length)
  }

  get #own(): ReadonlyArray<Uint8Array> {
    return this.#past === 0 ? this.#chunks : this.#chunks.slice(this.#past)
  }

  /** Moves the chunks out of memory. */
  #leave(): ReadonlyArray<Uint8Array> {
    const own = this.#own
    const last = this.#chunks[this.#chunks.length - 1]
    this.#chunks = last === undefined ? [] : [last.slice(-tailBytes)]
    this.#past = this.#chunks.length
    return own
  }

  /** Stops keeping, and keeps only `head` in memory. */
  #cut(head: ReadonlyArray<Uint8Array>): void {
    const left = lengthOf(this.#leave())
    this.#isCut = true
    this.#head = head
    this.#memory.count(this, lengthOf(head) - left)
    this.#memory.settle(this)
  }

  /** Frees its memory, or all but the first `cutBytes` where there is no place for the rest. */
  free(place: SpillPlace | null, cutBytes: number): Effect.Effect<void> {
    if (place === null) return Effect.sync(() => this.#cut([headOf(this.#own, cutBytes)]))
    const move = Effect.gen({ self: this }, function* () {
      this.#isMoved = true
      const chunks = this.#leave()
      const freed = Effect.sync(() => this.#memory.count(this, -lengthOf(chunks)))
      const write = Effect.gen({ self: this }, function* () {
        this.#file ??= yield* place.open
        yield* this.#file.append(chunks)
      })
      yield* Effect.ensuring(
        Effect.catch(write, () => Effect.sync(() => this.#cut([]))),
        freed
      )
    })
    return Effect.uninterruptible(this.#turn.withPermit(Effect.suspend(() => (this.#isCut ? Effect.void : move))))
  }

  /** Passes all kept bytes to `f`, then releases them. */
  use<A>(f: (taken: TapeContent) => Effect.Effect<A>): Effect.Effect<A> {
    this.#memory.settle(this)
    const use = this.#isMoved
      ? this.#memory.oneAtATime(Effect.flatMap(this.#turn.withPermit(this.#read), f))
      : Effect.suspend(() => f(this.#inMemory))
    return Effect.ensuring(use, this.release)
  }

  get #inMemory(): TapeContent {
    return { chunks: this.#isCut ? this.#head : this.#own, isCut: this.#isCut }
  }

  get #read(): Effect.Effect<TapeContent> {
    const file = this.#file
    if (file === null) return Effect.sync(() => this.#inMemory)
    return Effect.match(file.read, {
      onSuccess: (moved) => ({ chunks: [moved, ...this.#inMemory.chunks], isCut: this.#isCut }),
      onFailure: () => ({ chunks: [], isCut: true })
    })
  }

  /** Nothing of it is needed. */
  readonly release: Effect.Effect<void> = Effect.suspend(() => {
    this.#memory.count(this, -lengthOf(this.#inMemory.chunks))
    this.#memory.settle(this)
    this.#chunks = []
    this.#past = 0
    this.#head = []
    const file = this.#file
    this.#file = null
    return file === null ? Effect.void : file.close
  })
}

export class TapeMemory {
  readonly #place: SpillPlace | null
  readonly #bounds: TapeBounds
  readonly #writing = Semaphore.makeUnsafe(1)
  readonly #reading = Semaphore.makeUnsafe(1)
  /** Reels that have something that can be freed, and how much each has. */
  readonly #reels = new Map<TapeBuffer, number>()
  #held = 0

  constructor(place: SpillPlace | null, bounds: TapeBounds) {
    this.#place = place
    this.#bounds = bounds
  }

  /** Bytes in memory, those on their way to the spill included. */
  get held(): number {
    return this.#held
  }

  count(reel: TapeBuffer, bytes: number): void {
    this.#held += bytes
    this.#reels.set(reel, (this.#reels.get(reel) ?? 0) + bytes)
  }

  /** The reel has no more memory to free. */
  settle(reel: TapeBuffer): void {
    this.#reels.delete(reel)
  }

  oneAtATime<A>(use: Effect.Effect<A>): Effect.Effect<A> {
    return this.#reading.withPermit(use)
  }

  /** Null while all is within the bound: calls pass without a step more. */
  get relief(): Effect.Effect<void> | null {
    return this.#held <= this.#bounds.heldBytesMax ? null : this.#writing.withPermit(this.#relieve)
  }

  readonly #relieve: Effect.Effect<void> = Effect.suspend(() => {
    const longest = this.#held <= this.#bounds.heldBytesMax ? undefined : this.#longest()
    if (longest === undefined) return Effect.void
    return Effect.andThen(longest.free(this.#place, this.#bounds.cutBytes), this.#relieve)
  })

  #longest(): TapeBuffer | undefined {
    let [longest, most] = [undefined as TapeBuffer | undefined, 0]
    for (const [reel, bytes] of this.#reels) if (bytes > most) [longest, most] = [reel, bytes]
    return longest
  }
}
