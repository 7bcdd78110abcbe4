import { setImmediate as turn } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { WebhookSender } from "@limbeck/webhooks/delivery/WebhookSender"
import * as Effect from "effect/Effect"
import * as UndiciSender from "../../src/webhooks/UndiciSender.ts"
import { authorities, behaviours } from "./Behaviours.ts"
import * as Hosting from "./Hosting.ts"

const limitMillis = 250
const slackMillis = 100

const layer = UndiciSender.layer({
  policy: { allowed: [] },
  attemptMillis: limitMillis,
  resolve: () => Promise.resolve(["127.0.0.1"]),
  ca: authorities
})

const send = (url: string) =>
  Effect.gen(function* () {
    const result = yield* (yield* WebhookSender).send({ url, livemode: false, headers: {}, body: new Uint8Array(9) })
    assert.isAtMost(result.durationMillis, limitMillis + slackMillis)
    return result
  })

it("no two behaviours are alike", () => {
  assert.strictEqual(new Set(behaviours.map(({ what }) => what)).size, behaviours.length)
})

describe("an attempt ends in time and in a word, and the next one finds the receiver healed, when it", () => {
  for (const behaviour of behaviours) {
    const { error, statusCode, what } = behaviour
    it.live(`${what}: ${statusCode ?? "no answer"}, ${error ?? "no error"}`, () =>
      Effect.gen(function* () {
        const hosted = yield* Effect.acquireRelease(
          Effect.promise(() => Hosting.host(behaviour)),
          ({ stop }) => Effect.promise(stop)
        )
        assert.deepInclude(yield* send(hosted.url), { statusCode, error })
        hosted.heal()
        // That a kept connection was closed is seen in the next turns.
        for (let turns = 0; turns < 5; turns++) yield* Effect.promise(() => turn())
        const url = hosted.url.replace("other.example", "hooks.example")
        assert.deepInclude(yield* send(url), { statusCode: 200, bodySnippet: "healed", error: null })
      }).pipe(Effect.provide(layer))
    )
  }
})
