/** Reads the labels of the calls of a deployment, whoever gave them, to compare how they are distributed. */
import { CallStore, type ScannedCall } from "@limbeck/capture/call/CallStore"
import * as CallConversation from "@limbeck/capture/dialect/CallConversation"
import * as Id from "@limbeck/core/ids/Id"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Deployment } from "../../deployment/Deployment.ts"
import { ServingLimits } from "../../Limits.ts"
import * as AnswerKey from "../../shadow/internal/AnswerKey.ts"
import type { ChatMessage } from "../../student/internal/Student.ts"
import type { Windows } from "../CallDriftRules.ts"
import type { Answers } from "../DriftReviewRules.ts"

const isMessage = (value: unknown): value is ChatMessage =>
  typeof value === "object" && value !== null && "role" in value && typeof value.role === "string"

/** Undefined for a call without a readable answer. */
const answerOf = ({ endpoint, response, responseIsJson }: ScannedCall): number | undefined => {
  if (!CallConversation.isConversation(endpoint) || response === null || !responseIsJson) return undefined
  if (response.length > ServingLimits.driftAnswerCharactersMax) return undefined
  const message = CallConversation.readerOf(endpoint).answer(JSON.parse(response))
  return Result.isSuccess(message) && isMessage(message.success) ? AnswerKey.of(message.success, true) : undefined
}

export const make = Effect.gen(function* () {
  const calls = yield* CallStore

  /** The answers of these calls, which are neighbours in time. */
  const read = Effect.fnUntraced(function* (partition: Partition, deployment: string, of: Windows["now"]) {
    const [first, last] = [of.at(0)?.id, of.at(-1)?.id]
    if (first === undefined || last === undefined) return []
    const ids = new Set<string>(of.map(({ id }) => id))
    const found = calls.scan(partition, {
      deployment,
      outcome: "succeeded",
      createdAfter: Id.timeOf(first) - ServingLimits.driftSlackMillis,
      createdBefore: Id.timeOf(last) + ServingLimits.driftSlackMillis,
      feedbackMin: null
    })
    return yield* Stream.runFold(
      found,
      (): Array<readonly [id: string, answer: number]> => [],
      (answers, call) => {
        const answer = ids.has(call.id) ? answerOf(call) : undefined
        if (answer !== undefined) answers.push([call.id, answer])
        return answers
      }
    )
  })

  /**
   * The answers of both windows. Those of the calls up to `upTo`, and of the first window then, are in `known`. None for a student
   * behind an endpoint, whose answers are texts.
   */
  return Effect.fnUntraced(function* (
    partition: Partition,
    { endpoint, id }: Deployment,
    windows: Windows,
    before: { readonly known: Answers; readonly upTo: string | null }
  ) {
    if (endpoint !== null) return new Map<string, number>()
    const { known, upTo } = before
    const first = upTo === null ? yield* read(partition, id, windows.before) : []
    const fresh = upTo === null ? windows.now : windows.now.filter((call) => call.id > upTo)
    const latest = yield* read(partition, id, fresh)
    const all = new Map([...known, ...first, ...latest])
    const wanted = [...windows.before, ...windows.now]
    return new Map(
      wanted.flatMap((call) => {
        const answer = all.get(call.id)
        return answer === undefined ? [] : [[call.id, answer] as const]
      })
    )
  })
})
