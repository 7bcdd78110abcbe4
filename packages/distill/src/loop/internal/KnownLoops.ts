/** Whether the loop that somebody names exists in their partition. */
import type { NotFound, StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import * as Effect from "effect/Effect"
import * as Loop from "../Loop.ts"

/** Refuses a loop that is not there; naming none is fine. */
export const check = (
  resources: ResourceStore["Service"],
  partition: Partition,
  loop: string | null | undefined
): Effect.Effect<void, NotFound | StorageError> =>
  loop === null || loop === undefined
    ? Effect.void
    : Effect.asVoid(Resources.require(resources, partition, Loop.kind, loop, "loop"))
