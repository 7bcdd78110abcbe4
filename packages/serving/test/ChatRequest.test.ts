/** What a student in this process takes for a request. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ChatRequest from "../src/student/internal/ChatRequest.ts"

const read = (body: string) => ChatRequest.read(new TextEncoder().encode(body))
const asking = (more: string) => `{"messages":[{"role":"user","content":"a ticket"}],"more":${more}}`

it.effect("a request of more members, or deeper, than are read in a moment is refused before it is parsed (P224)", () =>
  Effect.gen(function* () {
    for (const more of [`[${"0,".repeat(100_000)}0]`, "[".repeat(1_001) + "]".repeat(1_001)]) {
      const { message } = yield* Effect.flip(read(asking(more)))
      assert.include(message, "at most 100000 members")
    }
    assert.strictEqual((yield* read(asking(`[${"0,".repeat(90_000)}0]`))).messages.length, 1)
    assert.strictEqual((yield* Effect.flip(read("no JSON"))).message, "The body is no JSON object")
  })
)
