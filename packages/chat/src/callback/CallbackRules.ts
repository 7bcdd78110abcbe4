/**
 * The only attempt at a callback (service-api 6.5): stored before it begins, so that a crash never causes a second.
 *
 *     pending ── begun ──▶ attempted ── ended ──▶ succeeded | failed
 */
import * as TenantUrl from "@limbeck/core/egress/TenantUrl"
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import type { Millis } from "@limbeck/core/time/Timestamp"
import { type AttemptResult, isSuccess } from "@limbeck/webhooks/delivery/Delivery"
import * as Result from "effect/Result"
import type { Callback, Message } from "../message/Message.ts"

/**
 * Any http or https URL without credentials: the rules for webhook endpoints do not apply. The egress guard restricts its
 * target.
 */
export const url = (text: string): Result.Result<string, InvalidInput> => {
  const fault = TenantUrl.httpFault(text)
  return fault === undefined ? Result.succeed(text) : Result.fail(invalid("webhook", fault))
}

export const newCallback = (url: string, deliveryId: string): Callback => ({
  url,
  deliveryId,
  status: "pending",
  statusCode: null,
  error: null,
  attemptedAt: null
})

export interface DueCallback extends Message {
  readonly callback: Callback
}

/** Whether the message has ended, and its callback has not begun. */
export const isDue = (message: Message): message is DueCallback =>
  message.status !== "queued" && message.callback?.status === "pending"

export const begin = (message: DueCallback, now: Millis): DueCallback => ({
  ...message,
  callback: { ...message.callback, status: "attempted", attemptedAt: now },
  updatedAt: now
})

export const end = (message: DueCallback, result: AttemptResult, now: Millis): DueCallback => {
  const { error, statusCode } = result
  const status = isSuccess(result) ? "succeeded" : "failed"
  return { ...message, callback: { ...message.callback, status, statusCode, error }, updatedAt: now }
}
