/** How many calls of the kind that a version is made of were captured in the last 30 days: the calls that a deployment would answer. */
import type { CallKind, CallStore } from "@limbeck/capture/call/CallStore"
import * as CallConversation from "@limbeck/capture/dialect/CallConversation"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as CallsFilter from "../../dataset/CallsFilter.ts"
import * as EvaluationTags from "../../race/EvaluationTags.ts"
import { type StageContext, StageFailure } from "../../run/Executor.ts"

const monthMillis = 30 * 86_400_000

const failure = new StageFailure({
  code: "reward_unavailable",
  message: "The storage did not answer",
  retryable: true
})

const sumOf = (kinds: ReadonlyArray<CallKind>, isCounted: (kind: CallKind) => boolean): number =>
  kinds
    .filter((kind) => kind.outcome === "succeeded" && !kind.verifies && CallConversation.isConversation(kind.endpoint))
    .reduce((sum, kind) => sum + (isCounted(kind) ? kind.calls : 0), 0)

/**
 * Null for a version without calls, and for one whose calls were chosen one by one or searched for a text. A student's answer has neither the source nor
 * the model of its teacher: those of the deployments whose other calls are counted count too.
 */
export const count = Effect.fnUntraced(function* (
  calls: CallStore["Service"],
  { partition, version }: Pick<StageContext, "partition" | "version">
) {
  if (!("calls" in version.source)) return null
  const { externalId, ids, model, source, text } = version.source.calls
  if (ids !== undefined || text !== undefined) return null
  const now = yield* Clock.currentTimeMillis
  const tags = CallsFilter.tagsOf(version.source.calls)
  const kindsOf = (filter: { readonly source?: string; readonly model?: string }) =>
    Effect.mapError(
      calls.kindsOf(partition, {
        ...filter,
        tags,
        withoutTags: EvaluationTags.unrequestedTags(tags),
        externalId,
        createdAfter: now - monthMillis,
        createdBefore: null,
        feedbackMin: null
      }),
      () => failure
    )
  const own = { ...(source === undefined ? {} : { source }), ...(model === undefined ? {} : { model }) }
  const kinds = yield* kindsOf(own)
  const deployments = new Set(kinds.flatMap(({ deployment }) => deployment ?? []))
  const byTeachers = sumOf(kinds, ({ servedBy }) => servedBy !== "student")
  const isNarrow = source !== undefined || model !== undefined
  const byStudents = sumOf(
    isNarrow ? yield* kindsOf({}) : kinds,
    ({ deployment, servedBy }) =>
      servedBy === "student" && (!isNarrow || (deployment !== null && deployments.has(deployment)))
  )
  return byTeachers + byStudents
})
