/** Changes tokens and invalidates cached credentials: in this process at the commit, in other processes by a doorbell.  */
import * as Effect from "effect/Effect"
import type { Partition } from "../../partition/Partition.ts"
import { Queue } from "../../queue/Queue.ts"
import { ResourceStore } from "../../resources/ResourceStore.ts"
import * as Resources from "../../resources/Resources.ts"
import * as Writers from "../../resources/Writers.ts"
import { Storage } from "../../storage/Storage.ts"
import { Authentication } from "../Authentication.ts"
import * as Token from "../Token.ts"

export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const storage = yield* Storage
  const queue = yield* Queue
  const authentication = yield* Authentication

  /** Applies `change` to the stored token, and again after a concurrent write. */
  const change = <E>(partition: Partition, id: string, change: (token: Token.Token) => Effect.Effect<Token.Token, E>) =>
    Effect.gen(function* () {
      const stored = yield* Resources.require(resources, partition, Token.kind, id)
      const next = { ...stored, value: yield* change(stored.value) }
      const { value } = yield* resources.compareAndSet(partition, Token.kind, next)
      yield* queue.nudge(Token.bell)
      yield* storage.afterCommit(Effect.sync(() => authentication.refresh(value)))
      return value
    }).pipe(
      // Recording the last use writes the token too.
      Writers.inTurn(Token.kind, id)
    )

  return { change }
})
