/** A reward, and a score, as the API shows them (contract 4, 14.19). */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { idOf, Timestamp } from "@limbeck/core/resources/WireSchemas"
import { toIso } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import * as Tuple from "effect/Tuple"
import type { RewardScore } from "./internal/RewardScore.ts"
import { type Reward, Rule } from "./Reward.ts"

const reward = {
  id: idOf("rwd"),
  object: Schema.Literal("reward"),
  livemode: Schema.Boolean,
  name: Schema.String,
  created_at: Timestamp
}

export const RewardResource = Rule.mapMembers(Tuple.map(Schema.fieldsAssign(reward))).annotate({ identifier: "Reward" })

export const RewardCreatedResource = Rule.mapMembers(
  Tuple.map(Schema.fieldsAssign({ ...reward, secret: Schema.optionalKey(Schema.String) }))
).annotate({
  identifier: "RewardCreated",
  description: "`secret` signs the requests to an http scorer; it is shown this once"
})

export const ScoreResource = Schema.Struct({
  score: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))),
  detail: Schema.StructWithRest(Schema.Struct({ message: Schema.String, error: Schema.NullOr(Schema.String) }), [
    Schema.Record(Schema.String, Schema.Json)
  ])
}).annotate({ identifier: "Score", description: "`score` is null exactly where `detail.error` says why there is none" })

export const render = Rendered.by(RewardResource, (partition: Partition, { createdAt, id, name, rule }: Reward) => ({
  id,
  object: "reward",
  livemode: partition.livemode,
  name,
  ...rule,
  created_at: toIso(createdAt)
}))
/** The answer to its creation: an `http` reward's secret is shown this once. */
export const renderWithSecret = Rendered.by(
  RewardCreatedResource,
  (partition: Partition, reward: Reward, secret: string | null) => ({
    ...render(partition, reward),
    ...(secret === null ? {} : { secret })
  })
)

/** `score` is null where there is none; `detail.error` says why. */
export const renderScore = Rendered.by(ScoreResource, ({ error, facts, message, score }: RewardScore) => ({
  score,
  detail: { ...facts, message, error }
}))
