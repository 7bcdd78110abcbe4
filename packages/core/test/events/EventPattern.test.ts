import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { isKnown, matches, patternsOf } from "../../src/events/EventPattern.ts"

describe("a pattern", () => {
  const cases: ReadonlyArray<readonly [pattern: string, type: string, matches: boolean]> = [
    ["*", "distill.run.succeeded", true],
    ["*", "ping", true],
    ["distill.*", "distill.run.succeeded", true],
    ["distill.*", "distill.report", true],
    ["distill.run.*", "distill.run.succeeded", true],
    ["distill.run.succeeded", "distill.run.succeeded", true],
    ["distill.run.*", "distill.report.ready", false],
    ["distill.run.*", "distill.runner.ready", false],
    ["distill.run.*", "distill.run", false],
    ["distill.*", "distill", false],
    ["distill.*", "distillery.run", false],
    ["distill.run", "distill.run.succeeded", false],
    ["distill.run.succeeded.*", "distill.run.succeeded", false],
    ["run.*", "distill.run.succeeded", false],
    ["distill*", "distill.run.succeeded", false],
    ["*.run", "distill.run", false],
    ["distill.*.succeeded", "distill.run.succeeded", false],
    ["**", "distill.run", false],
    [".*", "distill.run", false],
    ["", "distill.run", false],
    ["Distill.*", "distill.run", false]
  ]
  for (const [pattern, type, expected] of cases) {
    it(`${pattern || "(empty)"} ${expected ? "matches" : "does not match"} ${type}`, () => {
      assert.strictEqual(matches(pattern, type), expected)
      assert.strictEqual(patternsOf(type).includes(pattern), expected)
    })
  }

  it("is known when it can match something", () => {
    const types = ["distill.run.succeeded", "message.completed"]
    for (const known of ["*", "distill.*", "distill.run.*", "message.*", "message.completed"]) {
      assert.isTrue(isKnown(known, types), known)
    }
    for (const unknown of [
      "",
      "**",
      "distill",
      "distill*",
      "*.run",
      "billing.*",
      "message.completed.*",
      "distill.run"
    ]) {
      assert.isFalse(isKnown(unknown, types), unknown)
    }
    assert.isFalse(isKnown("*", []))
  })

  const segments = Arbitrary.array(Arbitrary.schema(Schema.Literals(["a", "b", "ab", "c_d"])), {
    minLength: 1,
    maxLength: 4
  })

  it.prop("with a wildcard matches what has its segments before at least one more", [segments, segments], ([a, b]) => {
    const isBefore = a.length < b.length && a.every((segment, at) => segment === b[at])
    assert.strictEqual(matches(`${a.join(".")}.*`, b.join(".")), isBefore)
  })

  it.prop("without a wildcard matches itself alone", [segments, segments], ([a, b]) => {
    assert.strictEqual(matches(a.join("."), b.join(".")), a.join() === b.join())
  })

  it.prop("is in the set of a type exactly when it matches it", [segments, segments], ([a, b]) => {
    const type = b.join(".")
    for (const pattern of ["*", a.join("."), `${a.join(".")}.*`]) {
      assert.strictEqual(patternsOf(type).includes(pattern), matches(pattern, type))
    }
    assert.strictEqual(new Set(patternsOf(type)).size, b.length + 1)
  })
})
