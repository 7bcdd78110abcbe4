/**
 * Sends what is due: claims deliveries, signs and sends each under its endpoint's bound, and settles the outcomes in
 * batches. At least once: an attempt whose outcome was not written is made again when its lease ends. Nothing waits for a
 * slow receiver but that receiver's own deliveries.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import { Queue } from "@limbeck/core/queue/Queue"
import * as WorkerLoop from "@limbeck/core/queue/WorkerLoop"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import type { Secrets } from "@limbeck/core/secrets/Secrets"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type { Mac } from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { AutoDisable } from "../endpoint/AutoDisable.ts"
import * as Endpoint from "../endpoint/Endpoint.ts"
import { Limits } from "../Limits.ts"
import { isSuccess, type Lane } from "./Delivery.ts"
import { DeliveryEvent, transition } from "./DeliveryMachine.ts"
import { type ClaimedDelivery, DeliveryStore, deliveryTopic } from "./DeliveryStore.ts"
import { Handover, type Taker } from "./Handover.ts"
import * as RetrySchedule from "./RetrySchedule.ts"
import * as Settler from "./Settler.ts"
import * as Signer from "./Signer.ts"
import * as Slots from "./Slots.ts"
import { WebhookSender } from "./WebhookSender.ts"

export interface DispatcherOptions {
  /** When attempts are made; the standard six unless set. */
  readonly schedule?: RetrySchedule.RetrySchedule
  /** Begins the names of our headers: `Service` unless set. */
  readonly brand?: string
}

export class DeliveryDispatcher extends Context.Service<
  DeliveryDispatcher,
  {
    /** Does what is due and has room, waits until it is settled, and answers how much that was. */
    readonly runOnce: Effect.Effect<number, StorageError>
    /**
     * Does what is due, when it is due, and never waits for a batch before it takes the next; takes over what this process
     * publishes without looking for it. Interrupted, it takes no more; what is under way ends before the dispatcher's own
     * scope does.
     */
    readonly forever: Effect.Effect<never>
  }
>()("@limbeck/webhooks/delivery/DeliveryDispatcher") {}

const perEndpointClaimMax: { readonly [L in Lane]: number } = {
  first: Limits.perEndpointClaimMax,
  retry: Limits.perEndpointRetryClaimMax
}

/** Endpoints of claimed deliveries by id, one look-up per partition. A deleted one is absent. */
const endpointsOf = Effect.fnUntraced(function* (
  resources: ResourceStore["Service"],
  claimed: ReadonlyArray<ClaimedDelivery>
) {
  const groups = Map.groupBy(claimed, ({ partition }) => partition.key)
  const found = yield* Effect.forEach(groups.values(), (group) => {
    const ids = new Set(group.map(({ delivery }) => delivery.endpointId))
    // A group has at least the one that made it.
    return resources.findMany(group[0]!.partition, Endpoint.kind, [...ids])
  })
  return new Map(found.flat().map((endpoint) => [endpoint.id, endpoint]))
})

