/** Bytes that arrive in pieces, for a reader with callbacks; a stream takes a dozen Effect steps per piece. See `Body`. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

export type Chunks = readonly [Uint8Array, ...ReadonlyArray<Uint8Array>]

/** A reader's next portion: chunks, the end, or a failure. */
export type Portion<E> = {
  /** The effect that runs before the portion is passed on; null without one. */
  readonly first: Effect.Effect<void> | null
} & (
  | { readonly _tag: "Chunks"; readonly chunks: Chunks }
  | { readonly _tag: "Ended" }
  | { readonly _tag: "Broken"; readonly error: E }
)

/** A sequence of portions for a single reader. Fails when the body is shorter than Content-Length. */
export interface Flow<E> {
  /** Takes all available bytes; undefined if none are available. More may arrive at once. */
  readonly take: () => Portion<E> | undefined
  /** Calls once when bytes are available. Use it after `take` has returned undefined. */
  readonly onAvailable: (call: () => void) => void
}

const chunksOf = <E>(portion: Portion<E>): Effect.Effect<Chunks, E | Cause.Done> => {
  switch (portion._tag) {
    case "Chunks":
      return Effect.succeed(portion.chunks)
    case "Ended":
      return Cause.done()
    case "Broken":
      return Effect.fail(portion.error)
  }
}

const pullOf = <E>({ take, onAvailable }: Flow<E>): Effect.Effect<Chunks, E | Cause.Done> => {
  const awaited = Effect.callback<void>((resume) => onAvailable(() => resume(Effect.void)))
  const next: Effect.Effect<Chunks, E | Cause.Done> = Effect.suspend(() => {
    const portion = take()
    if (portion === undefined) return Effect.andThen(awaited, next)
    const chunks = chunksOf(portion)
    return portion.first === null ? chunks : Effect.andThen(portion.first, chunks)
  })
  return next
}

/** The same bytes. Either the stream is read or its flow. */
export const toStream = <E>(flow: Flow<E>): Stream.Stream<Uint8Array, E> =>
  Stream.fromPull(Effect.succeed(pullOf(flow)))

/** Pieces that are there already, and then the bytes of `rest`, if any. */
export const prepend = <E = never>(pieces: ReadonlyArray<Uint8Array>, rest?: Flow<E>): Flow<E> => {
  const [first, ...others] = pieces
  let held: Portion<E> | undefined =
    first === undefined ? undefined : { _tag: "Chunks", chunks: [first, ...others], first: null }
  return {
    take: () => {
      const portion = held
      held = undefined
      return portion ?? (rest === undefined ? { _tag: "Ended", first: null } : rest.take())
    },
    onAvailable: (call) => (rest === undefined ? call() : rest.onAvailable(call))
  }
}

/** `note` observes each taken portion; the returned effect runs before the portion is passed on. */
export const tap = <E>(
  { take, onAvailable }: Flow<E>,
  note: (portion: Portion<E>) => Effect.Effect<void> | null
): Flow<E> => ({
  take: () => {
    const portion = take()
    if (portion === undefined) return undefined
    const noted = note(portion)
    if (noted === null) return portion
    return { ...portion, first: portion.first === null ? noted : Effect.andThen(portion.first, noted) }
  },
  onAvailable
})

/** The pieces of a flow that is derived from another one. A piece may be empty. */
export interface Mapping<E> {
  readonly piece: (bytes: Uint8Array) => Result.Result<Uint8Array, E>
  /** The pieces that follow the last one. */
  readonly end: () => ReadonlyArray<Uint8Array>
}

/** Replaces each piece as it arrives; a failed replacement breaks the flow. Empty pieces are left out. */
export const mapPieces = <E>({ take, onAvailable }: Flow<E>, { end, piece }: Mapping<E>): Flow<E> => {
  let isEnded = false
  let waiting: Effect.Effect<void> | null = null
  /** The portion's effect, after the effects of skipped portions. */
  const firstOf = ({ first }: Portion<E>): Effect.Effect<void> | null => {
    const earlier = waiting
    waiting = null
    if (earlier === null) return first
    return first === null ? earlier : Effect.andThen(earlier, first)
  }
  const ofPieces = (portion: Portion<E>, pieces: ReadonlyArray<Uint8Array>): Portion<E> | undefined => {
    const [one, ...others] = pieces.filter(({ length }) => length > 0)
    const first = firstOf(portion)
    if (one !== undefined) return { _tag: "Chunks", chunks: [one, ...others], first }
    waiting = first
    return undefined
  }
  const ofChunks = (portion: Portion<E>, chunks: Chunks): Portion<E> | undefined => {
    const pieces: Array<Uint8Array> = []
    for (const chunk of chunks) {
      const made = piece(chunk)
      if (Result.isFailure(made)) return { _tag: "Broken", error: made.failure, first: firstOf(portion) }
      pieces.push(made.success)
    }
    return ofPieces(portion, pieces)
  }
  const next = (): Portion<E> | undefined => {
    if (isEnded) return { _tag: "Ended", first: null }
    for (;;) {
      const portion = take()
      if (portion === undefined) return undefined
      if (portion._tag === "Broken") return { ...portion, first: firstOf(portion) }
      isEnded = portion._tag === "Ended"
      const own = portion._tag === "Chunks" ? ofChunks(portion, portion.chunks) : ofPieces(portion, end())
      if (own !== undefined) return own
      if (isEnded) return { _tag: "Ended", first: firstOf({ _tag: "Ended", first: null }) }
    }
  }
  return { take: next, onAvailable: (call) => (isEnded ? call() : onAvailable(call)) }
}
