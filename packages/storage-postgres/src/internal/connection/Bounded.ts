/** The time limit for database requests: `Patience`. */
import { Patience } from "@limbeck/core/storage/Patience"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { limitTime } from "./TimeLimit.ts"

/** What goes on behind the caller's back. */
export type LateFiber = Fiber.Fiber<unknown, unknown>

export const failure = (message: string) =>
  new SqlError({ reason: new ConnectionError({ cause: new Error(message), message, operation: "query" }) })

/** Runs `self`, or fails after `Patience`; then passes the running rest to `onLate`. */
export const boundPatience = <A, R>(
  self: Effect.Effect<A, SqlError, R>,
  onLate: (running: LateFiber) => void = () => {}
) =>
  Effect.contextWith((context: Context.Context<never>) => {
    const millis = Context.get(context, Patience)
    return limitTime(self, millis, (running) => {
      onLate(running)
      return failure(`Postgres did not answer within ${millis} ms`)
    })
  })
