/** Asks tenants' scorers with undici, behind the egress guard, like a webhook is sent. */
import { DistillLimits } from "@limbeck/distill/Limits"
import { HttpScorer } from "@limbeck/distill/reward/HttpScorer"
import { WebhookSender } from "@limbeck/webhooks/delivery/WebhookSender"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as UndiciSender from "../../webhooks/UndiciSender.ts"

export const layer = (options: UndiciSender.SenderOptions): Layer.Layer<HttpScorer> =>
  Layer.effect(
    HttpScorer,
    Effect.map(WebhookSender, (sender) =>
      HttpScorer.of({
        post: (request) =>
          Effect.map(sender.send(request), ({ bodySnippet, ...answer }) => ({ ...answer, body: bodySnippet }))
      })
    )
  ).pipe(
    Layer.provide(
      UndiciSender.layer({
        attemptMillis: DistillLimits.scorerMillis,
        keepBytesMax: DistillLimits.scorerAnswerBytes,
        ...options
      })
    )
  )
