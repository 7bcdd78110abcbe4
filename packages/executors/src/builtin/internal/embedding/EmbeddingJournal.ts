/**
 * The embeddings that a stage has received, as contents named by its checkpoint, so that a resumed attempt asks for no recorded text
 * again. Each content holds the digests of its texts and their embeddings.
 */
import type { StageContext, StageFailure } from "@limbeck/distill/run/Executor"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Container from "../Container.ts"

const kind = "limbeck-embeddings/1"

const State = Schema.Struct({
  /** Digests of the contents. */
  contents: Schema.Array(Schema.String),
  /** What the embeddings have cost, in micro-dollars; null without a price. */
  micros: Schema.NullOr(Schema.Finite),
  /** Latencies of the requests with a single text, in milliseconds; of earlier servers: none. */
  aloneMillis: Schema.Array(Schema.Finite).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  /** Whether every text of the stage has its embedding. */
  isWhole: Schema.Boolean,
  /** Of what follows in the stage; null: nothing yet. */
  rest: Schema.NullOr(Schema.Json)
})
type State = typeof State.Type

const decodeState = Schema.decodeUnknownOption(State)
const beginning: State = { contents: [], micros: 0, aloneMillis: [], isWhole: false, rest: null }

/** Embeddings by the digest of their text. */
export type Vectors = ReadonlyMap<string, Float32Array>

export interface EmbeddedBatch {
  readonly keys: ReadonlyArray<string>
  readonly vectors: ReadonlyArray<Float32Array>
  readonly micros: number | null
  readonly latencyMillis: number
}

export interface EmbeddingJournal {
  /** Whether an earlier attempt has left a checkpoint. */
  readonly isResumed: boolean
  /** The stored embeddings. */
  readonly vectors: Vectors
  readonly state: () => State
  /** Stores batches. */
  readonly add: (batches: ReadonlyArray<EmbeddedBatch>) => Effect.Effect<void, StageFailure>
  /** Every text of the stage is stored. */
  readonly complete: () => void
}

const encode = (batches: ReadonlyArray<EmbeddedBatch>): Uint8Array<ArrayBuffer> => {
  const vectors = batches.flatMap((batch) => batch.vectors)
  const dimensions = vectors[0]?.length ?? 0
  const numbers = new Float32Array(vectors.length * dimensions)
  for (const [at, vector] of vectors.entries()) numbers.set(vector, at * dimensions)
  return Container.encode({ kind, about: batches.flatMap(({ keys }) => keys), arrays: { numbers } })
}

/** We wrote it, and its digest is checked: anything else is a defect. */
const decode = (bytes: Uint8Array): ReadonlyArray<readonly [string, Float32Array]> => {
  const content = Container.decode(bytes, kind)
  if (content instanceof Container.Unreadable) throw new Error(content.reason)
  const keys = content.about as ReadonlyArray<string>
  const numbers = content.arrays["numbers"] as Float32Array
  const dimensions = numbers.length / keys.length
  return keys.map((key, at) => [key, numbers.subarray(at * dimensions, (at + 1) * dimensions)])
}

/** Opens what the stage's checkpoint names. */
export const open = Effect.fnUntraced(function* ({
  blobs,
  stage
}: StageContext): Effect.fn.Return<EmbeddingJournal, StageFailure> {
  const found = decodeState(stage.checkpoint?.state)
  const vectors = new Map<string, Float32Array>()
  let state = Option.getOrElse(found, () => beginning)
  for (const sha256 of state.contents) {
    const bytes = Buffer.concat(yield* Stream.runCollect(blobs.get(sha256)))
    for (const [key, vector] of decode(bytes)) vectors.set(key, vector)
  }
  return {
    isResumed: Option.isSome(found),
    vectors,
    state: () => state,
    add: Effect.fnUntraced(function* (batches) {
      const { sha256 } = yield* blobs.put(Stream.succeed(encode(batches)))
      const costs = batches.map(({ micros }) => micros)
      const micros = costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), state.micros)
      const alone = batches.filter(({ keys }) => keys.length === 1).map(({ latencyMillis }) => latencyMillis)
      state = { ...state, contents: [...state.contents, sha256], micros, aloneMillis: [...state.aloneMillis, ...alone] }
      for (const batch of batches) {
        for (const [at, key] of batch.keys.entries()) vectors.set(key, batch.vectors[at]!)
      }
    }),
    complete: () => {
      state = { ...state, isWhole: true }
    }
  }
})
