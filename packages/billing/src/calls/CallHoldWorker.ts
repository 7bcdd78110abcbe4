/** Releases the call holds of dead servers, which nobody renews. */
import { Pools } from "@limbeck/core/pools/Pools"
import * as LeasedWorker from "@limbeck/core/queue/LeasedWorker"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BillingLimits } from "../Limits.ts"
import { topic } from "./CallHold.ts"
import * as HoldChanges from "./internal/HoldChanges.ts"

export class CallHoldWorker extends Context.Service<CallHoldWorker, LeasedWorker.LeasedWorker>()(
  "@limbeck/billing/calls/CallHoldWorker"
) {}

const make = Effect.gen(function* () {
  const { expire } = yield* HoldChanges.make
  const { expiryBeatMillis, expiryLeaseMillis, expiryPollMillis } = BillingLimits
  return yield* LeasedWorker.make({
    topic,
    perform: (work) => Effect.asVoid(expire(work)),
    pool: Pools.holdExpiries,
    leaseMillis: expiryLeaseMillis,
    heartbeatMillis: expiryBeatMillis,
    pollMillis: expiryPollMillis
  })
})

export const layer = Layer.effect(CallHoldWorker, make)
