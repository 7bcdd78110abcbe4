/** The caller's workspace, and what is for people alone (contract 4, 14.10, 15.17). */
import { assert, it } from "@effect/vitest"
import type { ErrorEnvelope } from "@limbeck/api/ErrorTable"
import type { TokenWithSecret } from "@limbeck/api/TokensApi"
import type { Whoami } from "@limbeck/api/WhoamiApi"
import type { Workspace as Shown } from "@limbeck/api/WorkspaceApi"
import { type Answer, assertInvalid, assertRefused, type Client, expectStatus } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

const path = "/v1/workspace"

const read = async (caller: Client) => expectStatus(await caller.get<typeof Shown.Type>(path), 200)

const messageOf = (answer: Answer<unknown>) => (answer.body as ErrorEnvelope).error.message

onEachStorage("the workspace", (house) => {
  it("shows itself in the mode of who asks", async () => {
    const { id, live, test } = await house.workspace()
    const shown = await read(live)
    assert.deepInclude(shown, { id, object: "workspace", livemode: true, plan: "self_hosted" })
    assert.strictEqual(shown.updated_at, shown.created_at)
    assert.deepStrictEqual(await read(test), { ...shown, livemode: false })
  })

  it("takes a name, which nobody else's workspace gets (P161)", async () => {
    const [{ live, test }, other] = [await house.workspace(), await house.workspace()]
    const [before, others] = [await read(live), await read(other.live)]
    house.passTime(1_000)
    const renamed = expectStatus(await live.patch<typeof Shown.Type>(path, { name: "Acme" }), 200)
    assert.deepStrictEqual(renamed, { ...before, name: "Acme", updated_at: renamed.updated_at })
    assert.isAbove(Date.parse(renamed.updated_at), Date.parse(before.updated_at))
    assert.deepStrictEqual(await read(test), { ...renamed, livemode: false })
    const whoami = expectStatus(await test.get<typeof Whoami.Type>("/v1/whoami"), 200)
    assert.strictEqual(whoami.workspace.name, "Acme")
    assert.deepStrictEqual(await read(other.live), others)
    // A name reveals nothing about its other users.
    expectStatus(await other.live.patch(path, { name: "Acme" }), 200)
  })

  it("stays as it is without a field, and refuses what it does not have", async () => {
    const { live } = await house.workspace()
    const before = await read(live)
    assert.deepInclude(expectStatus(await live.patch<typeof Shown.Type>(path, {}), 200), { name: before.name })
    for (const [body, param] of [
      [{ name: "" }, "name"],
      [{ name: " " }, "name"],
      [{ name: 1 }, "name"],
      [{ name: "a".repeat(201) }, "name"],
      [{ id: before.id }, "id"],
      [{ name: "a", livemode: true }, "livemode"]
    ] as const) {
      assertInvalid(await live.patch(path, body), param)
    }
    assert.strictEqual((await read(live)).name, before.name)
  })

  it("has two scopes, and one is not the other", async () => {
    const { live } = await house.workspace()
    const holder = async (scope: string) => {
      const made = await live.post<typeof TokenWithSecret.Type>("/v1/tokens", { name: "a", scopes: [scope] })
      return house.client(expectStatus(made, 201).secret)
    }
    const [reader, writer] = [await holder("workspace:read"), await holder("workspace:write")]
    await read(reader)
    expectStatus(await writer.patch(path, { name: "b" }), 200)
    assertRefused(await reader.patch(path, { name: "c" }), 403, "permission_error")
    assertRefused(await writer.get(path), 403, "permission_error")
    assert.strictEqual((await read(reader)).name, "b")
  })

  it("keeps its plan whatever a token asks, and says who may change it (P162)", async () => {
    const { live, test } = await house.workspace()
    const before = await read(live)
    for (const caller of [live, test]) {
      for (const body of [{ plan: "pro" }, { plan: 1 }, { name: "Other", plan: before.plan }]) {
        const answer = await caller.patch(path, body)
        assertRefused(answer, 403, "permission_error", "plan")
        assert.match(messageOf(answer), /^Changing the plan of a workspace is for people.*limbeck workspace update/)
      }
    }
    assert.deepStrictEqual(await read(live), before)
  })

  it("is made by people, and told so every token is (P162)", async () => {
    const { live, test } = await house.workspace()
    for (const caller of [live, test]) {
      const answer = await caller.post("/v1/workspaces", { name: "another" })
      assertRefused(answer, 403, "permission_error")
      assert.match(messageOf(answer), /^Creating a workspace is for people.*limbeck workspace create/)
      const topUp = await caller.post("/v1/billing/top_ups", { amount_usd: 1 })
      assert.match(messageOf(topUp), /^Topping up a balance is for people/)
    }
  })
})
