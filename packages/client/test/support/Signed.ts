/** Events signed by node:crypto, of the words of service-api 6.3: nothing is shared with what is tested. */
import { createHmac } from "node:crypto"
import type { WebhookEvent } from "../../src/webhooks/verify.ts"

export const secret = "whsec_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
export const seconds = 1_700_000_000
export const now = () => seconds * 1000

/** A run with few of its fields: a receiver reads none. */
const signed = {
  id: "evt_01hf7yat00e7rtcn1fvm8q2b3c",
  object: "event",
  type: "distill.run.succeeded",
  created_at: "2023-11-14T22:13:20.000Z",
  workspace_id: "ws_01hf7yat00e7rtcn1fvm8q2b3d",
  livemode: false,
  api_version: "2026-11-01",
  data: {
    object: { id: "run_01hf7yat00e7rtcn1fvm8q2b3e", object: "distill_run", status: "succeeded", name: "Grüße ✓" }
  }
}

// The run has the fields that the tests read, and no others.
export const event = signed as unknown as WebhookEvent

export const body = JSON.stringify(event)

export const hmac = (bytes: string | Uint8Array = body, key: string = secret, timestamp: string | number = seconds) =>
  createHmac("sha256", key).update(`${timestamp}.`).update(bytes).digest("hex")

/** The header's value; the newest secret first. */
export const header = (bytes: string | Uint8Array = body, keys: ReadonlyArray<string> = [secret]) =>
  [`t=${seconds}`, ...keys.map((key) => `v1=${hmac(bytes, key)}`)].join(",")

export const headers = (signature: string = header()) => ({
  "content-type": "application/json",
  "service-signature": signature,
  "service-event-type": event.type,
  "service-event-id": event.id,
  "service-delivery-id": "del_01hf7yat00e7rtcn1fvm8q2b3f"
})

/** Signed by the system's clock, the receiver's default. */
export const freshHeaders = () => {
  const time = Math.floor((performance.timeOrigin + performance.now()) / 1_000)
  return headers(`t=${time},v1=${hmac(body, secret, time)}`)
}
