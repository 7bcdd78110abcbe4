/** The `http` kind: the scorer's request, and the score from its response. */
import * as Signature from "@limbeck/core/signing/Signature"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import type { Completion, ScoringRow } from "../Completion.ts"
import type { ScorerAnswer, ScorerRequest } from "../HttpScorer.ts"
import { makeFailure, makeScore, type RewardScore } from "./RewardScore.ts"

const utf8 = new TextEncoder()

/** `{reward, row, completion}`, signed like a webhook (service-api 6.3) with the secret that the creation showed. */
export const requestOf = Effect.fnUntraced(function* (options: {
  readonly brand: string
  readonly reward: string
  readonly url: string
  readonly livemode: boolean
  readonly secret: string
  readonly row: ScoringRow
  readonly completion: Completion
  readonly now: Millis
}) {
  const { brand, completion, livemode, now, reward, row, secret, url } = options
  const body = utf8.encode(JSON.stringify({ reward, row, completion }))
  const signature = yield* Signature.sign({ body, secrets: [secret], timestampSeconds: Math.floor(now / 1000) })
  const request: ScorerRequest = {
    url,
    livemode,
    body,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": `${brand}-Rewards/1.0`,
      [`${brand}-Signature`]: signature
    }
  }
  return request
})

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A 2xx with `{"score": n}`, n from 0 to 1, is a score; a text `detail` is passed on. Anything else is an error. */
export const scoreOf = ({ body, durationMillis, error, statusCode }: ScorerAnswer): RewardScore => {
  const facts = { status_code: statusCode, duration_ms: durationMillis }
  if (error !== null)
    return makeFailure("scorer_failed", `The scorer did not answer: ${error}`, { ...facts, reason: error })
  if (statusCode === null || statusCode < 200 || statusCode > 299) {
    return makeFailure("scorer_failed", `The scorer answered ${statusCode}`, { ...facts, reason: "status" })
  }
  const { detail, score } = Object(parse(body))
  if (typeof score !== "number" || !(score >= 0 && score <= 1)) {
    return makeFailure("invalid_answer", 'The scorer did not answer {"score": n} with n from 0 to 1', facts)
  }
  return makeScore(score, typeof detail === "string" ? detail : "The scorer answered", facts)
}
