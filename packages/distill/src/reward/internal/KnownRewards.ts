/** Which of the rewards that somebody names exist in their partition. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Reward from "../Reward.ts"

const isId = Schema.is(Reward.RewardId)

export const among = (
  resources: ResourceStore["Service"],
  partition: Partition,
  ids: ReadonlyArray<string>
): Effect.Effect<ReadonlySet<string>, StorageError> => {
  const possible = [...new Set(ids)].filter(isId)
  return possible.length === 0
    ? Effect.succeed(new Set())
    : Effect.map(
        resources.findMany(partition, Reward.kind, possible),
        (rewards) => new Set(rewards.map(({ value }) => value.id))
      )
}
