import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { canonicalJson } from "@limbeck/core/json/CanonicalJson"
import * as Crypto from "@limbeck/node/Crypto"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { type Plan, planHash } from "../../src/run/internal/PlanHash.ts"

const plan: Plan = {
  data: "ab".repeat(32),
  recipe: {
    student_model: "builtin/text-classifier",
    stages: [
      { kind: "sft", config: { epochs: 3, learning_rate: 2e-4 } },
      { kind: "publish", config: {} }
    ],
    rewards: ["rew_1"]
  },
  budget: { max_cost_usd: 12.5 },
  compute: { profile: "local", machine: "this-machine", spot: false, gpu: null }
}

/** Numbers as RFC 8785 section 3.2.2.3 has them: the shortest that reads back, by ECMAScript's rule. */
const numbers: ReadonlyArray<readonly [written: string, canonical: string]> = [
  ["0", "0"],
  ["-0", "0"],
  ["1.0", "1"],
  ["100", "100"],
  ["1e2", "100"],
  ["12.50", "12.5"],
  ["0.1", "0.1"],
  ["2e-4", "0.0002"],
  ["0.000001", "0.000001"],
  ["0.0000001", "1e-7"],
  ["5E-6", "0.000005"],
  ["123456789012345680000", "123456789012345680000"],
  ["1e21", "1e+21"],
  ["-1.5E+300", "-1.5e+300"],
  ["9007199254740993", "9007199254740992"],
  ["0.30000000000000004", "0.30000000000000004"],
  ["4.9e-324", "5e-324"]
]

describe("PlanHash", () => {
  for (const [written, canonical] of numbers) {
    it(`the number ${written} is written ${canonical}`, () => {
      assert.strictEqual(canonicalJson(JSON.parse(written)), canonical)
    })
  }

  it("strings keep their characters; only what JSON forbids is escaped, in its shortest form", () => {
    assert.strictEqual(canonicalJson('é€🙂/"\\\b\f\n\r\t\u0007\u007f'), '"é€🙂/\\"\\\\\\b\\f\\n\\r\\t\\u0007\u007f"')
    assert.strictEqual(canonicalJson("é"), '"é"', "no normalisation of composed characters")
    assert.notStrictEqual(canonicalJson("é"), canonicalJson("e\u0301"))
  })

  it("members are sorted by UTF-16 code units, at every depth; the order of arrays stays", () => {
    // U+1F600 begins with 0xD83D, so it sorts before U+FB33 although its code point is greater.
    const mixed = { "\ufb33": 1, "😀": 2, é: 3, "10": 4, "9": 5, a: { z: [3, { b: 1, a: 2 }], B: 0 }, "": 6, "\r": 7 }
    assert.strictEqual(
      canonicalJson(mixed),
      '{"":6,"\\r":7,"10":4,"9":5,"a":{"B":0,"z":[3,{"a":2,"b":1}]},"é":3,"😀":2,"\ufb33":1}'
    )
  })

  it("literals and empty things have one form, and members without a value are left out", () => {
    assert.strictEqual(canonicalJson([true, false, null, {}, [], ""]), '[true,false,null,{},[],""]')
    const absent: Readonly<Record<string, number | undefined>> = { b: undefined, a: 1 }
    // A struct's optional members may be there and undefined; their type is not JSON's.
    assert.strictEqual(canonicalJson(absent as Schema.JsonObject), '{"a":1}')
  })

  it.effect("the hash is SHA-256 over the canonical text, in hexadecimal", () =>
    Effect.gen(function* () {
      const text =
        '{"budget":{"max_cost_usd":12.5},"compute":{"gpu":null,"machine":"this-machine","profile":"local","spot":false},' +
        `"data":"${"ab".repeat(32)}","recipe":{"rewards":["rew_1"],"stages":[{"config":{"epochs":3,"learning_rate":0.0002},` +
        '"kind":"sft"},{"config":{},"kind":"publish"}],"student_model":"builtin/text-classifier"}}'
      assert.strictEqual(yield* planHash(plan), createHash("sha256").update(text, "utf8").digest("hex"))
      const unicode = { ...plan, recipe: { ...plan.recipe, student_model: "名前🙂" } }
      const unicodeText = text.replace("builtin/text-classifier", "名前🙂")
      assert.strictEqual(yield* planHash(unicode), createHash("sha256").update(unicodeText, "utf8").digest("hex"))
    }).pipe(Effect.provide(Crypto.layer))
  )

  it.effect("the same plan in any order of members has the same hash", () =>
    Effect.gen(function* () {
      const reordered: Plan = {
        compute: { gpu: null, spot: false, machine: "this-machine", profile: "local" },
        budget: { max_cost_usd: 12.5 },
        recipe: {
          rewards: ["rew_1"],
          stages: [
            { config: { learning_rate: 0.0002, epochs: 3 }, kind: "sft" },
            { config: {}, kind: "publish" }
          ],
          student_model: "builtin/text-classifier"
        },
        data: "ab".repeat(32)
      }
      assert.strictEqual(yield* planHash(reordered), yield* planHash(plan))
    }).pipe(Effect.provide(Crypto.layer))
  )

  it.effect("another data, recipe, budget or compute is another plan (P31)", () =>
    Effect.gen(function* () {
      const [sft, publish] = [
        { kind: "sft", config: { epochs: 3, learning_rate: 2e-4 } },
        { kind: "publish", config: {} }
      ]
      const recipe = (change: Schema.JsonObject): Plan => ({ ...plan, recipe: { ...plan.recipe, ...change } })
      const compute = (change: Partial<Plan["compute"]>): Plan => ({ ...plan, compute: { ...plan.compute, ...change } })
      const others: ReadonlyArray<Plan> = [
        plan,
        { ...plan, data: "ac".repeat(32) },
        recipe({ student_model: "other" }),
        recipe({ rewards: [] }),
        recipe({ stages: [sft] }),
        recipe({ stages: [publish, sft] }),
        recipe({ stages: [{ kind: "sft", config: { epochs: 4, learning_rate: 2e-4 } }, publish] }),
        recipe({ stages: [{ kind: "sft", config: { learning_rate: 2e-4 } }, publish] }),
        { ...plan, budget: { max_cost_usd: 12.500001 } },
        compute({ profile: "l4" }),
        compute({ machine: null }),
        compute({ spot: true }),
        compute({ gpu: "L4" })
      ]
      const hashes = yield* Effect.forEach(others, planHash)
      assert.strictEqual(new Set(hashes).size, others.length)
      for (const hash of hashes) assert.match(hash, /^[0-9a-f]{64}$/)
    }).pipe(Effect.provide(Crypto.layer))
  )
})
