/** Asks tenants' scorers with undici, behind the egress guard, like a webhook is sent. */
import * as EgressPolicy from "@limbeck/core/egress/EgressPolicy"
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
        policy: options.policy,
        post: (request) =>
          EgressPolicy.isInsecure(options.policy, request)
            ? Effect.succeed({ statusCode: null, body: "", durationMillis: 0, error: EgressPolicy.insecureUrl })
            : Effect.map(sender.send(request), ({ bodySnippet, ...answer }) => ({ ...answer, body: bodySnippet }))
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
