/**
 * The executor that starts a trainer of the operator's, once per stage, and speaks with it in JSON (contract 5,
 * docs/trainers.md). The trainer outlives this server: the next driver of the stage finds it again, and reads on where the run
 * knows its output to end.
 */
import type { Executor } from "@limbeck/distill/run/Executor"
import * as ProcessLauncher from "./internal/ProcessLauncher.ts"
import * as StageWork from "./internal/StageWork.ts"

/** The `executor` name in runs. */
export const processName = "process"

/** The trainer's command and environment, and its folder. */
export interface ProcessOptions extends ProcessLauncher.Command {
  /** The folder for the files of runs, for exclusive use. */
  readonly folder: string
  /** The address of this server for trainers, such as `http://127.0.0.1:8080`. Without it trainers get no scores. */
  readonly server?: (() => string) | undefined
}

/** The executor. A server takes over the trainers that a dead one left in the folder. */
export const make = ({ folder, server, ...command }: ProcessOptions): Executor =>
  StageWork.make({ folder, server, launcher: ProcessLauncher.make(processName, command) })
