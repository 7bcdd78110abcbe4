/**
 * Frees the garbage of the start. V8 collects when the heap grows, and the heap of an idle process does not grow: without
 * this, what loading the modules left behind stays in memory, as much as everything else.
 */
import { Session } from "node:inspector/promises"
import { flushCompileCache } from "node:module"
import { performance } from "node:perf_hooks"
import * as Effect from "effect/Effect"
import { Limits } from "./Limits.ts"

/**
 * Collects all garbage and returns free pages to the system, which stops the process for a tenth of a second. Before that,
 * writes the compile cache, which Node otherwise keeps in memory until the process ends.
 */
export const collect: Effect.Effect<void> = Effect.tryPromise(async () => {
  flushCompileCache()
  const session = new Session()
  session.connect()
  try {
    await session.post("HeapProfiler.collectGarbage")
  } finally {
    session.disconnect()
  }
}).pipe(
  // Node's permissions may refuse an inspector. The process then keeps the garbage until V8 collects it.
  Effect.ignore
)

/** Returns the event loop's load since the previous call, from 0 to 1. */
export const loadMeter = (): Effect.Effect<number> => {
  let previous = performance.eventLoopUtilization()
  return Effect.sync(() => {
    const current = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(current, previous)
    previous = current
    return utilization
  })
}

/** Collects once, after the first idle period: a request under way would wait for the collection. */
export const collectOnceIdle = Effect.fnUntraced(function* (load: Effect.Effect<number>, collect: Effect.Effect<void>) {
  do yield* Effect.sleep(Limits.idleMillis)
  while ((yield* load) > Limits.idleLoadMax)
  yield* collect
})
