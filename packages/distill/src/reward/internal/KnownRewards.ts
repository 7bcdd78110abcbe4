/** Which of the named rewards exist in the partition. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import * as Id from "@limbeck/core/ids/Id"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Effect from "effect/Effect"
import * as Reward from "../Reward.ts"

const isId = Id.isOf("rwd")

export const find = (
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
