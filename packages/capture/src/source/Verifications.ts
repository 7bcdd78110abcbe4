/** Tests a source: requests the upstream's models with the source's key, and reports the result. */
import type { NotFound, StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { CaptureLimits } from "../Limits.ts"
import type { WholeAnswer } from "../upstream/internal/WholeAnswer.ts"
import { loopReason, Upstream } from "../upstream/Upstream.ts"
import * as Listing from "./internal/Listing.ts"
import { idsOf } from "./ModelCatalog.ts"
import type { Source } from "./Source.ts"
import { Sources } from "./Sources.ts"

export interface Verification {
  readonly source: Source
  /**
   * Null: it is as it should be. Else `unauthorized`, `unexpected_status`, `invalid_answer`, or why nothing came; in test mode
   * `no_answer` where telling why would tell ports of this machine apart.
   */
  readonly reason: string | null
  readonly statusCode: number | null
  readonly models: ReadonlyArray<string>
  readonly durationMillis: number
}

export class Verifications extends Context.Service<
  Verifications,
  {
    /** Takes at most 10 s (5 s in test mode); a fault of the source is a result, not a failure. */
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

/** Reasons known before a connection, or given only by an HTTP server. */
const tellsNoPort: ReadonlySet<string> = new Set([
  "answer_too_large",
  "blocked_address",
  "dns_failure",
  "invalid_url",
  loopReason
])

/**
 * In test mode sources may lead to this machine. A closed port, one that does not speak HTTP and one that stays silent differ
 * neither in the reason nor in the time that the verification takes.
 */
const hidesReason = ({ livemode }: Partition, reason: string): boolean => !livemode && !tellsNoPort.has(reason)

const limitOf = ({ livemode }: Partition, { timeoutMillis }: Source): number =>
  Math.min(timeoutMillis, livemode ? CaptureLimits.verifyMillis : CaptureLimits.verifyTestMillis)

const make = Effect.gen(function* () {
  const sources = yield* Sources
  const upstream = yield* Upstream

  return Verifications.of({
    verify: Effect.fn("Verifications.verify")(function* (partition, id) {
      const { source } = yield* sources.get(partition, id)
      const credentials = yield* sources.credentials(partition, source)
      const limitMillis = limitOf(partition, source)
      const begunAt = yield* Clock.monotonicTimeNanos
      const elapsed = Effect.map(Clock.monotonicTimeNanos, (now) => Math.round(Number(now - begunAt) / 1e6))
      const answer = yield* Effect.result(Listing.ask(upstream, partition, source, credentials, limitMillis))
      if (Result.isSuccess(answer)) return { source, durationMillis: yield* elapsed, ...judged(answer.success) }
      const { reason } = answer.failure
      const none = { source, statusCode: null, models: [] }
      if (!hidesReason(partition, reason)) return { ...none, reason, durationMillis: yield* elapsed }
      yield* Effect.sleep(Math.max(0, limitMillis - (yield* elapsed)))
      return { ...none, reason: "no_answer", durationMillis: limitMillis }
    })
  })
})

export const layer: Layer.Layer<Verifications, never, Sources | Upstream> = Layer.effect(Verifications, make)
