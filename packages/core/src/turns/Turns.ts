/**
 * Runs long work on the single thread in turns: after each turn, other work runs before it continues. Work is a generator
 * of its costs, so that it stays pure, and small work runs at once.
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Yields the cost of the work since the last yield, in characters read: about 30 ns each. */
export type Steps<A> = Generator<number, A, void>

/** The cost of one turn: about two milliseconds. */
export const turnCost = 64 * 1024

/** The pause between two turns. Tests count pauses. */
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
  /** A part of the work, whose cost adds to the earlier parts'. */
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

/** Runs one work; work below the cost of a turn runs at once without a pause. */
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
