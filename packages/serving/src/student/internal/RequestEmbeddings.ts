/** Asks a source for the embedding of a request, for a student that answers by it. One request, without a retry. */
import { SourceChat } from "@limbeck/capture/source/SourceChat"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Message } from "@limbeck/distill/dataset/RowText"
import * as EvaluationTags from "@limbeck/distill/race/EvaluationTags"
import type { StudentEmbeddings } from "@limbeck/distill/student/StudentEngine"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ServingLimits } from "../../Limits.ts"
import { StudentFailed } from "./StudentResponse.ts"

export interface RequestEmbedding {
  readonly vector: Float32Array
  /** In micro-dollars; null without a price. */
  readonly costMicros: number | null
}

export type RequestEmbeddings = (
  partition: Partition,
  of: StudentEmbeddings,
  messages: ReadonlyArray<Message>
) => Effect.Effect<RequestEmbedding, StudentFailed>

const failed = (message: string) =>
  new StudentFailed({ reason: "failed", message: `needs an embedding of the request: ${message}` })

const late = new StudentFailed({ reason: "timeout", message: "waited too long for an embedding of the request" })

export const make: Effect.Effect<RequestEmbeddings, never, SourceChat> = Effect.map(SourceChat, (chat) => {
  const ask = Effect.fnUntraced(function* (
    partition: Partition,
    { dimensions, model, source }: StudentEmbeddings,
    text: string
  ) {
    const opened = yield* Effect.mapError(chat.open(partition, source, model), () =>
      failed("its source is not known now")
    )
    const found = Option.getOrUndefined(opened)
    if (found === undefined) return yield* failed("its source is gone")
    const reply = yield* Effect.mapError(
      found.embeddings.ask({
        texts: [text],
        tags: [EvaluationTags.embedding],
        isCaptured: false,
        timeoutMillis: ServingLimits.embeddingMillis
      }),
      ({ message }) => failed(`its source ${message}`)
    )
    const vector = reply.vectors[0] ?? new Float32Array()
    if (vector.length !== dimensions) return yield* failed(`${model} embeds by ${vector.length} numbers now`)
    return { vector, costMicros: reply.costMicros }
  })

  return (partition, of, messages) =>
    Effect.suspend(() => {
      const text = of.textOf(messages)
      if (text.trim() === "") return Effect.succeed({ vector: new Float32Array(of.dimensions), costMicros: 0 })
      return Effect.timeoutOrElse(ask(partition, of, text), {
        duration: ServingLimits.embeddingMillis,
        orElse: () => late
      })
    })
})
