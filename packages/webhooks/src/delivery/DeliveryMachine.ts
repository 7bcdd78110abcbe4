/**
 * The life of a delivery, as data (service-api 3.2). `edges` is the only list of allowed moves; the tests and the diagram
 * in docs/webhooks.md are read from it.
 */
import * as Machine from "@limbeck/core/machine/Machine"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Data from "effect/Data"
import type * as Result from "effect/Result"
import type { AttemptResult, Delivery, DeliveryStatus } from "./Delivery.ts"
import { nextDueAt, type RetrySchedule } from "./RetrySchedule.ts"

export type DeliveryEvent = Data.TaggedEnum<{
  /** The receiver answered 2xx. */
  Succeeded: { readonly startedAt: Millis; readonly result: AttemptResult }
  /** Anything else happened to an attempt. */
  Failed: { readonly startedAt: Millis; readonly result: AttemptResult }
  /** The endpoint was disabled when the delivery came due; no attempt is made (contract 14.6). */
  EndpointDisabled: {}
  /** The owner has requested a new cycle, which begins at `dueAt`. */
  Redelivered: { readonly dueAt: Millis }
}>
export const DeliveryEvent = Data.taggedEnum<DeliveryEvent>()

export const edges = {
  pending: {
    Succeeded: ["succeeded"],
    Failed: ["failed", "dead_lettered"],
    EndpointDisabled: ["dead_lettered"]
  },
  failed: {
    Succeeded: ["succeeded"],
    Failed: ["failed", "dead_lettered"],
    EndpointDisabled: ["dead_lettered"]
  },
  succeeded: {},
  dead_lettered: { Redelivered: ["pending"] }
} as const satisfies Machine.Edges<DeliveryStatus, DeliveryEvent["_tag"]>

/** Final until it is redelivered. */
export const isSettled = (status: DeliveryStatus): boolean => status === "succeeded" || status === "dead_lettered"

const attempted = (
  schedule: RetrySchedule,
  delivery: Delivery,
  event: Extract<DeliveryEvent, { _tag: "Succeeded" | "Failed" }>,
  now: Millis
): Delivery => {
  const cycleStartedAt = delivery.cycleStartedAt ?? event.startedAt
  const cycleAttempts = delivery.cycleAttempts + 1
  const made = {
    ...delivery,
    attemptCount: delivery.attemptCount + 1,
    cycleStartedAt,
    cycleAttempts,
    lastResult: event.result
  }
  if (event._tag === "Succeeded") return { ...made, status: "succeeded", dueAt: null }
  const dueAt = nextDueAt(schedule, { startedAt: cycleStartedAt, attempts: cycleAttempts, endedAt: now })
  return { ...made, status: dueAt === null ? "dead_lettered" : "failed", dueAt }
}

const apply = (delivery: Delivery, event: DeliveryEvent, now: Millis, schedule: RetrySchedule): Delivery => {
  switch (event._tag) {
    case "Succeeded":
    case "Failed":
      return attempted(schedule, delivery, event, now)
    case "EndpointDisabled": {
      const lastResult = { ...delivery.lastResult, error: "endpoint_disabled" }
      return { ...delivery, status: "dead_lettered", dueAt: null, lastResult }
    }
    case "Redelivered":
      return {
        ...delivery,
        status: "pending",
        cycleStartedAt: null,
        cycleAttempts: 0,
        trigger: "manual",
        dueAt: event.dueAt
      }
  }
}

const machine = Machine.make<DeliveryStatus, Delivery, DeliveryEvent, RetrySchedule>({ name: "delivery", edges, apply })

/** Pure: no clock, no id, no storage. `now` comes from the caller, in milliseconds. */
export const transition = (
  schedule: RetrySchedule,
  delivery: Delivery,
  event: DeliveryEvent,
  now: Millis
): Result.Result<Delivery, Machine.InvalidTransition> => machine.transition(delivery, event, now, schedule)
