/** The request that a receiver gets: the stored bytes, signed, under the headers of service-api 6.2, or of 6.5. */
import * as Signature from "@limbeck/core/signing/Signature"
import type { Millis } from "@limbeck/core/time/Timestamp"
import type { Mac } from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import type { WebhookRequest } from "./WebhookSender.ts"

/** The names of our headers begin with it; a host may set its own (contract 1). */
export const defaultBrand = "Service"

const utf8 = new TextEncoder()

/**
 * `secrets`: all that are valid, the newest first. The signature is dated `now`. `event`: null for a request that tells of none,
 * such as the callback of a chat.
 */
export const make = (options: {
  readonly brand: string
  readonly url: string
  readonly livemode: boolean
  readonly secrets: ReadonlyArray<Signature.Secret>
  readonly event: { readonly id: string; readonly type: string } | null
  readonly deliveryId: string
  readonly body: string
  /** None by default. */
  readonly traceparent?: string | null
  readonly now: Millis
}): Effect.Effect<WebhookRequest, never, Mac> => {
  const { brand, deliveryId, event, livemode, now, secrets, traceparent = null, url } = options
  const body = utf8.encode(options.body)
  const signing = Signature.sign({ body, secrets, timestampSeconds: Math.floor(now / 1000) })
  return Effect.map(signing, (signature) => ({
    url,
    livemode,
    body,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": `${brand}-Webhooks/1.0`,
      [`${brand}-Signature`]: signature,
      ...(event === null ? {} : { [`${brand}-Event-Type`]: event.type, [`${brand}-Event-Id`]: event.id }),
      [`${brand}-Delivery-Id`]: deliveryId,
      ...(traceparent === null ? {} : { traceparent })
    }
  }))
}
