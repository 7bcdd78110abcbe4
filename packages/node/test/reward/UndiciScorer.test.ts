/** Scorers are called like webhooks, but with a larger limit on the response. */
import { assert, describe, it } from "@effect/vitest"
import { HttpScorer } from "@limbeck/distill/reward/HttpScorer"
import * as Effect from "effect/Effect"
import * as UndiciScorer from "../../src/reward/internal/UndiciScorer.ts"
import type { SenderOptions } from "../../src/webhooks/UndiciSender.ts"
import * as Receivers from "../Receivers.ts"

const body = new TextEncoder().encode("{}")

const ask = (url: string, options: Partial<SenderOptions> = {}, livemode = false) =>
  Effect.flatMap(HttpScorer, (scorer) => scorer.post({ url, livemode, headers: {}, body })).pipe(
    Effect.provide(UndiciScorer.layer({ policy: { allowed: [] }, ...options }))
  )

describe("a scorer's answer", () => {
  it.live("is kept whole up to 64 KiB, and cut there", () =>
    Effect.gen(function* () {
      const long = `{"detail": "${"x".repeat(50_000)}", "score": 1}`
      const { url } = yield* Receivers.http((_, response) => void response.end(long))
      assert.deepInclude(yield* ask(url), { statusCode: 200, body: long, error: null })
      const endless = yield* Receivers.http((_, response) => void response.end("y".repeat(200_000)))
      assert.strictEqual((yield* ask(endless.url)).body, "y".repeat(65_536))
    })
  )

  it.live("that does not come in time, or from where nothing may be asked, is an error", () =>
    Effect.gen(function* () {
      const silent = yield* Receivers.http(() => {})
      assert.deepInclude(yield* ask(silent.url, { attemptMillis: 1_000 }), { statusCode: null, error: "timeout" })
      const secure = silent.url.replace("http:", "https:")
      assert.deepInclude(yield* ask(secure, {}, true), { statusCode: null, error: "blocked_address" })
      assert.deepInclude(yield* ask(silent.url, {}, true), { statusCode: null, error: "insecure_url" })
      assert.strictEqual(silent.connections(), 1)
    })
  )
})
