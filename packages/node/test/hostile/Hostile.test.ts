import { setImmediate as turn } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { HandClock } from "@limbeck/testing/fixtures/HandClock"
import { authorities, type Behaviour, behaviours } from "@limbeck/testing/hostile/Behaviours"
import * as Hosting from "@limbeck/testing/hostile/Hosting"
import { WebhookSender } from "@limbeck/webhooks/delivery/WebhookSender"
import * as Effect from "effect/Effect"
import * as UndiciSender from "../../src/webhooks/UndiciSender.ts"

/** Long enough to expire only by the test's clock: connecting is also timed by the real one. */
const attemptMillis = 60_000
/** A receiver has 150 turns for its response. */
const tickMillis = attemptMillis / 150

const layer = UndiciSender.layer({
  policy: { allowed: [] },
  attemptMillis,
  resolve: () => Promise.resolve(["127.0.0.1"]),
  ca: authorities
})

const send = (url: string) =>
  Effect.flatMap(WebhookSender, (sender) => sender.send({ url, livemode: false, headers: {}, body: new Uint8Array(9) }))

/** The clock stands still, so that no limit is reached. */
const sendByItself = Effect.fnUntraced(function* (url: string) {
  const result = yield* new HandClock().timing(send(url))
  assert.strictEqual(result.durationMillis, 0)
  return result
})

/** At its limit, to the tick. */
const sendToTheLimit = Effect.fnUntraced(function* (url: string) {
  const result = yield* new HandClock().ticking(send(url), tickMillis)
  assert.isAtLeast(result.durationMillis, attemptMillis)
  assert.isAtMost(result.durationMillis, attemptMillis + 2 * tickMillis)
  return result
})

it("no two behaviours are alike", () => {
  assert.strictEqual(new Set(behaviours.map(({ what }) => what)).size, behaviours.length)
})

const endsAndHeals = (behaviour: Behaviour) => {
  const { error, statusCode, what } = behaviour
  const isLate = error === "timeout"
  it.live(`${what}: ${statusCode ?? "no answer"}, ${error ?? "no error"}`, () =>
    Effect.gen(function* () {
      const hosted = yield* Effect.acquireRelease(
        Effect.promise(() => Hosting.host(behaviour)),
        ({ stop }) => Effect.promise(stop)
      )
      assert.deepInclude(yield* (isLate ? sendToTheLimit : sendByItself)(hosted.url), { statusCode, error })
      hosted.heal()
      // The sender notices a closed idle connection within the next turns.
      for (let turns = 0; turns < 5; turns++) yield* Effect.promise(() => turn())
      const url = hosted.url.replace("other.example", "hooks.example")
      assert.deepInclude(yield* sendByItself(url), { statusCode: 200, bodySnippet: "healed", error: null })
    }).pipe(Effect.provide(layer))
  )
}

const [late, prompt] = [true, false].map((isLate) => behaviours.filter(({ error }) => (error === "timeout") === isLate))

describe("an attempt ends in time and in a word, and the next one finds the receiver healed, when it", () => {
  for (const behaviour of prompt ?? []) endsAndHeals(behaviour)

  // Side by side, for nothing is done in them but waiting.
  describe.concurrent("is slow:", () => {
    for (const behaviour of late ?? []) endsAndHeals(behaviour)
  })
})
