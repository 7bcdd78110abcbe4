/** The processes of `limbeck serve --processes N`, from their start to the stop: one at each place. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Places from "./Places.ts"
import { exitCodeOf, type WorkerRegistry } from "./WorkerRegistry.ts"

export type Workers = ReturnType<typeof make>

export const make = (registry: WorkerRegistry, count: number) => {
  const first = Places.make(1)
  const others = Array.from({ length: count - 1 }, (_, index) => Places.make(index + 2))

  /** Runs `started` when the first process of each place serves, or has ended. */
  const announce = (started: Effect.Effect<void>) =>
    Effect.andThen(
      Effect.forEach(others, ({ firstStart }) => Deferred.await(firstStart), { discard: true }),
      started
    )

  return {
    /** Starts the processes, and owns their places until the stop; the exit code. */
    serve: Effect.fnUntraced(function* (started: Effect.Effect<void>) {
      // The first process migrates the database, and makes what is made once.
      const { handle, isServing } = yield* Places.start(registry, first)
      if (!isServing) return exitCodeOf(yield* Deferred.await(handle.ended))
      yield* Effect.forkChild(announce(started))
      const owners = [Places.own(registry, first, handle), ...others.map((place) => Places.own(registry, place))]
      yield* Effect.all(owners, { concurrency: "unbounded", discard: true })
      return yield* registry.ended
    }),
    /** Replaces all processes, one after the other. Ends at the first replacement that does not come up. */
    replaceAll: Effect.gen(function* () {
      for (const place of [first, ...others]) {
        const { isServing, retired } = yield* Places.requestReplacement(place)
        if (!isServing) return
        const exit = retired === undefined ? undefined : yield* Deferred.await(retired.ended)
        const facts = { process: place.number, ...(exit === undefined ? {} : Places.exitFacts(exit)) }
        yield* Effect.annotateLogs(Effect.logInfo("process_replaced"), facts)
      }
    })
  }
}
