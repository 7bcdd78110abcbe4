/** Reads a few members of a body. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonMembers from "@limbeck/core/json/JsonMembers"
import * as Turns from "@limbeck/core/turns/Turns"
import * as Effect from "effect/Effect"

const names: ReadonlySet<string> = new Set(["model", "n"])
const encoder = new TextEncoder()

const membersOf = (text: string) => Turns.atOnce(JsonMembers.of(encoder.encode(text), names))
const wanted = (value: unknown) =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name)))
    : value

const bodies = [
  '{"model":"a","n":2}',
  '{"m\\u006fdel":"a","model":"b","messages":[{"model":"c"}]}',
  '{"model":{"n":[1,{"model":2}]},"n":null}',
  "{}",
  "[1]",
  "1",
  '"model"',
  '{"model":"a"',
  '{"model":"a"}]',
  "\0",
  ""
]
/** As long bodies hold one. */
const padding = " ".repeat(JsonMembers.parsedLengthMax)

describe("members of a body", () => {
  it("are the same of a short one and of a long one (P224)", () => {
    for (const body of bodies) {
      assert.deepStrictEqual(wanted(membersOf(body + padding)), wanted(membersOf(body)), body)
    }
    assert.deepStrictEqual(wanted(membersOf(bodies[1] ?? "")), { model: "b" })
    assert.deepStrictEqual(membersOf("[1]"), {})
    assert.isUndefined(membersOf("no JSON"))
  })

  it("that are too long themselves are left out, of a long body", () => {
    const model = "x".repeat(JsonMembers.parsedLengthMax)
    assert.deepStrictEqual(membersOf(JSON.stringify({ model, n: 1 })), { n: 1 })
  })

  it.effect("are looked for in turns, and no list is made of a million that are not asked for (P224)", () =>
    Effect.gen(function* () {
      let pauses = 0
      const body = encoder.encode(`{"many":[${"0,".repeat(1_000_000)}0],"model":"a"}`)
      const pause = Effect.sync(() => void pauses++)
      const members = yield* Effect.provideService(Turns.run(JsonMembers.of(body, names)), Turns.Pause, pause)
      assert.deepStrictEqual(members, { model: "a" })
      assert.isAtLeast(pauses, Math.floor(body.length / Turns.turnCost))
    })
  )
})
