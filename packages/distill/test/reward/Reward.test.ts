/** The kinds of rewards. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { RewardInput, Rule } from "../../src/reward/Reward.ts"

const kindsOf = (members: ReadonlyArray<{ readonly fields: { readonly kind: { readonly literal: string } } }>) =>
  members.map(({ fields }) => fields.kind.literal)

describe("the kinds of rewards", () => {
  it("are those of the table in docs/rewards.md (P1411)", () => {
    const page = readFileSync(new URL("../../../../docs/rewards.md", import.meta.url), "utf8")
    const table = page.split("\n## Kinds\n")[1]?.split(/^\*\*/m)[0] ?? ""
    const rows = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, kind]) => kind)
    assert.deepStrictEqual(rows, kindsOf(RewardInput.members))
  })

  it("are stored with a config, which a request may omit where it has no members to give", () => {
    assert.deepStrictEqual(kindsOf(Rule.members), kindsOf(RewardInput.members))
    for (const { fields } of Rule.members) assert.isFalse("schema" in fields.config, fields.kind.literal)
  })
})
