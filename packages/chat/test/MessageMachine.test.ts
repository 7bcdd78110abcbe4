/** The life of an answer, said in other words than the table. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { Message, MessageStatus } from "../src/message/Message.ts"
import { type MessageEvent, transition } from "../src/message/MessageMachine.ts"
import { message } from "./Messages.ts"

const events: ReadonlyArray<Exclude<MessageEvent, { readonly _tag: "Resumed" }>> = [
  { _tag: "Answered", text: "Yes", call: "call_1" },
  { _tag: "HandedOff", text: "Ask a person", call: null, url: "https://desk.example" },
  { _tag: "Broke", text: "Ye", error: { code: "api_error", message: "no" } }
]

const queued: Message = { ...message(2), role: "assistant", status: "queued", text: "", createdAt: 1_000 }

describe("an answer", () => {
  it("ends by whatever comes first, and never again", () => {
    const ends: ReadonlyArray<MessageStatus> = ["completed", "handed_off", "failed"]
    for (const [index, event] of events.entries()) {
      const ended = Result.getOrThrow(transition(queued, event, 1_500))
      assert.deepInclude(ended, { status: ends[index]!, text: event.text, latencyMillis: 500, updatedAt: 1_500 })
      for (const later of events) assert.isTrue(Result.isFailure(transition(ended, later, 2_000)))
    }
  })

  it("has a place to go on only when it is handed off, and an error only when it failed", () => {
    const [completed, handedOff, failed] = events.map((event) => Result.getOrThrow(transition(queued, event, 2_000)))
    assert.deepStrictEqual(
      [completed, handedOff, failed].map((ended) => [ended?.handoffUrl, ended?.error?.code ?? null, ended?.call]),
      [
        [null, null, "call_1"],
        ["https://desk.example", null, null],
        [null, "api_error", null]
      ]
    )
  })

  it("that waits or has failed is begun again, with another call and nothing of what had come; no other is", () => {
    const call = "call_01kaf3tn0e5v2b8w6xq4rj7mcd"
    const resumed = { _tag: "Resumed", call } as const
    const [completed, handedOff, failed] = events.map((event) => Result.getOrThrow(transition(queued, event, 2_000)))
    for (const before of [queued, failed!]) {
      assert.deepStrictEqual(Result.getOrThrow(transition(before, resumed, 3_000)), {
        ...queued,
        attempts: queued.attempts + 1,
        attemptedCall: call,
        updatedAt: 3_000
      })
    }
    for (const ended of [completed!, handedOff!]) assert.isTrue(Result.isFailure(transition(ended, resumed, 3_000)))
  })

  it("of a clock that was set back took no time", () => {
    assert.strictEqual(Result.getOrThrow(transition(queued, events[0]!, 900)).latencyMillis, 0)
  })
})
