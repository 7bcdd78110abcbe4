// @effect-diagnostics globalTimers:off globalTimersInEffect:off
/** A real-time limit for work outside this process, without waiting for the end of late work. */
import { clearTimeout, setTimeout } from "node:timers"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

/** How long an interrupted request may take to end in order; a responsive server needs less. */
const orderMillis = 250

/**
 * Runs `self`, or fails after `millis`. A late request is interrupted in the background; an interrupted caller waits for it
 * at most `orderMillis`. `onLate` receives the fiber that continues in the background.
 */
export const limitTime = <A, E, R>(
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
