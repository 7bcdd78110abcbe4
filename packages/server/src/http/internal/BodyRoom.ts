/**
 * How many bytes of bodies the requests under way may hold in memory, all together. A request holds its part until it is
 * answered: what reads a body keeps it for as long.
 */
import { type Overloaded, overloaded } from "@limbeck/core/errors/Errors"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"

/** Makes one request's part as large as this, if there is room for it. */
export type Grow = (bytes: number) => Overloaded | undefined

export class BodyRoom extends Context.Service<
  BodyRoom,
  {
    /** A part of the room, empty at first, and given back when the scope closes. */
    readonly part: (scope: Scope.Scope) => Effect.Effect<Grow>
  }
>()("@limbeck/server/http/BodyRoom") {}

export const make = (bytesMax: number): BodyRoom["Service"] => {
  let held = 0

  const growOf =
    (mine: { bytes: number }): Grow =>
    (bytes) => {
      const more = bytes - mine.bytes
      if (more <= 0) return undefined
      // Whatever the bound is, a request that is alone has room.
      const isAlone = held === mine.bytes
      if (!isAlone && held + more > bytesMax) return overloaded("bytes")
      mine.bytes = bytes
      held += more
      return undefined
    }

  return {
    // Not by `Effect.acquireRelease`, whose release is given a copy of every service that there is: 5 % of a small call.
    part: (scope) => {
      const mine = { bytes: 0 }
      const giveBack = Effect.sync(() => {
        held -= mine.bytes
      })
      return Effect.as(Scope.addFinalizer(scope, giveBack), growOf(mine))
    }
  }
}
