/** The outside world of the tests: a sender that records requests and responds by a script. */
import type { AttemptResult } from "@limbeck/webhooks/delivery/Delivery"
import { type WebhookRequest, WebhookSender } from "@limbeck/webhooks/delivery/WebhookSender"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"

export interface SentAnswer {
  readonly at: number
  readonly request: WebhookRequest
}

export type Script = (request: WebhookRequest) => Effect.Effect<AttemptResult>

export class Receiver extends Context.Service<
  Receiver,
  {
    readonly answers: (script: Script) => void
    readonly sent: Array<SentAnswer>
    /** Waits for the next request that nobody has waited for. */
    readonly next: Effect.Effect<SentAnswer>
  }
>()("test/Receiver") {}

export const answer = (statusCode: number): AttemptResult => ({
  statusCode,
  bodySnippet: `answer ${statusCode}`,
  durationMillis: 7,
  error: null
})

export const always =
  (statusCode: number): Script =>
  () =>
    Effect.succeed(answer(statusCode))

/** A receiver that does not respond within 5 s. */
export const hangs: Script = () =>
  Effect.as(Effect.sleep("5 seconds"), { statusCode: null, bodySnippet: "", durationMillis: 5_000, error: "timeout" })

export const layer: Layer.Layer<Receiver | WebhookSender> = Layer.effectContext(
  Effect.gen(function* () {
    const arrivals = yield* Queue.unbounded<SentAnswer>()
    const sent: Array<SentAnswer> = []
    let script = always(200)
    const send = Effect.fnUntraced(function* (request: WebhookRequest) {
      const arrival = { at: yield* Clock.currentTimeMillis, request }
      sent.push(arrival)
      yield* Queue.offer(arrivals, arrival)
      return yield* script(request)
    })
    const answers = (next: Script) => {
      script = next
    }
    return Context.make(WebhookSender, { send }).pipe(
      Context.add(Receiver, { answers, sent, next: Queue.take(arrivals) })
    )
  })
)
