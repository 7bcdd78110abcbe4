import { assert, describe, it } from "@effect/vitest"
import { type Delivery, DeliveryStatus, pending } from "@limbeck/webhooks/delivery/Delivery"
import { DeliveryEvent, edges, isSettled, transition } from "@limbeck/webhooks/delivery/DeliveryMachine"
import { standard } from "@limbeck/webhooks/delivery/RetrySchedule"
import * as Result from "effect/Result"
import { answer } from "../support/Receiver.ts"

const now = 1_000_000
const events = [
  DeliveryEvent.Succeeded({ startedAt: now - 50, result: answer(204) }),
  DeliveryEvent.Failed({ startedAt: now - 50, result: answer(500) }),
  DeliveryEvent.EndpointDisabled(),
  DeliveryEvent.Redelivered({ dueAt: now })
]

const deliveryIn = (status: DeliveryStatus, cycleAttempts: number): Delivery => ({
  ...pending({
    id: "del_00000000000000000000000000",
    endpointId: "wh_00000000000000000000000000",
    eventId: "evt_00000000000000000000000000",
    eventType: "distill.run.succeeded",
    now: 0
  }),
  status,
  attemptCount: cycleAttempts + 6,
  cycleAttempts,
  cycleStartedAt: cycleAttempts === 0 ? null : now - 100
})

const targetsOf = (status: DeliveryStatus, event: DeliveryEvent): ReadonlyArray<DeliveryStatus> | undefined =>
  Object.entries(edges[status]).find(([tag]) => tag === event._tag)?.[1]

describe("DeliveryMachine", () => {
  for (const status of DeliveryStatus.literals) {
    for (const event of events) {
      for (const attempts of [0, 5]) {
        const targets = targetsOf(status, event)
        it(`${status} + ${event._tag} after ${attempts} attempts -> ${targets?.join(" | ") ?? "refused"}`, () => {
          const before = deliveryIn(status, attempts)
          const result = transition(standard, before, event, now)
          if (targets === undefined) return assert.isTrue(Result.isFailure(result))
          const after = Result.getOrThrow(result)
          assert.include(targets, after.status)
          assert.strictEqual(after.dueAt === null, isSettled(after.status))
          assert.strictEqual(after.updatedAt, now)
        })
      }
    }
  }
})
