/** Tries a source out: asks its upstream for the models with the source's key, and says what came of it. */
import type { NotFound, StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { WholeAnswer } from "../upstream/internal/WholeAnswer.ts"
import { Upstream } from "../upstream/Upstream.ts"
import * as Listing from "./internal/Listing.ts"
import { idsOf } from "./ModelCatalog.ts"
import type { Source } from "./Source.ts"
import { Sources } from "./Sources.ts"

export interface Verification {
  readonly source: Source
  /** Null: it is as it should be. Else `unauthorized`, `unexpected_status`, `invalid_answer`, or why nothing came. */
  readonly reason: string | null
  readonly statusCode: number | null
  readonly models: ReadonlyArray<string>
  readonly durationMillis: number
}

export class Verifications extends Context.Service<
  Verifications,
  {
    /** Never waits longer than 10 s; what is wrong with the source is an answer, not a failure. */
    readonly verify: (partition: Partition, id: string) => Effect.Effect<Verification, NotFound | StorageError>
  }
>()("@limbeck/capture/source/Verifications") {}

const judged = (answer: WholeAnswer): Pick<Verification, "reason" | "statusCode" | "models"> => {
  const { status: statusCode } = answer
  if (statusCode === 401 || statusCode === 403) return { reason: "unauthorized", statusCode, models: [] }
  if (statusCode !== 200) return { reason: "unexpected_status", statusCode, models: [] }
  const models = idsOf(answer)
  return models === undefined
    ? { reason: "invalid_answer", statusCode, models: [] }
    : { reason: null, statusCode, models }
}

const make = Effect.gen(function* () {
  const sources = yield* Sources
  const upstream = yield* Upstream

  return Verifications.of({
    verify: Effect.fn("Verifications.verify")(function* (partition, id) {
      const { source } = yield* sources.get(partition, id)
      const credentials = yield* sources.credentials(partition, source)
      const begunAt = yield* Clock.monotonicTimeNanos
      const asked = yield* Effect.result(Listing.ask(upstream, partition, source, credentials))
      const durationMillis = Math.round(Number((yield* Clock.monotonicTimeNanos) - begunAt) / 1e6)
      const found = Result.isSuccess(asked)
        ? judged(asked.success)
        : { reason: asked.failure.reason, statusCode: null, models: [] }
      return { source, durationMillis, ...found }
    })
  })
})

export const layer: Layer.Layer<Verifications, never, Sources | Upstream> = Layer.effect(Verifications, make)
