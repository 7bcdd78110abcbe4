/**
 * Sends due deliveries: claims them and attempts each within its endpoint's bound; takes over at once the deliveries that
 * this process commits. At least once: an attempt without a stored outcome is repeated after its lease. A slow receiver
 * delays only its own deliveries.
 */

import type { StorageError } from "@limbeck/core/errors/Errors"
import * as Invariant from "@limbeck/core/errors/Invariant"
import type { Ids } from "@limbeck/core/ids/Ids"
import { Pools } from "@limbeck/core/pools/Pools"
import * as ClockWatch from "@limbeck/core/queue/ClockWatch"
import { Queue } from "@limbeck/core/queue/Queue"
import * as WorkerLoop from "@limbeck/core/queue/WorkerLoop"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import type { Secrets } from "@limbeck/core/secrets/Secrets"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type { Mac } from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Endpoint from "../endpoint/Endpoint.ts"
import { WebhookLimits } from "../Limits.ts"
import type { Lane } from "./Delivery.ts"
import { type ClaimedDelivery, type ClaimOptions, DeliveryStore, deliveryTopic } from "./DeliveryStore.ts"
import { Handover, type Taker } from "./Handover.ts"
import * as Attempts from "./internal/Attempts.ts"
import * as ClaimRules from "./internal/ClaimRules.ts"
import type { SlotBounds } from "./internal/SlotRules.ts"
import * as Slots from "./internal/Slots.ts"
import type * as RetrySchedule from "./RetrySchedule.ts"
import type { WebhookSender } from "./WebhookSender.ts"

export interface DispatcherOptions {
  /** When attempts are made; by default the standard six. */
  readonly schedule?: RetrySchedule.RetrySchedule
  /** The prefix of our header names; by default `Service`. */
  readonly brand?: string
}

export class DeliveryDispatcher extends Context.Service<
  DeliveryDispatcher,
  {
    /** Sends the due deliveries with a free slot, waits until all are settled, and returns their number. */
    readonly runOnce: Effect.Effect<number, StorageError>
    /**
     * Sends deliveries when they are due, and never waits for a batch before it claims the next; takes over at once what this
     * process publishes. Interrupted, it claims no more; attempts under way end before the dispatcher's own scope does.
     */
    readonly forever: Effect.Effect<never>
  }
>()("@limbeck/webhooks/delivery/DeliveryDispatcher") {}

const slotBounds: SlotBounds = {
  max: Pools.webhookAttempts.size,
  reserved: WebhookLimits.concurrencyReserved,
  retryMax: WebhookLimits.retryConcurrencyMax,
  perEndpointMax: WebhookLimits.perEndpointMax,
  perEndpointRetryMax: WebhookLimits.perEndpointRetryMax,
  perEndpointClaimMax: { first: WebhookLimits.perEndpointClaimMax, retry: WebhookLimits.perEndpointRetryClaimMax },
  swiftClaimMax: WebhookLimits.swiftClaimMax,
  lineMax: WebhookLimits.lineMax,
  waitingMax: WebhookLimits.waitingMax,
  slowMillis: WebhookLimits.slowMillis,
  slowMax: { first: Pools.webhookSlowAttempts.size, retry: WebhookLimits.slowRetryMax },
  silentMax: WebhookLimits.silentMax,
  respondingMax: WebhookLimits.respondingMax,
  swiftMax: WebhookLimits.swiftMax
}

