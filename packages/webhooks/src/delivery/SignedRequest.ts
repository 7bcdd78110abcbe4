/** The request that a receiver gets: the stored bytes, signed, under the headers of service-api 6.2, or of 6.5. */
import * as Signature from "@limbeck/core/signing/Signature"
import type { Millis } from "@limbeck/core/time/Timestamp"
import type { Mac } from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import type { WebhookRequest } from "./WebhookSender.ts"

/** The prefix of our header names; a host may set its own (contract 1). */
export const defaultBrand = "Service"

/** What is signed, and for whom. */
export interface DeliveryContent {
  readonly url: string
  readonly livemode: boolean
  /** All that are valid, the newest first. */
  readonly secrets: ReadonlyArray<Signature.Secret>
  /** Null for a request without an event, such as a chat callback. */
  readonly event: { readonly id: string; readonly type: string } | null
  readonly deliveryId: string
  readonly body: string
  /** None by default. */
  readonly traceparent?: string | null
  /** The date of the signature. */
  readonly now: Millis
}

/** Constant names: V8 hashes a new string again at each use. */
const headersOf = (brand: string) => {
  const agent = `${brand}-Webhooks/1.0`
  const names = {
    signature: `${brand}-Signature`,
    eventType: `${brand}-Event-Type`,
    eventId: `${brand}-Event-Id`,
    deliveryId: `${brand}-Delivery-Id`
  }
  return ({ deliveryId, event, traceparent = null }: DeliveryContent, signature: string): Record<string, string> => {
    const headers: Record<string, string> = {
      "Content-Type": "application/json",
      "User-Agent": agent,
      [names.signature]: signature
    }
    if (event !== null) {
      headers[names.eventType] = event.type
      headers[names.eventId] = event.id
    }
    headers[names.deliveryId] = deliveryId
    if (traceparent !== null) headers["traceparent"] = traceparent
    return headers
  }
}

/** Returns what makes requests of a brand. */
export const make = (brand: string): ((letter: DeliveryContent) => Effect.Effect<WebhookRequest, never, Mac>) => {
  const headers = headersOf(brand)
  return (letter) => {
    const { livemode, now, secrets, url } = letter
    const signing = Signature.signText({ text: letter.body, secrets, timestampSeconds: Math.floor(now / 1000) })
    return Effect.map(signing, ({ body, header }) => ({ url, livemode, body, headers: headers(letter, header) }))
  }
}
