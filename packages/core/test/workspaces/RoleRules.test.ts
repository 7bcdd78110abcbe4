import { assert, describe, it } from "@effect/vitest"
import { scopes } from "@limbeck/core/tokens/Scope"
import { type Action, humanOnlyOperations, may, Role, refusalOf, scopesOf } from "@limbeck/core/workspaces/RoleRules"

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

  it("a role does what takes a token of a scope: a viewer what reads, all others what writes too, and nobody the proxy (P282)", () => {
    const reading = scopes.filter((scope) => scope.endsWith(":read"))
    const all = scopes.filter((scope) => scope !== "proxy:write" && scope !== "full_access")
    assert.sameMembers([...scopesOf("viewer")], reading)
    assert.sameMembers([...scopesOf("member")], all)
    assert.sameMembers([...scopesOf("owner")], all)
  })

  it("everybody ends their own session, and no token does", () => {
    assert.isTrue(Role.literals.every((role) => may(role, "session")))
    assert.isFalse(may("token", "session"))
  })

  it("a refusal says what it is about and where it is done", () => {
    for (const action of ["people", "session", "create_workspace", "change_plan", "top_up"] as const) {
      assert.match(refusalOf(action), /^[A-Z].* is for people, and no token may do it.*: .*operator/)
    }
    assert.lengthOf(humanOnlyOperations, 3)
  })
})
