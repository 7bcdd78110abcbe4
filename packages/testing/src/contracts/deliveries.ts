/** What the cases of DeliveryStore begin with. */
import { EventStore } from "@limbeck/core/events/EventStore"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Delivery } from "@limbeck/webhooks/delivery/Delivery"
import { type ClaimedDelivery, DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import type { EndpointId } from "@limbeck/webhooks/endpoint/Endpoint"
import * as Effect from "effect/Effect"
import * as Deliveries from "../fixtures/Deliveries.ts"
import * as Events from "../fixtures/Events.ts"
import * as Fresh from "../fixtures/Fresh.ts"

export const now = Fresh.start
export const later = now + 1_000
/** After everything that any case makes due. */
export const farFuture = now + 10 ** 12

/** Settles whatever earlier cases left due: claims know no partition. */
const clear: Effect.Effect<void, unknown, DeliveryStore> = Effect.flatMap(DeliveryStore, (store) =>
  Effect.flatMap(Deliveries.claim(store, { now: farFuture, limit: 500, leaseUntil: farFuture + 1 }), (claimed) =>
    claimed.length === 0
      ? Effect.void
      : Effect.andThen(store.settle(claimed.map((one) => Deliveries.successOf(one))), clear)
  )
)

/** Inserts a delivery with its event. */
export const insert = Effect.fnUntraced(function* (
  partition: Partition,
  endpointId: EndpointId,
  options: { readonly at?: number; readonly dueAt?: number; readonly type?: string } = {}
) {
  const events = yield* EventStore
  const store = yield* DeliveryStore
  const event = Events.event(partition, options)
  const delivery = Deliveries.delivery(event, endpointId, options.dueAt)
  yield* events.append(partition, [event])
  yield* store.insert(partition, [delivery])
  return { event, delivery }
})

/** A cleared store, a partition with its neighbours, an endpoint, and short ways to use them. */
export const open = Effect.gen(function* () {
  const store = yield* DeliveryStore
  yield* clear
  const { mine, others } = Fresh.neighbours()
  const endpointId = Deliveries.endpointId()
  return {
    store,
    partition: mine,
    others,
    endpointId,
    insert: (options?: Parameters<typeof insert>[2]) => insert(mine, endpointId, options),
    /** Of both lanes. */
    claim: (at = now, { leaseUntil = at + 1_000, limit = 10 } = {}) =>
      Deliveries.claim(store, { now: at, limit, leaseUntil }),
    find: ({ id }: Delivery) => store.find(mine, endpointId, id)
  }
})

export const idsOf = (claimed: ReadonlyArray<ClaimedDelivery>): ReadonlyArray<string> =>
  claimed.map(({ delivery }) => delivery.id)

export const any = { status: null, eventType: null }
