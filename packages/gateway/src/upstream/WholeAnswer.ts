/** An answer that is read here, to its end, and not passed on. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Limits } from "../Limits.ts"
import { type Upstream, UpstreamFailure, type UpstreamRequest } from "./Upstream.ts"

export interface WholeAnswer {
  readonly status: number
  readonly text: string
}

export const joined = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [only] = chunks
  if (only !== undefined && chunks.length === 1) return only
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** Asks without compression. More than `answerBytesMax` is no answer; nor is one that takes longer than the limit in all. */
export const fetchWhole = (upstream: Upstream["Service"], request: UpstreamRequest) =>
  Effect.gen(function* () {
    const { body, status } = yield* upstream.open({
      ...request,
      headers: { ...request.headers, "accept-encoding": "identity" }
    })
    let length = 0
    const bounded = Stream.mapEffect(body, (chunk) => {
      length += chunk.length
      return length > Limits.answerBytesMax
        ? Effect.fail(new UpstreamFailure({ reason: "answer_too_large" }))
        : Effect.succeed(chunk)
    })
    const answer: WholeAnswer = { status, text: new TextDecoder().decode(joined(yield* Stream.runCollect(bounded))) }
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
