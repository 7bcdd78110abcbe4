import { assert, describe, it } from "@effect/vitest"
import { type Action, humanOnlyOperations, may, Role, refusalOf } from "@limbeck/core/workspaces/RoleRules"

const forPeople: ReadonlyArray<Action> = ["people", "create_workspace", "change_plan", "top_up"]

describe("RoleRules", () => {
  it("an owner may do all", () => {
    for (const action of ["read", "write", ...forPeople] as const) assert.isTrue(may("owner", action), action)
  })

  it("a member may do all but people, plans, top-ups and new workspaces", () => {
    assert.isTrue(may("member", "read") && may("member", "write"))
    for (const action of forPeople) assert.isFalse(may("member", action), action)
  })

  it("a viewer reads", () => {
    assert.isTrue(may("viewer", "read"))
    for (const action of ["write", ...forPeople] as const) assert.isFalse(may("viewer", action), action)
  })

  it("what is for people is for owners alone, and for no token (P162)", () => {
    for (const action of forPeople) {
      assert.deepStrictEqual(
        [...Role.literals, "token" as const].filter((actor) => may(actor, action)),
        ["owner"]
      )
    }
  })

  it("a refusal says what it is about and where it is done", () => {
    for (const action of ["create_workspace", "change_plan", "top_up"] as const) {
      assert.match(refusalOf(action), /^[A-Z].* is for people, and no token may do it.*: .*operator/)
    }
    assert.lengthOf(humanOnlyOperations, 3)
  })
})
