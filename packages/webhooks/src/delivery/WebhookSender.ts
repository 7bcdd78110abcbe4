/** Sends one signed request to a receiver. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { AttemptResult } from "./Delivery.ts"

export interface WebhookRequest {
  readonly url: string
  readonly livemode: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /**
     * Never fails: every failure is a result. Ends within the attempt limit, connects only where the egress policy
     * allows, follows no redirect, and reads and keeps no more than the limits say.
     */
    readonly send: (request: WebhookRequest) => Effect.Effect<AttemptResult>
  }
>()("@limbeck/webhooks/delivery/WebhookSender") {}
