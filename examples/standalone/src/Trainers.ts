/** The trainer of TRAINER_COMMAND, and its files in the data folder. */
import path from "node:path"
import * as ProcessExecutor from "@limbeck/executors/process/ProcessExecutor"
import * as Trainers from "@limbeck/limbeck/Trainers"
import * as Settings from "./Settings.ts"

const folderOf = ({ dataDir }: Settings.Settings): string => path.resolve(dataDir, "trainers")

/** The trainer gets what our environment says, but none of our own secrets. */
export const executor = (settings: Settings.Settings, command: string) =>
  ProcessExecutor.make({ folder: folderOf(settings), command, environment: Settings.inherited(process.env) })

/** Never ends. It also looks for what an earlier start under other settings left. */
export const reap = (settings: Settings.Settings) => Trainers.reap(folderOf(settings))