/** Endpoints of claimed deliveries by id, one look-up per partition. A deleted one is absent. */
const endpointsOf = Effect.fnUntraced(function* (
  resources: ResourceStore["Service"],
  claimed: ReadonlyArray<ClaimedDelivery>
) {
  const groups = Map.groupBy(claimed, ({ partition }) => partition.key)
  const found = yield* Effect.forEach(groups.values(), (group) => {
    const ids = new Set(group.map(({ delivery }) => delivery.endpointId))
    // A group is never empty.
    return resources.findMany(group[0]!.partition, Endpoint.kind, [...ids])
  })
  return new Map(found.flat().map(({ value: endpoint }) => [endpoint.id, endpoint]))
})

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: steps of three to ten lines, over the same slots, bell and time of the last look
const make = Effect.fnUntraced(function* (options: DispatcherOptions) {
  const store = yield* DeliveryStore
  const resources = yield* ResourceStore
  const queue = yield* Queue
  const handover = yield* Handover
  // Rings within the process, beside the queue's doorbell: there is room again, or work may be due earlier than expected.
  const bell = Latch.makeUnsafe(false)
  const slots = Slots.make(slotBounds, () => bell.openUnsafe())

  const age = Effect.gen(function* () {
    yield* slots.awaitBusy
    yield* Effect.sleep(WebhookLimits.slowLookMillis)
    slots.age(yield* Clock.currentTimeMillis)
  })
  yield* Effect.forkScoped(Effect.forever(age))

  const start = yield* Attempts.make({ ...options, slots, bell })

  /** What the last look at each lane left behind; `unknown` when it took nothing. */
  const left: { [L in Lane]: ClaimRules.Remainder } = { first: "unknown", retry: "unknown" }

  /** Returns the number of started attempts; calls `ended` when an outcome is stored. */
  const claimAndStart = Effect.fnUntraced(function* (lane: Lane, ended: () => void) {
    yield* Invariant.check("Slots", slots.mistake(), { lane })
    const limit = slots.free(lane)
    left[lane] = "unknown"
    if (limit === 0) return 0
    const now = yield* Clock.currentTimeMillis
    const leaseUntil = now + WebhookLimits.leaseMillis
    const asked: ClaimOptions = {
      lane,
      now,
      limit,
      leaseUntil,
      perEndpointMax: slotBounds.perEndpointClaimMax[lane],
      except: slots.crowdedEndpoints(lane),
      single: slots.silent(),
      rooms: slots.rooms(lane),
      many: { endpoints: lane === "first" ? slots.swift() : [], max: slotBounds.swiftClaimMax }
    }
    const claimed = yield* store.claimDue(asked)
    if (claimed.length === 0) return 0
    const endpoints = yield* endpointsOf(resources, claimed)
    for (const one of claimed) {
      start({ lane, claimed: one, endpoint: endpoints.get(one.delivery.endpointId), leaseUntil, ended })
    }
    left[lane] = ClaimRules.remainderOf(asked, claimed, {
      crowded: slots.crowdedEndpoints(lane),
      rooms: slots.rooms(lane)
    })
    return claimed.length
  })

  /** While first attempts keep coming, a turn skips retries if none was due a moment ago. */
  let retriesLookedAt = Number.NEGATIVE_INFINITY

  const startRetries = Effect.fnUntraced(function* (ended: () => void) {
    const started = yield* claimAndStart("retry", ended)
    retriesLookedAt = started > 0 ? Number.NEGATIVE_INFINITY : yield* Clock.currentTimeMillis
    return started
  })

  /** Retries choose first but have half of the room at most, so neither lane ever shuts out the other. */
  const startDue = Effect.fnUntraced(function* (lookMillis: number, ended: () => void) {
    const isDueToLook = (yield* Clock.currentTimeMillis) >= retriesLookedAt + lookMillis
    const retries = isDueToLook ? yield* startRetries(ended) : 0
    const firsts = yield* claimAndStart("first", ended)
    // No turn ends without a look at both lanes.
    return isDueToLook || firsts > 0 ? retries + firsts : yield* startRetries(ended)
  })

  // Every claimed delivery is started, even if the loop is interrupted; waiting for room may be interrupted.
  const turn = (lookMillis: number, ended: () => void) =>
    Effect.andThen(slots.awaitRoom, Effect.uninterruptible(startDue(lookMillis, ended)))

  const watchClock = ClockWatch.make("deliveries", (now) =>
    store.pullForward({
      now,
      latest: now + WebhookLimits.clockToleranceMillis,
      leaseUntil: now + WebhookLimits.leaseMillis
    })
  )

  /** A due delivery without room hides when the others are due: the next look is soon then. */
  const nextDueAt = Effect.gen(function* () {
    yield* watchClock
    if (left.first === "hidden") return (yield* Clock.currentTimeMillis) + WebhookLimits.crowdedPollMillis
    const dueAt = yield* store.nextDueAt
    const now = yield* Clock.currentTimeMillis
    const isHidden = dueAt !== null && dueAt <= now && slots.isTight()
    return isHidden ? now + WebhookLimits.crowdedPollMillis : dueAt
  })

  const taker: Taker = {
    choose: slots.fitting,
    isCrowded: (endpoint) => slots.isCrowded(endpoint, "first"),
    take: (claimed, endpoint, leaseUntil) =>
      Effect.sync(() => start({ lane: "first", claimed, endpoint, leaseUntil, ended: constVoid }))
  }

  const loop = WorkerLoop.forever({
    topic: deliveryTopic,
    // After a claim that took everything it could have, asks for the next due time without another claim.
    runOnce: Effect.map(turn(WebhookLimits.retryLookMillis, constVoid), (started) =>
      left.first === "more" || left.retry === "more" ? started : 0
    ),
    nextDueAt,
    bell,
    pollMillis: WebhookLimits.pollMillis
  }).pipe(Effect.provideService(Queue, queue))
  const forever = Effect.scoped(Effect.andThen(handover.register(taker), loop))

  const runOnce = Effect.fn("DeliveryDispatcher.runOnce")(function* () {
    const isOver = Latch.makeUnsafe(false)
    let [started, ended] = [Number.POSITIVE_INFINITY, 0]
    started = yield* turn(0, () => {
      if (++ended === started) isOver.openUnsafe()
    })
    if (ended < started) yield* isOver.await
    return started
  })

  return DeliveryDispatcher.of({ runOnce: runOnce(), forever })
})

type Needs = DeliveryStore | ResourceStore | WebhookSender | Secrets | Queue | Handover | Ids | Mac

export const layerWith = (options: DispatcherOptions): Layer.Layer<DeliveryDispatcher, never, Needs> =>
  Layer.effect(DeliveryDispatcher, make(options))

export const layer = layerWith({})
