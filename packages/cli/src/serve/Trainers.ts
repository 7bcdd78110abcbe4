/** The trainer of TRAINER_COMMAND, and its files in the data folder. */
import path from "node:path"
import * as ProcessExecutor from "@limbeck/executors/process/ProcessExecutor"
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
