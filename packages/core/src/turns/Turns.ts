/**
 * Long work on the one thread that there is, done in turns: after so much of it everybody else runs before it goes on. A work is
 * a generator of what its parts cost, so that it stays pure, and can be done at once where it is small.
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Yields what it did since the last time costs, in characters that are read: about 30 ns each. */
export type Steps<A> = Generator<number, A, void>

/** What is done in one turn: about two milliseconds. */
export const turnCost = 64 * 1024

/** What lies between two turns. Tests count it. */
export class Pause extends Context.Reference<Effect.Effect<void>>("@limbeck/core/turns/Pause", {
  defaultValue: () => Effect.yieldNow
}) {}

/** Without a pause. */
export const atOnce = <A>(steps: Steps<A>): A => {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

export interface Turns {
  /** A part of the work; what it costs counts together with the parts before. */
  readonly run: <A>(steps: Steps<A>) => Effect.Effect<A>
}

export const make: Effect.Effect<Turns> = Effect.map(Pause, (pause) => {
  let spent = 0
  const run = <A>(steps: Steps<A>): Effect.Effect<A> =>
    Effect.suspend(() => {
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done) return Effect.succeed(step.value)
        spent += step.value
        if (spent < turnCost) continue
        spent = 0
        return Effect.andThen(pause, run(steps))
      }
    })
  return { run }
})

/** One work; what costs less than a turn is done at once, and nobody is asked what a pause is. */
export const run = <A>(steps: Steps<A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    let spent = 0
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return Effect.succeed(step.value)
      spent += step.value
      if (spent >= turnCost) return Effect.flatMap(Pause, (pause) => Effect.andThen(pause, run(steps)))
    }
  })

/** Does the same with each, in order. */
export const forEach = Effect.fnUntraced(function* <A, B>(
  items: NonEmptyReadonlyArray<A>,
  stepsOf: (item: A) => Steps<B>
) {
  const { run } = yield* make
  const [first, ...others] = items
  const done: [B, ...Array<B>] = [yield* run(stepsOf(first))]
  for (const item of others) done.push(yield* run(stepsOf(item)))
  return done
})
