/** The bytes of one passing answer: its kept part, and its detected end. */
import type * as Effect from "effect/Effect"
import { CaptureLimits } from "../../Limits.ts"
import type { UpstreamResponse } from "../../upstream/Upstream.ts"
import type { TapeBuffer, TapeContent } from "./TapeMemory.ts"

const newline = 0x0a
const carriageReturn = 0x0d
const doneCodes = [..."data:[DONE]"].map((character) => character.charCodeAt(0))
const space = 0x20

const isBreak = (byte: number | undefined): boolean => byte === newline || byte === carriageReturn

/** The bytes at the end of a stream that are searched for its last line, once for each chunk. */
const searchedBytesMax = 64

/** Whether the last line is `data: [DONE]`, wherever the chunks end. Reads `searchedBytesMax` bytes at most. */
export const endsWithDone = (chunks: ReadonlyArray<Uint8Array>): boolean => {
  let chunk = chunks.length - 1
  let at = (chunks[chunk]?.length ?? 0) - 1
  let left = searchedBytesMax
  const previous = (): number | undefined => {
    while (at < 0) {
      if (--chunk < 0) return undefined
      at = (chunks[chunk]?.length ?? 0) - 1
    }
    left--
    return chunks[chunk]?.[at--]
  }
  let byte = previous()
  while (isBreak(byte) && left > 0) byte = previous()
  for (let index = doneCodes.length - 1; index >= 0; index--) {
    if (byte === space && index === 4) byte = previous()
    if (byte !== doneCodes[index]) return false
    byte = previous()
  }
  return byte === undefined || isBreak(byte)
}

export class Tape {
  readonly #reel: TapeBuffer
  #bytes = 0
  /** Of the whole answer; infinite where the head does not say. */
  #length = Number.POSITIVE_INFINITY
  #isStream = false
  /** Whether the answer was longer than its kept part. */
  #isCut = false
  #firstAt: number | null = null

  constructor(reel: TapeBuffer) {
    this.#reel = reel
  }

  /** When the first bytes passed. */
  get firstAt(): number | null {
    return this.#firstAt
  }

  /** The head of the answer is there. */
  begin({ headers }: Pick<UpstreamResponse, "headers">): void {
    const length = headers["content-length"]
    if (length !== undefined) this.#length = Number(length)
    this.#isStream =
      headers["content-type"]?.startsWith("text/event-stream") === true && !("content-encoding" in headers)
  }

  /** Returns whether the answer is whole with these. */
  add(chunks: ReadonlyArray<Uint8Array>, now: number): boolean {
    this.#firstAt ??= now
    for (const chunk of chunks) {
      const room = CaptureLimits.capturedBytesMax - this.#bytes
      this.#bytes += chunk.length
      if (chunk.length > room) this.#isCut = true
      if (room > 0) this.#reel.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    }
    if (this.#bytes >= this.#length) return true
    return this.#isStream && this.#bytes <= CaptureLimits.capturedBytesMax && endsWithDone(this.#reel.end)
  }

  /** Passes the kept bytes to `f`, then releases them. */
  use<A>(f: (taken: TapeContent) => Effect.Effect<A>): Effect.Effect<A> {
    return this.#reel.use(({ chunks, isCut }) => f({ chunks, isCut: isCut || this.#isCut }))
  }

  /** Nothing of it is needed. */
  get release(): Effect.Effect<void> {
    return this.#reel.release
  }
}
