/**
 * The trainers' route to their server: scores completions by the rewards of the run's recipe (docs/runs.md). Outside the
 * public API: the trainer receives its path, with a capability of the run's attempt in place of a token.
 */
import { AssistantMessage } from "@limbeck/distill/dataset/Row"
import { DistillLimits } from "@limbeck/distill/Limits"
import { scoringPath } from "@limbeck/distill/scoring/ScoringPath"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { idOf, nonEmpty } from "../contract/Common.ts"
import { about, goneErrors, operation } from "../contract/Operation.ts"

export const ScoringRequest = Schema.Struct({
  completions: nonEmpty(
    Schema.Struct({
      /** The key of a train row. */
      row: Schema.String.check(Schema.isMaxLength(DistillLimits.nameMax)),
      completion: Schema.Union([Schema.String, AssistantMessage]).annotate({
        message: "Expected a string or an assistant message"
      })
    }),
    DistillLimits.scoredMax
  )
})

const Score = Schema.NullOr(Schema.Finite)

const CompletionScore = Schema.Struct({
  score: Score,
  rewards: Schema.Array(
    Schema.Struct({
      reward: Schema.String,
      score: Score,
      error: Schema.NullOr(Schema.String),
      message: Schema.String,
      retryable: Schema.Boolean
    })
  )
})

export const ScoringResponse = Schema.Struct({ data: Schema.Array(CompletionScore), judge_tokens: Schema.Int })

export class ScoringApi extends HttpApiGroup.make("scoring")
  .add(
    HttpApiEndpoint.post("score", scoringPath(":run_id"), {
      params: { run_id: idOf("run") },
      payload: ScoringRequest,
      success: ScoringResponse,
      error: goneErrors
    }).annotateMerge(
      operation("scoreForTrainer", "Score completions of a run under way", {
        access: "public",
        outsideTransaction: true
      })
    )
  )
  .annotateMerge(about("What trainers ask."))
  .annotateMerge(OpenApi.annotations({ exclude: true })) {}
