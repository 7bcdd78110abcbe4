/** Deliveries as the owner of their endpoint sees them. They are made by the fan-out and moved by the dispatcher. */
import { type NotFound, notFound, type StorageError } from "@limbeck/core/errors/Errors"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Endpoint from "../endpoint/Endpoint.ts"
import type { Attempt, Delivery } from "./Delivery.ts"
import { type DeliveryFilter, DeliveryStore } from "./DeliveryStore.ts"

export interface DeliveryDetail {
  readonly delivery: Delivery
  /** Oldest first. */
  readonly attempts: ReadonlyArray<Attempt>
}

export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** Newest first. An endpoint that was deleted has none to show. */
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
  }
>()("@limbeck/webhooks/delivery/Deliveries") {}

export const layer: Layer.Layer<Deliveries, never, DeliveryStore | ResourceStore> = Layer.effect(
  Deliveries,
  Effect.gen(function* () {
    const store = yield* DeliveryStore
    const resources = yield* ResourceStore

    const requireEndpoint = Effect.fnUntraced(function* (partition: Partition, id: string) {
      const found = yield* resources.find(partition, Endpoint.kind, id)
      if (Option.isNone(found)) return yield* notFound("webhook endpoint", id)
    })

    return Deliveries.of({
      page: Effect.fn("Deliveries.page")(function* (partition, filter, request) {
        yield* requireEndpoint(partition, filter.endpointId)
        return yield* store.page(partition, filter, request)
      }),
      detail: Effect.fn("Deliveries.detail")(function* (partition, endpointId, id) {
        yield* requireEndpoint(partition, endpointId)
        const found = yield* store.find(partition, endpointId, id)
        if (Option.isNone(found)) return yield* notFound("webhook delivery", id)
        return { delivery: found.value, attempts: yield* store.attempts(partition, id) }
      })
    })
  })
)
