/** How the latest deliveries of an endpoint went, as figures of charts. Pure. */
import type { WebhookDelivery } from "@limbeck/client"

/** A delivery with at least one attempt. */
export interface AttemptedDelivery {
  /** Of the last change, in milliseconds. */
  readonly at: number
  readonly isSuccess: boolean
  /** Of the last attempt. */
  readonly millis: number
}

/** Oldest first. */
export const attemptedOf = (deliveries: ReadonlyArray<WebhookDelivery>): ReadonlyArray<AttemptedDelivery> =>
  deliveries
    .filter(({ attempt_count }) => attempt_count > 0)
    .map(({ last_response, status, updated_at }) => ({
      at: Date.parse(updated_at),
      isSuccess: status === "succeeded",
      millis: last_response.duration_ms
    }))
    .sort((one, other) => one.at - other.at)

/** So many deliveries make a point of the curve of success. */
const groupSize = 10

/** The share of successes of each delivery and up to nine before it. */
export const successOf = (attempted: ReadonlyArray<AttemptedDelivery>): ReadonlyArray<number> =>
  attempted.map((_, index) => {
    const group = attempted.slice(Math.max(0, index + 1 - groupSize), index + 1)
    return group.filter(({ isSuccess }) => isSuccess).length / group.length
  })
