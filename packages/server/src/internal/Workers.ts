/** The workers of this process: loops started together, and counted by their list. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** How many workers this process runs; `/healthz` shows it. */
export const WorkerCount = Context.Reference<number>("@limbeck/server/WorkerCount", { defaultValue: () => 0 })

/** Makes a loop that never ends. */
type Worker<R> = Effect.Effect<Effect.Effect<unknown>, never, R>

/** Starts `workers`; closing the layer stops them and hands their work back. */
export const layer = <W extends Worker<unknown>>(workers: ReadonlyArray<W>) =>
  Layer.effectDiscard(
    Effect.forEach(workers as ReadonlyArray<Worker<Effect.Services<W>>>, Effect.flatMap(Effect.forkScoped), {
      discard: true
    })
  ).pipe(Layer.merge(Layer.succeed(WorkerCount, workers.length)))
