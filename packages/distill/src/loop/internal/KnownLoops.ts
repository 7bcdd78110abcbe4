/** Whether the loop that somebody names exists in their partition. */
import { type ReferenceUnknown, referenceUnknown, type StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Loop from "../Loop.ts"

/** Refuses a loop that is not there; naming none is fine. */
export const check = (
  resources: ResourceStore["Service"],
  partition: Partition,
  loop: string | null | undefined
): Effect.Effect<void, ReferenceUnknown | StorageError> =>
  loop === null || loop === undefined
    ? Effect.void
    : Effect.flatMap(resources.find(partition, Loop.kind, loop), (found) =>
        Option.isSome(found) ? Effect.void : Effect.fail(referenceUnknown(Loop.kind.noun, loop, "loop"))
      )
