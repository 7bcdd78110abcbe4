/**
 * A place of `limbeck serve --processes N`, with its owner: a fiber, which alone starts processes for the place. So
 * concurrent deaths and replacements leave one process per place.
 *
 *     start ──► serves ──► ends by itself ──► pause ──► start
 *                 │
 *                 └──► SIGUSR2 ──► another starts beside it and serves ──► the old one drains
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { Limits } from "../Limits.ts"
import type { WorkerHandle } from "./WorkerHandle.ts"
import { pauseMillis, type WorkerExit } from "./WorkerMachine.ts"
import type { WorkerRegistry } from "./WorkerRegistry.ts"

/** Whether a process that started after the request serves now, and which one drains since. */
interface Replacement {
  readonly isServing: boolean
  readonly retired: WorkerHandle | undefined
}

export interface Place {
  readonly number: number
  /** Requests for a process that starts from now on. */
  readonly requests: Array<Deferred.Deferred<Replacement>>
  /** Open while there is a request. */
  readonly requested: Latch.Latch
  /** Done when the first process of the place serves, or has ended. */
  readonly firstStart: Deferred.Deferred<void>
}

export const make = (number: number): Place => ({
  number,
  requests: [],
  requested: Latch.makeUnsafe(false),
  firstStart: Deferred.makeUnsafe()
})

/** Requests a process that starts from now on. */
export const requestReplacement = (place: Place): Effect.Effect<Replacement> =>
  Effect.suspend(() => {
    const request = Deferred.makeUnsafe<Replacement>()
    place.requests.push(request)
    place.requested.openUnsafe()
    return Deferred.await(request)
  })

const takeRequests = ({ requested, requests }: Place): ReadonlyArray<Deferred.Deferred<Replacement>> => {
  requested.closeUnsafe()
  return requests.splice(0)
}

/** Of a log line. */
export const exitFacts = ({ code, signal }: WorkerExit) => (signal === null ? { code } : { signal })

/** Starts a process, and waits until it serves or has ended. */
export const start = Effect.fnUntraced(function* (registry: WorkerRegistry, { number }: Place) {
  const handle = registry.start(number)
  return { handle, isServing: yield* Deferred.await(handle.listening) }
})

/**
 * Waits before the next start, unless a replacement is requested. Returns the number of short lives, including that of
 * `ended`.
 */
const pause = Effect.fnUntraced(function* (
  registry: WorkerRegistry,
  place: Place,
  ended: WorkerHandle,
  shortLivesBefore: number
) {
  const exit = yield* Deferred.await(ended.ended)
  const livedMillis = (yield* Clock.currentTimeMillis) - ended.state.startedAt
  const shortLives = livedMillis < Limits.shortLifeMillis ? shortLivesBefore + 1 : 1
  if (registry.isStopping()) return shortLives
  const facts = { process: place.number, ...exitFacts(exit), restart_in_millis: pauseMillis(shortLives) }
  yield* Effect.annotateLogs(Effect.logWarning("process_ended"), facts)
  yield* Effect.timeoutOption(Effect.raceFirst(registry.stopping, place.requested.await), facts.restart_in_millis)
  return shortLives
})

/** Fills an empty place, which also meets the requests until now. */
const fill = Effect.fnUntraced(function* (registry: WorkerRegistry, place: Place) {
  const requests = takeRequests(place)
  const { handle, isServing } = yield* start(registry, place)
  for (const request of requests) Deferred.doneUnsafe(request, Effect.succeed({ isServing, retired: undefined }))
  Deferred.doneUnsafe(place.firstStart, Effect.void)
  return { handle, isServing }
})

/** Starts another process beside `old`, which drains as soon as the other serves, and otherwise stays. The one that serves. */
const replace = Effect.fnUntraced(function* (registry: WorkerRegistry, place: Place, old: WorkerHandle) {
  const requests = takeRequests(place)
  const { handle, isServing } = yield* start(registry, place)
  if (isServing) registry.retire(old)
  else if (!registry.isStopping()) {
    const facts = { process: place.number, ...exitFacts(yield* Deferred.await(handle.ended)) }
    yield* Effect.annotateLogs(Effect.logWarning("process_not_replaced"), facts)
  }
  for (const request of requests) Deferred.doneUnsafe(request, Effect.succeed({ isServing, retired: old }))
  return isServing ? handle : old
})

/** Owns a place until the stop. `first`: the process that serves there already. */
export const own = Effect.fnUntraced(function* (registry: WorkerRegistry, place: Place, first?: WorkerHandle) {
  let current = first
  let shortLives = 0
  while (!registry.isStopping()) {
    if (current === undefined) {
      const { handle, isServing } = yield* fill(registry, place)
      if (isServing) current = handle
      else shortLives = yield* pause(registry, place, handle, shortLives)
    } else {
      const ended = Effect.as(Deferred.await(current.ended), true)
      if (yield* Effect.raceFirst(ended, Effect.as(place.requested.await, false))) {
        shortLives = yield* pause(registry, place, current, shortLives)
        current = undefined
      } else if (!registry.isStopping()) current = yield* replace(registry, place, current)
    }
  }
})
