/**
 * Deliveries as seen by the owner of their endpoint. The fan-out creates deliveries and the dispatcher moves them; the
 * owner may redeliver a dead letter.
 */
import { type NotFound, notFound, type StorageError } from "@limbeck/core/errors/Errors"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import { Storage } from "@limbeck/core/storage/Storage"
import { dayMillis } from "@limbeck/core/time/Timestamp"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { DeliveryNotDeadLettered, DeliveryTooOld, type EndpointDisabled } from "../Errors.ts"
import * as Endpoint from "../endpoint/Endpoint.ts"
import { requireEnabled } from "../endpoint/internal/EndpointRules.ts"
import { WebhookLimits } from "../Limits.ts"
import type { Attempt, Delivery } from "./Delivery.ts"
import { DeliveryEvent, transition } from "./DeliveryMachine.ts"
import { type DeliveryFilter, DeliveryStore, deliveryTopic } from "./DeliveryStore.ts"
import * as RetrySchedule from "./RetrySchedule.ts"

export interface DeliveryDetail {
  readonly delivery: Delivery
  /** Oldest first. */
  readonly attempts: ReadonlyArray<Attempt>
}

export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** Newest first. A deleted endpoint has none. */
    readonly page: (
      partition: Partition,
      filter: DeliveryFilter,
      request: PageRequest
    ) => Effect.Effect<Page<Delivery>, NotFound | StorageError>
    readonly detail: (
      partition: Partition,
      endpointId: string,
      id: string
    ) => Effect.Effect<DeliveryDetail, NotFound | StorageError>
    /** A new cycle of six for a dead letter of the last 30 days, due at once; its endpoint must be enabled. */
    readonly redeliver: (
      partition: Partition,
      endpointId: string,
      id: string
    ) => Effect.Effect<Delivery, NotFound | DeliveryNotDeadLettered | DeliveryTooOld | EndpointDisabled | StorageError>
  }
>()("@limbeck/webhooks/delivery/Deliveries") {}

const notDead = ({ id, status }: Delivery) => new DeliveryNotDeadLettered({ id, status })

const tooOld = ({ id }: Delivery) => new DeliveryTooOld({ id, daysMax: WebhookLimits.redeliveryMillis / dayMillis })

export const layer: Layer.Layer<Deliveries, never, DeliveryStore | ResourceStore | Storage | Queue> = Layer.effect(
  Deliveries,
  Effect.gen(function* () {
    const store = yield* DeliveryStore
    const resources = yield* ResourceStore
    const storage = yield* Storage
    const queue = yield* Queue

    const requireEndpoint = (partition: Partition, id: string) =>
      Resources.requireValue(resources, partition, Endpoint.kind, id)

    const requireDelivery = Effect.fnUntraced(function* (partition: Partition, endpointId: string, id: string) {
      const found = yield* store.find(partition, endpointId, id)
      return Option.isSome(found) ? found.value : yield* notFound("webhook delivery", id)
    })

    const redeliver = Effect.fnUntraced(function* (partition: Partition, endpointId: string, id: string) {
      const endpoint = yield* requireEndpoint(partition, endpointId)
      const delivery = yield* requireDelivery(partition, endpointId, id)
      const now = yield* Clock.currentTimeMillis
      const again = DeliveryEvent.Redelivered({ dueAt: now })
      const revived = yield* Effect.fromResult(transition(RetrySchedule.standard, delivery, again, now)).pipe(
        Effect.mapError(() => notDead(delivery))
      )
      if (delivery.createdAt + WebhookLimits.redeliveryMillis < now) return yield* tooOld(delivery)
      yield* Effect.fromResult(requireEnabled(endpoint))
      const refused = yield* store.redeliver(partition, [revived])
      if (refused.length > 0) return yield* notDead(revived)
      yield* queue.nudge(deliveryTopic)
      return revived
    })

    return Deliveries.of({
      page: Effect.fnUntraced(function* (partition, filter, request) {
        yield* requireEndpoint(partition, filter.endpointId)
        return yield* store.page(partition, filter, request)
      }),
      detail: Effect.fn("Deliveries.detail")(function* (partition, endpointId, id) {
        yield* requireEndpoint(partition, endpointId)
        const delivery = yield* requireDelivery(partition, endpointId, id)
        return { delivery, attempts: yield* store.attempts(partition, id) }
      }),
      redeliver: Effect.fn("Deliveries.redeliver")((partition, endpointId, id) =>
        storage.transaction(redeliver(partition, endpointId, id))
      )
    })
  })
)
