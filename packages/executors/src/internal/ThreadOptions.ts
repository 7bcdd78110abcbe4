/** Options of worker threads, for source and built files. */
import type { WorkerOptions } from "node:worker_threads"

/** Run from source, there is no built file beside us, nor in the packages that a thread imports. */
export const isSource = import.meta.url.endsWith(".ts")

/** Passes no flag, variable or secret of the host to the thread, except the compile cache, which shortens its start. */
export const make = (): WorkerOptions => {
  const { NODE_COMPILE_CACHE } = process.env
  return {
    execArgv: isSource ? ["--conditions=@limbeck/source"] : [],
    env: NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
  }
}
