/** Strangers' words that must never become our class names. */
import { assert, describe, it } from "@effect/vitest"
import { classOfLevel, classOfRole, classOfState } from "../src/parts/Tones.ts"

const words = ["skip", "dialog", "items-row", "constructor", "__proto__", "toString", "user skip", "", "\u202e"]

describe("a role, a level and a state", () => {
  it("that is unknown has the class of all, and is no class itself (P905)", () => {
    for (const word of words) {
      assert.deepStrictEqual(
        [classOfRole(word), classOfLevel(word), classOfState(word)],
        ["message", "log", "badge even"],
        word
      )
    }
  })

  it("that is known has its colour", () => {
    assert.deepStrictEqual(
      [classOfRole("user"), classOfLevel("error"), classOfState("dead_lettered")],
      ["message user", "log error", "badge bad"]
    )
  })
})
