/** The trainer of TRAINER_COMMAND, and its files in the data folder. */
import path from "node:path"
import * as Partition from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Run from "@limbeck/distill/run/Run"
import * as ProcessExecutor from "@limbeck/executors/process/ProcessExecutor"
import * as Reaper from "@limbeck/executors/process/Reaper"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { inherited } from "./Environment.ts"
import type { Settings } from "./Settings.ts"

const folderOf = ({ dataDir }: Settings): string => path.resolve(dataDir, "trainers")

/** The trainer gets no secret of our environment, unless TRAINER_ENV names it. */
export const executor = (settings: Settings, command: string) =>
  ProcessExecutor.make({
    folder: folderOf(settings),
    command,
    environment: inherited(process.env, settings.trainerEnv)
  })

/** Never ends. Stops the trainers that a dead server left behind, by what the runs in storage say, and removes their files. */
export const reap = (settings: Settings): Effect.Effect<never, never, ResourceStore> =>
  Effect.gen(function* () {
    const resources = yield* ResourceStore
    const find = (partition: string, id: string) =>
      Effect.map(
        resources.find(Partition.fromKey(partition), Run.kind, id),
        Option.match({ onNone: () => null, onSome: ({ value }) => value })
      )
    return yield* Reaper.make({ folder: folderOf(settings), find }).forever
  })
