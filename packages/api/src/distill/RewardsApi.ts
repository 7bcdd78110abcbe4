/** Rewards: how completions are scored (contract 6, 14.19). */

import { AssistantMessage, ConversationRow, Split } from "@limbeck/distill/dataset/Row"
import { RewardInput } from "@limbeck/distill/reward/Reward"
import {
  RewardResource as Reward,
  RewardCreatedResource as RewardCreated,
  ScoreResource as Score
} from "@limbeck/distill/reward/RewardResource"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Tuple from "effect/Tuple"
import { asCreated, idOf, listOf, listQuery, Name } from "../contract/Common.ts"
import { about, at, operation, readErrors, writeErrors } from "../contract/Operation.ts"

export { Reward, RewardCreated, Score }

interface Named extends Struct.Lambda {
  <F extends Schema.Struct.Fields>(schema: Schema.Struct<F>): unknown
  readonly "~lambda.out": this["~lambda.in"] extends Schema.Struct<infer F>
    ? Schema.Struct<{ readonly name: typeof Name } & F>
    : never
}
const named = Struct.lambda<Named>(({ fields }) => Schema.Struct({ name: Name, ...fields }))

export const RewardCreate = RewardInput.mapMembers(Tuple.map(named)).annotate({ identifier: "RewardCreate" })

/** A row of an upload or of a version; ignores unknown members. */
const ScoringRow = Schema.StructWithRest(
  Schema.Struct({ ...ConversationRow.fields, split: Schema.optionalKey(Split) }),
  [Schema.Record(Schema.String, Schema.Json)]
)

export const ScoreRequest = Schema.Struct({
  row: ScoringRow,
  completion: Schema.Union([Schema.String, AssistantMessage]).annotate({
    message: "Expected a string or an assistant message"
  })
}).annotate({ identifier: "ScoreRequest" })

const workflowStage = "data"
const read = { access: "distill:read", workflowStage } as const
const write = { access: "distill:write", idempotency: "supported", workflowStage } as const
const params = { reward_id: idOf("rwd") }

export class RewardsApi extends HttpApiGroup.make("rewards")
  .add(
    HttpApiEndpoint.post("create", "/v1/distill/rewards", {
      payload: RewardCreate,
      success: asCreated(RewardCreated),
      error: writeErrors
    }).annotateMerge(operation("createReward", "A rule that scores completions", { ...write, secret: true }))
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/distill/rewards", {
      query: listQuery,
      success: listOf(Reward),
      error: readErrors
    }).annotateMerge(operation("listRewards", "Rewards, newest first", read))
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/distill/rewards/:reward_id", {
      params,
      success: Reward,
      error: readErrors
    }).annotateMerge(operation("getReward", "One reward", read))
  )
  .add(
    HttpApiEndpoint.post("score", "/v1/distill/rewards/:reward_id/score", {
      params,
      payload: ScoreRequest,
      success: Score,
      error: [...writeErrors, at(402)]
    }).annotateMerge(
      operation("scoreCompletion", "Try a reward: score one completion for one row", {
        ...write,
        outsideTransaction: true
      })
    )
  )
  .annotateMerge(about("Rules that score completions.")) {}
