/** Ends the trainers that a dead server left behind, by what the runs in storage say. */
import * as Partition from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Run from "@limbeck/distill/run/Run"
import * as Reaper from "@limbeck/executors/process/Reaper"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Never ends. `folder` is that of the process executor. */
export const reap = (folder: string): Effect.Effect<never, never, ResourceStore> =>
  Effect.gen(function* () {
    const resources = yield* ResourceStore
    const find = (partition: string, id: string) =>
      Effect.map(
        resources.find(Partition.fromKey(partition), Run.kind, id),
        Option.match({ onNone: () => null, onSome: ({ value }) => value })
      )
    return yield* Reaper.make({ folder, find }).forever
  })
