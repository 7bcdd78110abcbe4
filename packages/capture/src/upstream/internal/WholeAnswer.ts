/** An answer that is read here, to its end, and not passed on. */
import * as Body from "@limbeck/core/bytes/Body"
import * as Bytes from "@limbeck/core/bytes/Bytes"
import * as Effect from "effect/Effect"
import { CaptureLimits } from "../../Limits.ts"
import { type Upstream, UpstreamFailure, type UpstreamRequest } from "../Upstream.ts"

export interface WholeAnswer {
  readonly status: number
  readonly text: string
}

const tooLarge = () => new UpstreamFailure({ reason: "answer_too_large" })

/** Requests without compression. Fails beyond `answerBytesMax`, or beyond the time limit for the whole. */
export const fetchWhole = (upstream: Upstream["Service"], request: UpstreamRequest) =>
  Effect.gen(function* () {
    const { body, status } = yield* upstream.open({
      ...request,
      headers: { ...request.headers, "accept-encoding": "identity" }
    })
    const bytes = yield* Bytes.whole(Body.toStream(body), CaptureLimits.answerBytesMax, tooLarge)
    const answer: WholeAnswer = { status, text: new TextDecoder().decode(bytes) }
    return answer
  }).pipe(
    Effect.scoped,
    Effect.timeoutOrElse({
      duration: request.timeoutMillis,
      orElse: () => Effect.fail(new UpstreamFailure({ reason: "timeout" }))
    })
  )

/** The JSON of an answer; undefined where it is none. */
export const jsonOf = ({ text }: WholeAnswer): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
