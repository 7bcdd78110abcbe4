/**
 * What the answers under way have in memory, over the whole process. Past the bound the longest of them moves to the spill, a
 * file of its own, and the writer of the bytes waits for that: so an upstream is read no faster than the disk writes. Without
 * a spill, or when it fails, the longest is cut, which its record says. The client sees nothing of either.
 *
 *     bytes ── Reel.push ──▶ held ≤ bound ─────────────────────────────▶ Reel.use ──▶ record
 *                              └─▶ relieve: the longest ──▶ spill file ──▶ read back, one at a time
 *
 * Invariants: `held` is the sum of what reels hold; a reel that is let go holds nothing; what `use` gives is a prefix of what
 * was pushed, and the whole of it unless `isCut`.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { SpillFile, SpillPlace } from "../Spill.ts"

export interface TapeBounds {
  /** Of all answers under way. */
  readonly heldBytesMax: number
  /** What is kept of an answer that is cut. */
  readonly cutBytes: number
}

/** So many of the last bytes stay in memory: what ends a stream is looked for in them. */
const tailBytes = 64

export interface TapeContent {
  readonly chunks: ReadonlyArray<Uint8Array>
  /** Whether bytes behind these were not kept. */
  readonly isCut: boolean
}

const lengthOf = (chunks: ReadonlyArray<Uint8Array>): number => chunks.reduce((sum, { length }) => sum + length, 0)

/** The first bytes, so many at most, without the buffers that they were part of. */
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
export class Reel {
  readonly #memory: TapeMemory
  readonly #turn = Semaphore.makeUnsafe(1)
  /** What is in memory, behind the last bytes of what was there before. */
  #chunks: Array<Uint8Array> = []
  /** How many of the chunks are such last bytes: none or one. */
  #past = 0
  /** What is kept of one that is cut and was never moved. */
  #head: ReadonlyArray<Uint8Array> = []
  #file: SpillFile | null = null
  #isMoved = false
  #isCut = false

  constructor(memory: TapeMemory) {
    this.#memory = memory
  }

  /** What ends with the last byte that was pushed, as far as it is at hand. Not copied: it is looked at for every chunk. */
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

  /** Takes what is in memory out of it. */
  #leave(): ReadonlyArray<Uint8Array> {
    const own = this.#own
    const last = this.#chunks[this.#chunks.length - 1]
    this.#chunks = last === undefined ? [] : [last.slice(-tailBytes)]
    this.#past = this.#chunks.length
    return own
  }

  /** Keeps no more than it has, of which `head` stays in memory. */
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

  /** All that was pushed and kept, for as long as `f` takes; then it is let go. */
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
  readonly #reels = new Map<Reel, number>()
  #held = 0

  constructor(place: SpillPlace | null, bounds: TapeBounds) {
    this.#place = place
    this.#bounds = bounds
  }

  /** Bytes in memory, those on their way to the spill included. */
  get held(): number {
    return this.#held
  }

  count(reel: Reel, bytes: number): void {
    this.#held += bytes
    this.#reels.set(reel, (this.#reels.get(reel) ?? 0) + bytes)
  }

  /** It has nothing that can be freed any more. */
  settle(reel: Reel): void {
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

  #longest(): Reel | undefined {
    let [longest, most] = [undefined as Reel | undefined, 0]
    for (const [reel, bytes] of this.#reels) if (bytes > most) [longest, most] = [reel, bytes]
    return longest
  }
}
