/**
 * How many bytes of bodies the requests under way may hold in memory, all together. A request holds its part until it is
 * answered: what reads a body keeps it for as long.
 */
import { type Overloaded, overloaded } from "@limbeck/core/errors/Errors"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"

/** Makes one request's part as large as this, if there is room for it. */
export type Grow = (bytes: number) => Overloaded | undefined

export class BodyRoom extends Context.Service<
  BodyRoom,
  {
    /** A part of the room, empty at first, and given back when the scope closes. */
    readonly part: Effect.Effect<Grow, never, Scope>
  }
>()("@limbeck/server/http/BodyRoom") {}

export const make = (bytesMax: number): BodyRoom["Service"] => {
  let held = 0
  const open = Effect.sync(() => ({ bytes: 0 }))
  const part = Effect.acquireRelease(open, (mine) =>
    Effect.sync(() => {
      held -= mine.bytes
    })
  )
  return {
    part: Effect.map(part, (mine) => (bytes) => {
      const more = bytes - mine.bytes
      if (more <= 0) return undefined
      // Whatever the bound is, a request that is alone has room.
      const isAlone = held === mine.bytes
      if (!isAlone && held + more > bytesMax) {
        return overloaded("bytes")
      }
      mine.bytes = bytes
      held += more
      return undefined
    })
  }
}
