/**
 * Bounds the bytes of request bodies in memory, in total and by workspace: endless bodies of one workspace leave room
 * for the bodies of others. A request holds its part until its response, because its reader keeps the body until then.
 */
import { makeOverloaded, type Overloaded } from "@limbeck/core/errors/Errors"
import type { WorkspaceId } from "@limbeck/core/ids/Id"
import { Shares } from "@limbeck/core/pools/Shares"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"

/** Grows one request's part to this size, if the room allows it. */
export type Reservation = (bytes: number) => Overloaded | undefined

export class BodyRoom extends Context.Service<
  BodyRoom,
  {
    /** A part of the workspace's share, empty at first, and given back when the scope closes. Null: of requests before a sign-in. */
    readonly part: (scope: Scope.Scope, workspace: WorkspaceId | null) => Effect.Effect<Reservation>
  }
>()("@limbeck/server/http/BodyRoom") {}

export const make = (bytesMax: number): BodyRoom["Service"] => {
  const shares = new Shares<WorkspaceId | null>(bytesMax)

  const growOf =
    (workspace: WorkspaceId | null, mine: { bytes: number }): Reservation =>
    (bytes) => {
      const more = bytes - mine.bytes
      if (more <= 0) return undefined
      // A single request always has room, under any bound.
      const isAlone = shares.taken === mine.bytes
      if (!isAlone && !shares.fits(workspace, more)) return makeOverloaded("bytes")
      mine.bytes = bytes
      shares.take(workspace, more)
      return undefined
    }

  return {
    // Without `Effect.acquireRelease`, which copies every service for its release: 5 % of a small call.
    part: (scope, workspace) => {
      const mine = { bytes: 0 }
      const giveBack = Effect.sync(() => {
        if (mine.bytes > 0) shares.give(workspace, mine.bytes)
      })
      return Effect.as(Scope.addFinalizer(scope, giveBack), growOf(workspace, mine))
    }
  }
}
