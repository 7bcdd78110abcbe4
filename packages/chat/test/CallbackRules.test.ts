/** The one attempt at a callback. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Rules from "../src/callback/CallbackRules.ts"
import type { Message } from "../src/message/Message.ts"
import { answer } from "./Messages.ts"

const callback = Rules.newCallback("https://receiver.example", "del_1")
const due = { ...answer(2), callback }
const result = { statusCode: 204, bodySnippet: "", durationMillis: 1, error: null }

describe("a callback", () => {
  it("is due once: when its answer has ended, and until it has begun", () => {
    assert.isTrue(Rules.isDue(due))
    assert.isFalse(Rules.isDue({ ...due, status: "queued" }))
    assert.isFalse(Rules.isDue({ ...due, callback: null } satisfies Message))
    const begun = Rules.begin(due, 7)
    assert.isFalse(Rules.isDue(begun))
    assert.deepInclude(begun.callback, { status: "attempted", attemptedAt: 7 })
    assert.isFalse(Rules.isDue(Rules.end(begun, result, 8)))
  })

  it.each([
    [200, null, "succeeded"],
    [299, null, "succeeded"],
    [300, null, "failed"],
    [199, null, "failed"],
    [200, "timeout", "failed"],
    [null, "connection_refused", "failed"]
  ] as const)("that came to %s and %s has %s", (statusCode, error, status) => {
    const { callback } = Rules.end(Rules.begin(due, 7), { ...result, statusCode, error }, 8)
    assert.deepInclude(callback, { status, statusCode, error })
  })

  it.each(["http://receiver.example/a?b#c", "https://receiver.example:8443", "http://10.0.0.1/"])(
    "may go to %s",
    (url) => assert.deepStrictEqual(Rules.url(url), Result.succeed(url))
  )

  it.each(["ftp://receiver.example", "receiver", "https://a:b@receiver.example", "http:receiver", "http://a b", ""])(
    "may not go to %s",
    (url) => assert.isTrue(Result.isFailure(Rules.url(url)))
  )
})
