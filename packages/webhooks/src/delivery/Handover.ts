/**
 * The short way from the transaction that creates a delivery to the dispatcher of the same process. The delivery is leased
 * by its insert and handed over right after the commit, without a claim. After a crash, a delivery that was never handed
 * over is due when its lease ends, as after a worker's death.
 */
import type { WorkspaceId } from "@limbeck/core/ids/Id"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Endpoint } from "../endpoint/Endpoint.ts"
import type { Delivery } from "./Delivery.ts"
import type { ClaimedDelivery } from "./DeliveryStore.ts"

/** A running dispatcher. */
export interface Taker {
  /** Chooses deliveries of the workspace within the dispatcher's room. */
  readonly choose: (workspace: WorkspaceId, deliveries: ReadonlyArray<Delivery>) => ReadonlyArray<Delivery>
  /** Whether the endpoint has no room for another claim, so that the end of an attempt triggers the next claim. */
  readonly isCrowded: (endpoint: { readonly id: string; readonly workspace: WorkspaceId }) => boolean
  /** Sends a committed delivery, or gives it back to storage if it no longer has room or time for it. */
  readonly take: (claimed: ClaimedDelivery, endpoint: Endpoint, leaseUntil: Millis) => Effect.Effect<void>
}

export class Handover extends Context.Service<
  Handover,
  {
    /** Hands over to `taker` for as long as the scope lives. */
    readonly register: (taker: Taker) => Effect.Effect<void, never, Scope.Scope>
    /** Null in a process without a dispatcher. */
    readonly taker: () => Taker | null
  }
>()("@limbeck/webhooks/delivery/Handover") {}

export const layer: Layer.Layer<Handover> = Layer.sync(Handover, () => {
  let current: Taker | null = null
  const register = (taker: Taker) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        current = taker
      }),
      () =>
        Effect.sync(() => {
          if (current === taker) current = null
        })
    )
  return Handover.of({ register: (taker) => Effect.asVoid(register(taker)), taker: () => current })
})
