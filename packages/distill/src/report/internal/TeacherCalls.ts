/** What a teacher's calls of the kind that a version is made of take: latency and cost. */
import type { CallStore } from "@limbeck/capture/call/CallStore"
import type { CallEndpoint } from "@limbeck/capture/call/CapturedCall"
import { firstPage } from "@limbeck/core/pages/Page"
import * as Effect from "effect/Effect"
import { type StageContext, StageFailure } from "../../run/Executor.ts"
import type { TeacherCall } from "../Evaluation.ts"

/** The newest upstream calls of the version in the sample; enough for a median. */
const sampleMax = 100

/** A student in the teacher's place says nothing of what the teacher takes, nor a call that waited for one. */
const teachers = ["upstream", "shadow"] as const

/** Of these endpoints; none for a version of an upload. */
export const find = Effect.fnUntraced(function* (
  calls: CallStore["Service"],
  { partition, version }: Pick<StageContext, "partition" | "version">,
  endpoints: ReadonlyArray<CallEndpoint>
) {
  if (!("calls" in version.source)) return []
  const { model, source, tags } = version.source.calls
  const filter = { source, model, tags, outcome: "succeeded", endpoints, servedBy: teachers } as const
  const failure = new StageFailure({
    code: "reward_unavailable",
    message: "The storage did not answer",
    retryable: true
  })
  const found = yield* Effect.mapError(calls.page(partition, filter, firstPage(sampleMax)), () => failure)
  return found.items.map(
    ({ costMicros, latencyMillis }): TeacherCall => ({
      teacherLatencyMillis: latencyMillis,
      teacherCostUsd: costMicros === null ? null : costMicros / 1e6
    })
  )
})
