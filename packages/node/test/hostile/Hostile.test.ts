import { setImmediate as turn } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import * as HeldUp from "@limbeck/testing/fixtures/HeldUp"
import { WebhookSender } from "@limbeck/webhooks/delivery/WebhookSender"
import * as Effect from "effect/Effect"
import * as UndiciSender from "../../src/webhooks/UndiciSender.ts"
import { authorities, type Behaviour, behaviours } from "./Behaviours.ts"
import * as Hosting from "./Hosting.ts"

/** Of an attempt that reaches it, perhaps after a part of the answer, and of one that ends by itself. */
const limitMillis = 2_000
const patientMillis = 10_000
const slackMillis = 100

const layer = (attemptMillis: number) =>
  UndiciSender.layer({
    policy: { allowed: [] },
    attemptMillis,
    resolve: () => Promise.resolve(["127.0.0.1"]),
    ca: authorities
  })

const send = (url: string, attemptMillis: number) =>
  Effect.gen(function* () {
    const sending = (yield* WebhookSender).send({ url, livemode: false, headers: {}, body: new Uint8Array(9) })
    const [result, heldUpMillis] = yield* HeldUp.during(sending)
    assert.isAtMost(result.durationMillis, attemptMillis + slackMillis + heldUpMillis)
    return result
  })

it("no two behaviours are alike", () => {
  assert.strictEqual(new Set(behaviours.map(({ what }) => what)).size, behaviours.length)
})

const endsAndHeals = (behaviour: Behaviour, attemptMillis: number) => {
  const { error, statusCode, what } = behaviour
  it.live(`${what}: ${statusCode ?? "no answer"}, ${error ?? "no error"}`, () =>
    Effect.gen(function* () {
      const hosted = yield* Effect.acquireRelease(
        Effect.promise(() => Hosting.host(behaviour)),
        ({ stop }) => Effect.promise(stop)
      )
      assert.deepInclude(yield* send(hosted.url, attemptMillis), { statusCode, error })
      hosted.heal()
      // That a kept connection was closed is seen in the next turns.
      for (let turns = 0; turns < 5; turns++) yield* Effect.promise(() => turn())
      const url = hosted.url.replace("other.example", "hooks.example")
      assert.deepInclude(yield* send(url, attemptMillis), { statusCode: 200, bodySnippet: "healed", error: null })
    }).pipe(Effect.provide(layer(attemptMillis)))
  )
}

const [late, prompt] = [true, false].map((isLate) => behaviours.filter(({ error }) => (error === "timeout") === isLate))

describe("an attempt ends in time and in a word, and the next one finds the receiver healed, when it", () => {
  for (const behaviour of prompt ?? []) endsAndHeals(behaviour, patientMillis)

  // Side by side, for nothing is done in them but waiting.
  describe.concurrent("is slow:", () => {
    for (const behaviour of late ?? []) endsAndHeals(behaviour, limitMillis)
  })
})
