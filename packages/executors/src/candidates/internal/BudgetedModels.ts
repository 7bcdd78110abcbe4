/** Models of sources that answer single rows within a budget of their own, outside of a run. */
import type { Row } from "@limbeck/distill/dataset/Row"
import { exampleOf } from "@limbeck/distill/dataset/RowText"
import { DistillLimits } from "@limbeck/distill/Limits"
import type { Candidates } from "@limbeck/distill/race/Candidates"
import * as EvaluationTags from "@limbeck/distill/race/EvaluationTags"
import type { ChatQuestion, HostedModels } from "@limbeck/distill/race/HostedModels"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as CountedCalls from "./CountedCalls.ts"

type BudgetedModels = Pick<Candidates["Service"], "leastBound" | "open">

/** With the temperature of the model, because rows do not keep the caller's. Captured only where the call is charged. */
const questionOf = (row: Row): ChatQuestion => {
  const { completion, prompt } = exampleOf(row)
  return {
    messages: prompt,
    tools: row.tools,
    maxTokens: CountedCalls.answerTokensOf(completion),
    tags: [EvaluationTags.relabel],
    isCaptured: false,
    timeoutMillis: DistillLimits.studentAnswerMillis
  }
}

const shortest: Row = { messages: [{ role: "user", content: "" }], completion: "" }

export const make = (hosted: HostedModels["Service"]): BudgetedModels => ({
  leastBound: Effect.fnUntraced(function* (partition, candidate) {
    const model = yield* hosted.open(partition, candidate)
    return Option.isNone(model) ? Option.none() : Option.some(yield* model.value.costMax(questionOf(shortest)))
  }),
  open: (partition, candidate, { reserve, spentMicros }) =>
    Effect.map(
      hosted.open(partition, candidate),
      Option.map((model) => {
        const before = { gpuSeconds: 0, judgeTokens: 0, candidateMicros: spentMicros }
        const calls = CountedCalls.make({ reserve: ({ candidateMicros = 0 }) => reserve(candidateMicros) }, before)
        return {
          ask: Effect.fnUntraced(function* (row: Row) {
            const question = questionOf(row)
            // Without a price, or for a request that cannot be made, no budget holds the call.
            const bound = yield* Effect.orElseSucceed(model.costMax(question), () => null)
            if (bound === null) return Option.none()
            const reply = yield* calls.ask(model, question)
            if (Result.isFailure(reply)) return Option.none()
            return Option.some({ ...reply.success.value.message, role: "assistant" as const })
          }),
          spentMicros: () => calls.usage().candidateMicros ?? 0
        }
      })
    )
})
