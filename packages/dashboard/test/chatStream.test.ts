/** The text of a streamed chat completion. */
import { assert, describe, it } from "@effect/vitest"
import * as ChatStream from "../src/playground/ChatStream.ts"

const event = (fields: object) => `data: ${JSON.stringify(fields)}\r\n\r\n`
const stream =
  ": a comment\n\n" +
  event({ choices: [{ delta: { role: "assistant", content: "" } }] }) +
  event({ choices: [{ delta: { content: "größer\n" } }] }) +
  event({ choices: [{ delta: { content: "data: x" } }] }) +
  event({ choices: [], usage: {} }) +
  "data: not json\n\ndata: [DONE]\n\n"

describe("a streamed answer", () => {
  it("has the same text however its bytes are cut (P1754)", () => {
    for (let size = 1; size <= stream.length; size++) {
      let state = ChatStream.begun
      for (let at = 0; at < stream.length; at += size) state = ChatStream.read(state, stream.slice(at, at + size))
      assert.strictEqual(state.text, "größer\ndata: x", `in pieces of ${size}`)
      assert.isNull(state.failure)
    }
  })

  it("tells of a failure in its middle, and reads an answer that came whole (P1754)", () => {
    const state = ChatStream.read(ChatStream.begun, event({ error: { message: "overloaded" } }))
    assert.strictEqual(state.failure, "overloaded")
    assert.strictEqual(ChatStream.wholeText(JSON.stringify({ choices: [{ message: { content: "a" } }] })), "a")
    for (const body of ["", "null", "{}", '{"choices":[{"message":{"content":null}}]}'])
      assert.strictEqual(ChatStream.wholeText(body), "")
  })
})
