/**
 * Bytes that come piece by piece, for a reader that is called: as a stream, each piece takes a dozen steps of Effect. A flow is
 * known by its stream, so that a stream which was made of that one, and may say something else, is no flow any more.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

export type Chunks = readonly [Uint8Array, ...ReadonlyArray<Uint8Array>]

/** What a reader gets at a time: chunks, the end, or why there are no more. */
export type Portion<E> = {
  /** What is to be done before it is passed on; null: nothing. */
  readonly first: Effect.Effect<void> | null
} & (
  | { readonly _tag: "Chunks"; readonly chunks: Chunks }
  | { readonly _tag: "Ended" }
  | { readonly _tag: "Broken"; readonly error: E }
)

/** For one reader, which reads it once. It breaks where it has not as many bytes as was said of it. */
export interface Flow<E> {
  /** All that is there; undefined while nothing is. More may be there right after it. */
  readonly take: () => Portion<E> | undefined
  /** To be asked when nothing is there: calls once, as soon as something is. */
  readonly whenThere: (call: () => void) => void
}

interface FlowStream<E> extends Stream.Stream<Uint8Array, E> {
  readonly flow: Flow<E>
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
export const streamOf = <E>(flow: Flow<E>): Stream.Stream<Uint8Array, E> => {
  const stream: FlowStream<E> = Object.assign(Stream.fromPull(Effect.succeed(pullOf(flow))), { flow })
  return stream
}

/** The flow that `streamOf` made the stream of; undefined where the stream was made otherwise. */
export const of = <E>(stream: Stream.Stream<Uint8Array, E>): Flow<E> | undefined =>
  "flow" in stream ? (stream as FlowStream<E>).flow : undefined // No other stream has one.

/** `note` sees each portion as it is taken; what it returns is done before the portion is passed on. */
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
