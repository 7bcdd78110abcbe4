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
import { Secrets } from "@limbeck/core/secrets/Secrets"
import * as Cache from "effect/Cache"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { Mac } from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Endpoint from "../endpoint/Endpoint.ts"
import { Limits } from "../Limits.ts"
import { isSuccess } from "./Delivery.ts"
import { DeliveryEvent, transition } from "./DeliveryMachine.ts"
import { type ClaimedDelivery, DeliveryStore, deliveryTopic } from "./DeliveryStore.ts"
import * as RetrySchedule from "./RetrySchedule.ts"
import * as Settler from "./Settler.ts"
import * as SignedRequest from "./SignedRequest.ts"
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
     * Does what is due, when it is due, and never waits for a batch before it takes the next. Interrupted, it claims no
     * more; what is under way ends before the dispatcher's own scope does.
     */
    readonly forever: Effect.Effect<never>
  }
>()("@limbeck/webhooks/delivery/DeliveryDispatcher") {}

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

/** Opens sealed secrets, each once: a sealed text is never sealed again, so it names its secret. */
const makeOpen = Effect.gen(function* () {
  const secrets = yield* Secrets
  const cache = yield* Cache.make({
    capacity: Limits.openSecretsMax,
    lookup: ({ context, sealed }: { readonly context: string; readonly sealed: string }) =>
      secrets.open(sealed, context)
  })
  return (sealed: string, context: string) => Cache.get(cache, { context, sealed })
})

const make = Effect.fnUntraced(function* (options: DispatcherOptions) {
  const { brand = SignedRequest.defaultBrand, schedule = RetrySchedule.standard } = options
  const store = yield* DeliveryStore
  const resources = yield* ResourceStore
  const sender = yield* WebhookSender
  const queue = yield* Queue
  const ids = yield* Ids
  const mac = yield* Mac
  const open = yield* makeOpen
  const settler = yield* Settler.make
  const slots = Slots.make({
    max: Limits.concurrencyMax,
    perEndpointMax: Limits.perEndpointMax,
    perEndpointClaimMax: Limits.perEndpointClaimMax
  })
  // Rings within the process, beside the queue's doorbell: work of ours may be taken earlier than the loop expects.
  const bell = Latch.makeUnsafe(false)

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
  })

  const attempt = Effect.fn("DeliveryDispatcher.attempt")(function* (
    claimed: ClaimedDelivery,
    endpoint: Endpoint.Endpoint
  ) {
    const { body, delivery, lease, partition } = claimed
    const startedAt = yield* Clock.currentTimeMillis
    const secrets = yield* Effect.forEach(Endpoint.signingSecrets(endpoint, startedAt), (sealed) =>
      open(sealed, partition.key)
    )
    const request = yield* SignedRequest.make({
      brand,
      url: endpoint.url,
      livemode: partition.livemode,
      secrets,
      event: { id: delivery.eventId, type: delivery.eventType },
      deliveryId: delivery.id,
      body,
      now: startedAt
    })
    const result = yield* sender.send(request)
    const now = yield* Clock.currentTimeMillis
    const outcome = { startedAt, result }
    const event = isSuccess(result) ? DeliveryEvent.Succeeded(outcome) : DeliveryEvent.Failed(outcome)
    const moved = yield* move(claimed, event, now)
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
  })

  const start = Effect.fnUntraced(function* (claimed: ClaimedDelivery, endpoint: Endpoint.Endpoint | undefined) {
    const { endpointId, id } = claimed.delivery
    slots.take(endpointId)
    const work = endpoint?.status === "enabled" ? attempt(claimed, endpoint) : giveUp(claimed)
    const guarded = work.pipe(
      Effect.catchCause((cause) => Effect.logError(`Delivery ${id} met a failure; it is attempted again`, cause)),
      Effect.ensuring(Effect.sync(() => slots.give(endpointId) && bell.openUnsafe())),
      Effect.provideService(Mac, mac)
    )
    // Detached, so that stopping the loop does not cut it off; the finalizer above waits for it.
    return yield* Effect.forkDetach(guarded)
  })

  const claimAndStart = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const claimed = yield* store.claimDue({
      now,
      limit: slots.free(),
      leaseUntil: now + Limits.leaseMillis,
      perEndpointMax: Limits.perEndpointClaimMax,
      except: slots.crowded()
    })
    if (claimed.length === 0) return []
    const endpoints = yield* endpointsOf(resources, claimed)
    return yield* Effect.forEach(claimed, (one) => start(one, endpoints.get(one.delivery.endpointId)))
  })

  // What was claimed is started, whatever happens; waiting for room may be interrupted.
  const turn = Effect.andThen(slots.awaitRoom, Effect.uninterruptible(claimAndStart))

  /** While an endpoint is crowded, its own due work hides when others' is due: then look again soon. */
  const nextDueAt = Effect.gen(function* () {
    const dueAt = yield* store.nextDueAt
    const now = yield* Clock.currentTimeMillis
    const isHidden = dueAt !== null && dueAt <= now && slots.crowded().length > 0
    return isHidden ? now + Limits.crowdedPollMillis : dueAt
  })

  const ownBell = Effect.andThen(bell.await, bell.close)
  const doorbell: Queue["Service"]["doorbell"] = (topic) =>
    Effect.map(queue.doorbell(topic), (rung) => ({ await: Effect.raceFirst(rung.await, ownBell) }))

  const forever = WorkerLoop.forever({
    topic: deliveryTopic,
    runOnce: Effect.map(turn, (started) => started.length),
    nextDueAt,
    pollMillis: Limits.pollMillis
  }).pipe(Effect.provideService(Queue, { ...queue, doorbell }))

  const runOnce = Effect.fn("DeliveryDispatcher.runOnce")(function* () {
    const started = yield* turn
    yield* Effect.forEach(started, Fiber.await, { discard: true })
    return started.length
  })

  return DeliveryDispatcher.of({ runOnce: runOnce(), forever })
})

type Needs = DeliveryStore | ResourceStore | WebhookSender | Secrets | Queue | Ids | Mac

export const layerWith = (options: DispatcherOptions): Layer.Layer<DeliveryDispatcher, never, Needs> =>
  Layer.effect(DeliveryDispatcher, make(options))

export const layer = layerWith({})

/** Runs a dispatcher for as long as the layer lives. */
export const layerWorker: Layer.Layer<never, never, DeliveryDispatcher> = Layer.effectDiscard(
  Effect.flatMap(DeliveryDispatcher, (dispatcher) => Effect.forkScoped(dispatcher.forever))
)
