/** Reaps trainers that run as processes of this machine. */
import * as ProcessLauncher from "./internal/ProcessLauncher.ts"
import * as Reaping from "./internal/Reaping.ts"

/** Where trainers have their files, and how their runs are found. */
export type ReaperOptions<E, R> = Omit<Reaping.ReapingOptions<E, R>, "findTrainer">

/** Nothing runs before `runOnce` or `forever` does. */
export const make = <E, R>(options: ReaperOptions<E, R>): Reaping.Reaper<R> =>
  Reaping.make({ ...options, findTrainer: ProcessLauncher.find })
