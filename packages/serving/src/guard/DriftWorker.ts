/**
 * Compares the last calls of a deployment with its first ones, and publishes that they differ, once:
 *
 *     calls stored ─▶ due ─▶ look ── too few new calls, or alike ──▶ settled
 *                              └──── differ ──▶ `driftedAt` and the event ──▶ settled
 *
 * Invariants: the transaction that stores calls makes their deployment due, so each call is followed by a review; a look and
 * its finding are written together, and only on the deployment and the looks that were read.
 */
import { type CallStore, deploymentCallsTopic } from "@limbeck/capture/call/CallStore"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Events } from "@limbeck/core/events/Events"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Pools } from "@limbeck/core/pools/Pools"
import * as LeasedWorker from "@limbeck/core/queue/LeasedWorker"
import { type LeaseLost, Queue, type Work } from "@limbeck/core/queue/Queue"
import type { StoredResource } from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Deployment from "../deployment/Deployment.ts"
import { DeploymentEvent } from "../deployment/DeploymentMachine.ts"
import * as AliasCache from "../deployment/internal/AliasCache.ts"
import * as DeploymentChanges from "../deployment/internal/DeploymentChanges.ts"
import { ServingLimits } from "../Limits.ts"
import * as DriftReviewRules from "./DriftReviewRules.ts"
import * as CallAnswers from "./internal/CallAnswers.ts"
import * as DriftReview from "./internal/DriftReview.ts"
import * as DriftWindows from "./internal/DriftWindows.ts"

/** Reviews the deployments that are due. */
export class DriftWorker extends Context.Service<DriftWorker, LeasedWorker.LeasedWorker>()(
  "@limbeck/serving/guard/DriftWorker"
) {}

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const queue = yield* Queue
  const changes = yield* DeploymentChanges.make
  const windowsOf = yield* DriftWindows.make
  const answersOf = yield* CallAnswers.make

  const keep = Effect.fnUntraced(function* (
    partition: Partition,
    stored: Option.Option<StoredResource<DriftReview.DriftReview>>,
    review: DriftReview.DriftReview
  ) {
    if (Option.isNone(stored)) return yield* resources.insert(partition, DriftReview.kind, review)
    yield* resources.compareAndSet(partition, DriftReview.kind, { ...stored.value, value: review })
  })

  const review = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const deployment = Option.getOrUndefined(yield* resources.find(partition, Deployment.kind, id))
    if (deployment === undefined || !DriftReviewRules.isReviewed(deployment.value)) return
    const stored = yield* resources.find(partition, DriftReview.kind, id)
    const windows = yield* windowsOf(partition, deployment.value)
    const before = DriftReview.reviewOf(deployment.value, stored)
    if (!DriftReviewRules.isDue(before.looks, windows)) return
    const answers = yield* answersOf(partition, deployment.value, windows, before)
    const found = DriftReviewRules.look(before.looks, windows, answers)
    if (found === null) return
    const createdAt = yield* Clock.currentTimeMillis
    const since = Deployment.driftSince(deployment.value)
    const write = Effect.gen(function* () {
      yield* keep(partition, stored, {
        id,
        since,
        looks: found.looks,
        answers: Object.fromEntries(answers),
        createdAt
      })
      if (found.isDrifted) yield* changes.move(partition, deployment, DeploymentEvent.Drifted())
    })
    yield* Effect.catchTag(storage.transaction(write), "InvalidTransition", Effect.die)
  })

  const perform = Effect.fn("DriftWorker.perform")(
    (work: Work): Effect.Effect<void, LeaseLost | StorageError> =>
      review(work.partition, work.subject).pipe(
        // Another server has looked, or its owner has changed it: looks again at the new state.
        Effect.retry({ while: ({ _tag }) => _tag !== "StorageError" }),
        Effect.catchTags({ AlreadyExists: Effect.die, RevisionConflict: Effect.die }),
        // Fails where calls were stored meanwhile: their item stays for the next review.
        Effect.andThen(queue.settle(work))
      )
  )

  const worker = yield* LeasedWorker.make({
    topic: deploymentCallsTopic,
    perform,
    pool: Pools.driftReviews,
    leaseMillis: ServingLimits.leaseMillis,
    heartbeatMillis: ServingLimits.heartbeatMillis,
    pollMillis: ServingLimits.driftPollMillis
  })
  return DriftWorker.of(worker)
})

export const layer: Layer.Layer<DriftWorker, never, Storage | ResourceStore | Queue | Events | CallStore> =
  Layer.provide(Layer.effect(DriftWorker, make), AliasCache.layer)
