/**
 * Disables an endpoint after days in which every attempt failed, and publishes `webhook_endpoint.disabled`, in one
 * transaction. Off by default. The days begin again when the endpoint is changed or enabled again.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import { Events } from "@limbeck/core/events/Events"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import { dayMillis } from "@limbeck/core/time/Timestamp"
import * as Cache from "effect/Cache"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { DeliveryStore } from "../delivery/DeliveryStore.ts"
import { WebhookLimits } from "../Limits.ts"
import { webhookEndpointDisabled } from "../WebhookEvents.ts"
import * as Endpoint from "./Endpoint.ts"
import * as EndpointResource from "./EndpointResource.ts"
import { viewOf } from "./internal/EndpointView.ts"

export interface AutoDisable {
  /** A delivery to this endpoint was dead-lettered after its last attempt. */
  readonly gaveUp: (partition: Partition, endpointId: string) => Effect.Effect<void>
}

export const AutoDisable = Context.Reference<AutoDisable>("@limbeck/webhooks/endpoint/AutoDisable", {
  defaultValue: () => ({ gaveUp: () => Effect.void })
})

const make = Effect.fnUntraced(function* (days: number) {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const deliveries = yield* DeliveryStore
  const events = yield* Events

  const examine = Effect.fn("AutoDisable.examine")(function* (
    partition: Partition,
    endpointId: string
  ): Effect.fn.Return<void, StorageError> {
    const now = yield* Clock.currentTimeMillis
    const since = now - days * dayMillis
    const stored = Option.getOrUndefined(yield* resources.find(partition, Endpoint.kind, endpointId))
    if (stored?.value.status !== "enabled" || stored.value.updatedAt > since) return
    if (!(yield* deliveries.hasFailedSince(partition, endpointId, since))) return

    const value: Endpoint.Endpoint = { ...stored.value, status: "disabled", updatedAt: now }
    const object = EndpointResource.render(partition, yield* viewOf(deliveries, partition, value, now))
    const disable = Effect.andThen(
      resources.compareAndSet(partition, Endpoint.kind, { ...stored, value }),
      events.publish(partition, [{ type: webhookEndpointDisabled, object }])
    )
    // The endpoint was changed at the same time: its days begin again.
    yield* Effect.catchTag(storage.transaction(disable), "RevisionConflict", () => Effect.void)
  })

  /** Remembers recently examined endpoints, so that a flood of dead letters costs one examination. */
  const examined = yield* Cache.make({
    capacity: WebhookLimits.disablingCheckedMax,
    timeToLive: WebhookLimits.disablingCheckMillis,
    lookup: ({ endpointId, partition }: { readonly partition: Partition; readonly endpointId: string }) =>
      examine(partition, endpointId).pipe(
        Effect.catchCause((cause) =>
          Effect.annotateLogs(Effect.logWarning("auto_disable_check_failed", cause), { endpoint: endpointId })
        )
      )
  })
  return { gaveUp: (partition: Partition, endpointId: string) => Cache.get(examined, { partition, endpointId }) }
})

/** `days`: how long every attempt must have failed. */
export const layer = (days: number): Layer.Layer<never, never, Storage | ResourceStore | DeliveryStore | Events> =>
  Layer.effect(AutoDisable, make(days))
