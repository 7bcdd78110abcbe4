/** Reaps trainers that run as jobs of a Ray cluster. */
import * as Reaping from "../process/internal/Reaping.ts"
import * as RayLauncher from "./internal/RayLauncher.ts"

/** Where trainers have their files, how their runs are found, and the address of the cluster. */
export interface RayReaperOptions<E, R> extends Omit<Reaping.ReapingOptions<E, R>, "findTrainer"> {
  readonly address: string
}

/** Nothing runs before `runOnce` or `forever` does. */
export const make = <E, R>({ address, ...options }: RayReaperOptions<E, R>): Reaping.Reaper<R> =>
  Reaping.make({ ...options, findTrainer: RayLauncher.finder(address) })