const make = Effect.fnUntraced(function* (options: DispatcherOptions) {
  const { schedule = RetrySchedule.standard } = options
  const store = yield* DeliveryStore
  const resources = yield* ResourceStore
  const sender = yield* WebhookSender
  const queue = yield* Queue
  const handover = yield* Handover
  const ids = yield* Ids
  const sign = yield* Signer.make(options.brand)
  const autoDisable = yield* AutoDisable
  const settler = yield* Settler.make
  const slots = Slots.make({
    max: Limits.concurrencyMax,
    reserved: Limits.concurrencyReserved,
    retryMax: Limits.retryConcurrencyMax,
    perEndpointMax: Limits.perEndpointMax,
    perEndpointRetryMax: Limits.perEndpointRetryMax,
    perEndpointClaimMax,
    slowMillis: Limits.slowMillis,
    slowMax: { first: Limits.slowMax, retry: Limits.slowRetryMax },
    silentMax: Limits.silentMax,
    answeringMax: Limits.answeringMax
  })
  // Rings within the process, beside the queue's doorbell: work of ours may be taken earlier than the loop expects.
  const bell = Latch.makeUnsafe(false)

  const age = Effect.gen(function* () {
    yield* slots.awaitBusy
    yield* Effect.sleep(Limits.slowLookMillis)
    if (slots.age(yield* Clock.currentTimeMillis)) bell.openUnsafe()
  })
  yield* Effect.forkScoped(Effect.forever(age))

  // Added after the settler, so it runs first: attempts under way end, and are settled, before the settler stops.
  yield* Effect.addFinalizer(() => slots.awaitIdle)

  const move = (claimed: ClaimedDelivery, event: DeliveryEvent, now: number) =>
    // Only what is pending or failed is ever due, and these take every event of ours.
    Effect.orDie(Effect.fromResult(transition(schedule, claimed.delivery, event, now)))

  /** Nobody to send to: not an attempt (contract 14.6). */
  const giveUp = Effect.fnUntraced(function* (claimed: ClaimedDelivery) {
    const now = yield* Clock.currentTimeMillis
    const delivery = yield* move(claimed, DeliveryEvent.EndpointDisabled(), now)
    yield* settler.settle({ partition: claimed.partition, lease: claimed.lease, delivery, attempt: null })
    return null
  })

  /** Not an attempt: it is due as before, for anybody. */
  const giveBack = Effect.fnUntraced(function* ({ delivery, lease, partition }: ClaimedDelivery) {
    yield* settler.settle({ partition, lease, delivery, attempt: null })
    bell.openUnsafe()
    return null
  })

  /** Answers whether the receiver kept silent; null when it was not asked. */
  const attempt = Effect.fn("DeliveryDispatcher.attempt")(function* (
    claimed: ClaimedDelivery,
    endpoint: Endpoint.Endpoint,
    leaseUntil: Millis
  ) {
    const { body, delivery, lease, partition } = claimed
    const startedAt = yield* Clock.currentTimeMillis
    const event = { id: delivery.eventId, type: delivery.eventType }
    const request = yield* sign(partition, endpoint, { event, deliveryId: delivery.id, body }, startedAt)
    // A claim or a commit that took long: the lease would end, and another worker begin, while this attempt lasts.
    if (startedAt + Limits.attemptLeaseMillis > leaseUntil) return yield* giveBack(claimed)
    const result = yield* sender.send(request)
    const now = yield* Clock.currentTimeMillis
    const outcome = { startedAt, result }
    const happened = isSuccess(result) ? DeliveryEvent.Succeeded(outcome) : DeliveryEvent.Failed(outcome)
    const moved = yield* move(claimed, happened, now)
    yield* settler.settle({
      partition,
      lease,
      delivery: moved,
      attempt: {
        id: yield* ids.make("att"),
        deliveryId: delivery.id,
        number: moved.attemptCount,
        trigger: delivery.trigger,
        result,
        startedAt
      }
    })
    if (moved.dueAt !== null && moved.dueAt < now + Limits.pollMillis) bell.openUnsafe()
    if (moved.status === "dead_lettered") yield* autoDisable.gaveUp(partition, endpoint.id)
    return result.error !== null && result.durationMillis >= Limits.slowMillis
  })

  /** Detached, so that stopping the loop does not cut it off; the finalizer above waits for what has a slot. */
  const start = Effect.fnUntraced(function* (
    lane: Lane,
    claimed: ClaimedDelivery,
    endpoint: Endpoint.Endpoint | undefined,
    leaseUntil: Millis
  ) {
    const { endpointId, id } = claimed.delivery
    const slot = slots.take(endpointId, lane, yield* Clock.currentTimeMillis)
    // Others took the room meanwhile.
    if (slot === null) return yield* Effect.forkDetach(giveBack(claimed))
    const work = endpoint?.status === "enabled" ? attempt(claimed, endpoint, leaseUntil) : giveUp(claimed)
    const guarded = work.pipe(
      Effect.catchCause((cause) =>
        Effect.as(Effect.logError(`Delivery ${id} met a failure; it is attempted again`, cause), null)
      ),
      Effect.onExit((exit) =>
        Effect.sync(() => slots.give(slot, Exit.isSuccess(exit) ? exit.value : null) && bell.openUnsafe())
      )
    )
    return yield* Effect.forkDetach(guarded)
  })

  const claimAndStart = Effect.fnUntraced(function* (lane: Lane) {
    const limit = slots.free(lane)
    if (limit === 0) return []
    const now = yield* Clock.currentTimeMillis
    const leaseUntil = now + Limits.leaseMillis
    const claimed = yield* store.claimDue({
      lane,
      now,
      limit,
      leaseUntil,
      perEndpointMax: perEndpointClaimMax[lane],
      except: slots.crowded(lane),
      single: slots.silent()
    })
    if (claimed.length === 0) return []
    const endpoints = yield* endpointsOf(resources, claimed)
    return yield* Effect.forEach(claimed, (one) => start(lane, one, endpoints.get(one.delivery.endpointId), leaseUntil))
  })

  /** While first attempts keep coming, retries that were not there a moment ago are not looked for at every turn. */
  let retriesLookedAt = Number.NEGATIVE_INFINITY

  const startRetries = Effect.gen(function* () {
    const started = yield* claimAndStart("retry")
    retriesLookedAt = started.length > 0 ? Number.NEGATIVE_INFINITY : yield* Clock.currentTimeMillis
    return started
  })

  /** Retries choose first but have half of the room at most, so neither lane ever shuts out the other. */
  const startDue = Effect.fnUntraced(function* (lookMillis: number) {
    const isDueToLook = (yield* Clock.currentTimeMillis) >= retriesLookedAt + lookMillis
    const retries = isDueToLook ? yield* startRetries : []
    const firsts = yield* claimAndStart("first")
    // Nobody rests before having looked at both.
    return isDueToLook || firsts.length > 0 ? [...retries, ...firsts] : yield* startRetries
  })

  // What was claimed is started, whatever happens; waiting for room may be interrupted.
  const turn = (lookMillis: number) => Effect.andThen(slots.awaitRoom, Effect.uninterruptible(startDue(lookMillis)))

  /** What is due and has no room hides when the rest is due: then look again soon. */
  const nextDueAt = Effect.gen(function* () {
    const dueAt = yield* store.nextDueAt
    const now = yield* Clock.currentTimeMillis
    const isHidden = dueAt !== null && dueAt <= now && slots.isTight()
    return isHidden ? now + Limits.crowdedPollMillis : dueAt
  })

  const taker: Taker = {
    choose: slots.fitting,
    take: (claimed, endpoint, leaseUntil) => Effect.asVoid(start("first", claimed, endpoint, leaseUntil))
  }

  const ownBell = Effect.andThen(bell.await, bell.close)
  const doorbell: Queue["Service"]["doorbell"] = (topic) =>
    Effect.map(queue.doorbell(topic), (rung) => ({ await: Effect.raceFirst(rung.await, ownBell) }))

  const loop = WorkerLoop.forever({
    topic: deliveryTopic,
    runOnce: Effect.map(turn(Limits.retryLookMillis), (started) => started.length),
    nextDueAt,
    pollMillis: Limits.pollMillis
  }).pipe(Effect.provideService(Queue, { ...queue, doorbell }))
  const forever = Effect.scoped(Effect.andThen(handover.register(taker), loop))

  const runOnce = Effect.fn("DeliveryDispatcher.runOnce")(function* () {
    const started = yield* turn(0)
    yield* Effect.forEach(started, Fiber.await, { discard: true })
    return started.length
  })

  return DeliveryDispatcher.of({ runOnce: runOnce(), forever })
})

type Needs = DeliveryStore | ResourceStore | WebhookSender | Secrets | Queue | Handover | Ids | Mac

export const layerWith = (options: DispatcherOptions): Layer.Layer<DeliveryDispatcher, never, Needs> =>
  Layer.effect(DeliveryDispatcher, make(options))

export const layer = layerWith({})

/** Runs a dispatcher for as long as the layer lives. */
export const layerWorker: Layer.Layer<never, never, DeliveryDispatcher> = Layer.effectDiscard(
  Effect.flatMap(DeliveryDispatcher, (dispatcher) => Effect.forkScoped(dispatcher.forever))
)
