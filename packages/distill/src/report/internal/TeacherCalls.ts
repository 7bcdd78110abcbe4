/** The teacher's calls of the kind that a version is made of: who answered them, and their latency and cost. */
import type { CallStore } from "@limbeck/capture/call/CallStore"
import type { CallEndpoint, CapturedCall, ServedBy } from "@limbeck/capture/call/CapturedCall"
import { firstPage } from "@limbeck/core/pages/Page"
import * as Effect from "effect/Effect"
import * as CallsFilter from "../../dataset/CallsFilter.ts"
import * as EvaluationTags from "../../race/EvaluationTags.ts"
import { type StageContext, StageFailure } from "../../run/Executor.ts"
import type { TeacherCall } from "../Evaluation.ts"
import type { CostedRequest } from "../RequestCosts.ts"

/** The newest upstream calls of the version in the sample; enough for a median. */
const sampleMax = 100

/** A student in the teacher's place says nothing of what the teacher takes, nor a call that waited for one. */
const teachers = ["upstream", "shadow"] as const

/**
 * The newest of these endpoints from before the version, without those of evaluations; none for a version of an upload. Each attempt finds
 * the same ones, whatever is called meanwhile.
 */
const newest = Effect.fnUntraced(function* (
  calls: CallStore["Service"],
  { partition, version }: Pick<StageContext, "partition" | "version">,
  endpoints: ReadonlyArray<CallEndpoint>,
  servedBy: ReadonlyArray<ServedBy> = teachers
) {
  if (!("calls" in version.source)) return []
  const { model, source } = version.source.calls
  const tags = CallsFilter.tagsOf(version.source.calls)
  const withoutTags = EvaluationTags.unrequestedTags([])
  const filter = { source, model, tags, withoutTags, outcome: "succeeded", endpoints, servedBy } as const
  const request = { ...firstPage(sampleMax), createdBefore: version.createdAt }
  const failure = new StageFailure({
    code: "reward_unavailable",
    message: "The storage did not answer",
    retryable: true
  })
  const found = yield* Effect.mapError(calls.page(partition, filter, request), () => failure)
  return found.items
})

export const find = Effect.fnUntraced(function* (
  calls: CallStore["Service"],
  context: Pick<StageContext, "partition" | "version">,
  endpoints: ReadonlyArray<CallEndpoint>
) {
  return (yield* newest(calls, context, endpoints)).map(
    ({ costMicros, latencyMillis }): TeacherCall => ({
      teacherLatencyMillis: latencyMillis,
      teacherCostUsd: costMicros === null ? null : costMicros / 1e6
    })
  )
})

/** Who sends the upstream requests for decisions, whole or in part. */
const askers = ["upstream", "shadow", "upstream_fallback", "mixed"] as const

const decisionEndpoints = ["decisions", "systemone"] as const

/** The newest requests for decisions with a known cost, with the questions that the upstream answered. */
export const requestsForDecisions = Effect.fnUntraced(function* (
  calls: CallStore["Service"],
  context: Pick<StageContext, "partition" | "version">
) {
  const found = yield* newest(calls, context, decisionEndpoints, askers)
  return found.flatMap(({ costMicros, decisions = [] }): ReadonlyArray<CostedRequest> => {
    const questions = decisions.flatMap(({ question, served_by }) => (served_by === "upstream" ? [question] : []))
    return costMicros === null || questions.length === 0 ? [] : [{ questions, costUsd: costMicros / 1e6 }]
  })
})

export interface Teacher {
  /** Id of the source. */
  readonly source: string
  readonly model: string
  /** Of its newest call. */
  readonly endpoint: CallEndpoint
}

/** With which clients name a deployment instead of a model (contract 7). */
const aliasPrefix = "svc:"
const conversations = ["chat.completions", "responses", "messages"] as const

/** Who answered a call; undefined where it does not tell. */
const answererOf = ({ attempts, endpoint, model, source }: CapturedCall): Teacher | undefined => {
  const last = attempts?.at(-1)
  const answerer = last === undefined ? { model, source } : { model: last.model, source: last.source }
  if (answerer.source === null || answerer.model === null || answerer.model.startsWith(aliasPrefix)) return undefined
  return { source: answerer.source, model: answerer.model, endpoint }
}

/** The single model behind the newest calls in the version's kind; undefined for several models or without calls. */
export const teacherOf = Effect.fnUntraced(function* (
  calls: CallStore["Service"],
  context: Pick<StageContext, "partition" | "version">
) {
  const isDecided = (context.version.questions ?? []).length > 0
  const endpoints = isDecided ? decisionEndpoints : conversations
  const answerers = (yield* newest(calls, context, endpoints)).flatMap((call) => answererOf(call) ?? [])
  const [first] = answerers
  return answerers.every(({ model, source }) => source === first?.source && model === first.model) ? first : undefined
})
