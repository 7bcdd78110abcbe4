/** Bytes that arrive in pieces, for a reader with callbacks; a stream takes a dozen Effect steps per piece. See `Body`. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

export type Chunks = readonly [Uint8Array, ...ReadonlyArray<Uint8Array>]

/** What a reader gets at a time: chunks, the end, or why there are no more. */
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
  readonly whenThere: (call: () => void) => void
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

const pullOf = <E>({ take, whenThere }: Flow<E>): Effect.Effect<Chunks, E | Cause.Done> => {
  const awaited = Effect.callback<void>((resume) => whenThere(() => resume(Effect.void)))
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
export const following = <E = never>(pieces: ReadonlyArray<Uint8Array>, rest?: Flow<E>): Flow<E> => {
  const [first, ...others] = pieces
  let held: Portion<E> | undefined =
    first === undefined ? undefined : { _tag: "Chunks", chunks: [first, ...others], first: null }
  return {
    take: () => {
      const portion = held
      held = undefined
      return portion ?? (rest === undefined ? { _tag: "Ended", first: null } : rest.take())
    },
    whenThere: (call) => (rest === undefined ? call() : rest.whenThere(call))
  }
}

/** `note` observes each taken portion; the returned effect runs before the portion is passed on. */
export const tapped = <E>(
  { take, whenThere }: Flow<E>,
  note: (portion: Portion<E>) => Effect.Effect<void> | null
): Flow<E> => ({
  take: () => {
    const portion = take()
    if (portion === undefined) return undefined
    const noted = note(portion)
    if (noted === null) return portion
    return { ...portion, first: portion.first === null ? noted : Effect.andThen(portion.first, noted) }
  },
  whenThere
})
