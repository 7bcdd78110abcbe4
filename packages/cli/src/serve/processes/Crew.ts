/**
 * The processes of `limbeck serve --processes N`: watched, replaced and stopped by this one, which answers no request itself.
 *
 *     starts ──► listens ──► ends by itself ──► another starts, after a pause that doubles with each end that comes soon
 *                   │
 *                   └──► another listens in its place ──► drains, and ends
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { Limits } from "../Limits.ts"
import type { Member } from "./Member.ts"
import * as Roster from "./Roster.ts"

export type Crew = ReturnType<typeof make>

/** Until another is started in the place of one that ended. */
const pauseOf = (shortLives: number): number =>
  Math.min(Limits.restartMillisMax, Limits.restartMillis * 2 ** (shortLives - 1))

/** None is started yet. */
export const make = (common: Omit<Member, "number">) => {
  const { all, ended, enter, give, isStopping, retire, start, stop, stopping } = Roster.make(common)

  /** Whether it came up, and is handed connections from now on. */
  const starting = Effect.fnUntraced(function* (number: number) {
    const running = start(number)
    const isListening = yield* Deferred.await(running.listening)
    if (isListening && !isStopping()) enter(running)
    return { running, isListening }
  })

  /** Until the stop: where a process ends by itself, another starts. */
  const keep = Effect.fnUntraced(function* (number: number, first: Roster.Running) {
    let shortLives = 0
    let running = first
    while (!isStopping()) {
      const code = yield* Deferred.await(running.ended)
      const successor = all.get(number)
      if (successor !== undefined && successor !== running) {
        running = successor
      } else if (!isStopping()) {
        all.delete(number)
        const livedMillis = performance.now() - running.startedAt
        shortLives = livedMillis < Limits.shortLifeMillis ? shortLives + 1 : 1
        const facts = { process: number, code, restart_in_millis: pauseOf(shortLives) }
        yield* Effect.annotateLogs(Effect.logWarning("process_ended"), facts)
        yield* Effect.timeoutOption(stopping, facts.restart_in_millis)
        if (!isStopping()) running = (yield* starting(number)).running
      }
    }
  })

  /** The new one answers before the old one is asked to end; where it does not come up, the old one stays. Whether it came up. */
  const replace = Effect.fnUntraced(function* (old: Roster.Running) {
    const { isListening } = yield* starting(old.number)
    if (isStopping()) return false
    const told = Effect.annotateLogs({ process: old.number })
    if (isListening) {
      retire(old)
      yield* Deferred.await(old.ended)
    }
    yield* told(isListening ? Effect.logInfo("process_replaced") : Effect.logWarning("process_not_replaced"))
    return isListening
  })

  /** All of them, from their start to the stop. `told` runs when each of the first ones answers, or has ended. */
  const serve = Effect.fnUntraced(function* (told: Effect.Effect<void>) {
    // The first one migrates, and makes what is made once.
    const first = yield* starting(1)
    if (!first.isListening) return yield* Deferred.await(first.running.ended)
    const numbers = isStopping() ? [] : Array.from({ length: common.of - 1 }, (_, index) => index + 2)
    const others = yield* Effect.forEach(numbers, starting, { concurrency: "unbounded" })
    yield* told
    const everyone = [first, ...others].map(({ running }) => running)
    yield* Effect.forEach(everyone, (running) => keep(running.number, running), {
      concurrency: "unbounded",
      discard: true
    })
    return yield* ended
  })

  return {
    serve,
    give,
    stop,
    /** One after the other; ends at the first that does not come up. */
    replaceAll: Effect.gen(function* () {
      for (const running of [...all.values()]) if (!(yield* replace(running))) return
    })
  }
}
