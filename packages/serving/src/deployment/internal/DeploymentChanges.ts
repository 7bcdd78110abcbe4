/** The only way to write a deployment: its stored revision and its event, in one transaction. */

import type { StorageError } from "@limbeck/core/errors/Errors"
import { Events } from "@limbeck/core/events/Events"
import type { InvalidTransition } from "@limbeck/core/machine/Machine"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import type { StoredResource } from "@limbeck/core/resources/Kind"
import { ResourceStore, type RevisionConflict } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Deployment from "../Deployment.ts"
import { type DeploymentEvent, transition } from "../DeploymentMachine.ts"
import { eventOf } from "../DeploymentResource.ts"
import * as Accounts from "./Accounts.ts"
import { AliasCache } from "./AliasCache.ts"

/** Reads and moves deployments; call `move` inside a transaction. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const events = yield* Events
  const account = yield* Accounts.make
  const queue = yield* Queue
  const cache = yield* AliasCache

  const find = (partition: Partition, id: string) => Resources.require(resources, partition, Deployment.kind, id)

  const tell = Effect.fnUntraced(function* (
    partition: Partition,
    deployment: Deployment.Deployment,
    what: Deployment.DeploymentStatus | "guarded" | "drifted"
  ) {
    yield* events.publish(partition, [eventOf(partition, deployment, what, yield* account(partition, deployment))])
  })

  /** Applies a machine event to the deployment as stored; provisioning alone is told to nobody. */
  const move: (
    partition: Partition,
    stored: StoredResource<Deployment.Deployment>,
    event: DeploymentEvent
  ) => Effect.Effect<Deployment.Deployment, InvalidTransition | RevisionConflict | StorageError> = Effect.fnUntraced(
    function* (partition, stored, event) {
      const now = yield* Clock.currentTimeMillis
      const value = yield* Effect.fromResult(transition(stored.value, event, now))
      yield* resources.compareAndSet(partition, Deployment.kind, { ...stored, value })
      yield* queue.nudge(Deployment.bell)
      const isTold = value.status !== stored.value.status && value.status !== "provisioning"
      if (isTold) yield* tell(partition, value, value.status)
      if (event._tag === "Breached" || event._tag === "QuestionBreached") yield* tell(partition, value, "guarded")
      if (event._tag === "Drifted") yield* tell(partition, value, "drifted")
      yield* storage.afterCommit(cache.revise(partition, value))
      return value
    }
  )

  return { find, move, account } as const
})
