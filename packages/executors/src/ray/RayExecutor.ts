/**
 * The executor that runs each stage as a job of a Ray cluster: the same trainer, told and heard as the one of the process
 * executor, by files in a folder that this server and every machine of the cluster reach under the same path. A job is
 * submitted once, found again after a restart of ours, and ended by a watch of its own when the budget ends or no server is
 * left (docs/trainers.md).
 */
import type { Executor } from "@limbeck/distill/run/Executor"
import * as StageWork from "../process/internal/StageWork.ts"
import * as RayLauncher from "./internal/RayLauncher.ts"

/** The value of a run's `executor`. */
const rayName = "ray"

/** The cluster, the trainer's command and variables, and where its files are. */
export interface RayOptions extends RayLauncher.RayOptions {
  /** Where runs have their files; nobody else's. */
  readonly folder: string
  /** The server's address for machines of the cluster; without it trainers get no scores. */
  readonly server?: (() => string) | undefined
}

/** The executor. Any server with the same folder takes over a dead server's jobs. */
export const make = ({ folder, server, ...options }: RayOptions): Executor =>
  StageWork.make({ folder, server, launcher: RayLauncher.make(rayName, options) })
