/** How our threads are started, from source as well as built. */
import type { WorkerOptions } from "node:worker_threads"

/** Run from source, there is no built file beside us, nor in the packages that a thread imports. */
export const isSource = import.meta.url.endsWith(".ts")

/** No flag, no variable and so no secret of the host's reaches the thread: only where Node keeps compiled code, by which it starts sooner. */
export const make = (): WorkerOptions => {
  const { NODE_COMPILE_CACHE } = process.env
  return {
    execArgv: isSource ? ["--conditions=@limbeck/source"] : [],
    env: NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
  }
}
