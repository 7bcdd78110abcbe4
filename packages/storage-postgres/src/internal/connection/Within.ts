// @effect-diagnostics globalTimers:off globalTimersInEffect:off
/** A time limit for what is outside of this process: in real time, and without waiting for the end of what is late. */
import { clearTimeout, setTimeout } from "node:timers"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

/** What is interrupted has so long to end in order; a server that answers needs less. */
const orderMillis = 250

/**
 * `self`; or, when it lasts longer, the failure. What is late is interrupted, and nobody waits for that; who is interrupted
 * waits for it a moment at most. `onLate` is told what goes on behind the caller's back.
 */
export const within = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  millis: number,
  onLate: (running: Fiber.Fiber<A, E>) => E
): Effect.Effect<A, E, R> =>
  Effect.contextWith((context: Context.Context<R>) =>
    Effect.callback<A, E>((resume) => {
      const fiber = Effect.runForkWith(context)(self)
      const timer = setTimeout(() => {
        resume(Effect.fail(onLate(fiber)))
        fiber.interruptUnsafe()
      }, millis)
      fiber.addObserver((exit) => {
        clearTimeout(timer)
        resume(exit)
      })
      return Effect.callback<void>((end) => {
        clearTimeout(timer)
        const leave = setTimeout(() => {
          onLate(fiber)
          end(Effect.void)
        }, orderMillis)
        fiber.addObserver(() => {
          clearTimeout(leave)
          end(Effect.void)
        })
        fiber.interruptUnsafe()
      })
    })
  )
