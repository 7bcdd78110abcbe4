/** What people do over HTTP and no token may (contract 14.10, 15.17). */
import { assert, it } from "@effect/vitest"
import type { LedgerEntry } from "@limbeck/api/BillingApi"
import type { WorkspaceCreated } from "@limbeck/api/HumanOnlyApi"
import type { Person } from "@limbeck/api/PeopleApi"
import type { Session } from "@limbeck/api/SessionsApi"
import type { Whoami } from "@limbeck/api/WhoamiApi"
import type { Workspace as ShownWorkspace } from "@limbeck/api/WorkspaceApi"
import type { WorkspaceId } from "@limbeck/core/ids/Id"
import * as PersonRoles from "@limbeck/core/people/Person"
import { freshKey } from "@limbeck/testing/http/Steps"
import { assertInvalid, assertRefused, type Client, expectStatus, firstOf, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"
import { join, type LinkedInvitation } from "./support/Invitations.ts"

const people = "/v1/people"

type PersonView = typeof Person.Type

const listed = async (client: Client, query = "") =>
  expectStatus(await client.get<ListOf<PersonView>>(`${people}${query}`), 200)

onEachStorage("people of a workspace", (house) => {
  it("are let in, listed, changed and sent away by an owner (P282)", async () => {
    const workspace = await house.workspace()
    const owner = await house.signedIn(workspace, "owner")
    const { id } = await join(house, owner, { email: "Bob@Example.com", name: "Bob", role: "viewer" })
    const bob = firstOf(await listed(owner.client))
    assert.deepInclude(bob, { id, object: "person", email: "bob@example.com", name: "Bob", role: "viewer" })
    assert.strictEqual(bob.status, "active")
    const again = await owner.client.post(people, { email: "bob@example.com", role: "owner" })
    assertRefused(again, 409, "conflict_error", "email")
    const first = await listed(owner.client, "?limit=1")
    assert.deepStrictEqual([first.data, first.has_more], [[bob], true])
    const rest = await listed(owner.client, `?limit=1&cursor=${first.next_cursor}`)
    assert.deepStrictEqual([rest.data.map(({ id }) => id), rest.has_more], [[owner.id], false])
    const member = expectStatus(await owner.client.patch<PersonView>(`${people}/${bob.id}`, { role: "member" }), 200)
    assert.deepStrictEqual(member, { ...bob, role: "member", updated_at: member.updated_at })
    expectStatus(await owner.client.delete(`${people}/${bob.id}`), 200)
    assert.deepStrictEqual(
      (await listed(owner.client)).data.map(({ id }) => id),
      [owner.id]
    )
    assertRefused(await owner.client.delete(`${people}/${bob.id}`), 404, "not_found_error")
  })

  it("are those of the workspace alone, and of another's nothing is told (P166, P282)", async () => {
    const [one, two] = [await house.workspace(), await house.workspace()]
    const [owner, stranger] = [await house.signedIn(one, "owner"), await house.signedIn(two, "owner")]
    const unknown = `usr_${"0".repeat(26)}`
    const text = (answer: { readonly text: string }) =>
      answer.text.replace(/req_\w{26}/, "").replaceAll(/usr_\w{26}/g, "")
    for (const ask of [
      (id: string) => owner.client.patch(`${people}/${id}`, { role: "viewer" }),
      (id: string) => owner.client.delete(`${people}/${id}`)
    ]) {
      const [foreign, absent] = [await ask(stranger.id), await ask(unknown)]
      assertRefused(foreign, 404, "not_found_error")
      assert.strictEqual(text(foreign), text(absent))
    }
    assert.deepStrictEqual(
      (await listed(stranger.client)).data.map(({ id, role }) => [id, role]),
      [[stranger.id, "owner"]]
    )
    // A role here adds them here, and leaves roles elsewhere unchanged.
    const { email } = await house.withPeople(({ people }) => people.find(stranger.id))
    const { id } = expectStatus(await owner.client.post<LinkedInvitation>(people, { email, role: "viewer" }), 201)
    expectStatus(await stranger.client.post(`/v1/session/invitations/${id}/accept`), 200)
    assert.deepStrictEqual(
      (await listed(owner.client)).data.map(({ id, role }) => [id, role]),
      [
        [stranger.id, "viewer"],
        [owner.id, "owner"]
      ]
    )
  })

  it("keep their owner from locking themselves out, and refuse what is wrong (P282)", async () => {
    const owner = await house.signedIn(await house.workspace(), "owner")
    const { email } = await house.withPeople(({ people }) => people.find(owner.id))
    assertRefused(await owner.client.patch(`${people}/${owner.id}`, { role: "viewer" }), 403, "permission_error")
    assertRefused(await owner.client.delete(`${people}/${owner.id}`), 403, "permission_error")
    const self = await owner.client.post(people, { email: ` ${email?.toUpperCase()}`, role: "viewer" })
    assertRefused(self, 403, "permission_error")
    for (const [body, param] of [
      [{ email: "ann", role: "owner" }, "email"],
      [{ email: "a n@n", role: "owner" }, "email"],
      [{ email: `${"a".repeat(251)}@b.c`, role: "owner" }, "email"],
      [{ email: "ann@example.com", role: "admin" }, "role"],
      [{ email: "ann@example.com", role: "owner", name: " " }, "name"],
      [{ role: "owner" }, "email"]
    ] as const) {
      assertInvalid(await owner.client.post(people, body), param)
    }
    assert.lengthOf((await listed(owner.client)).data, 1)
  })

  it("always keep an owner: of owners who demote each other at once one remains (P351)", async () => {
    for (const demote of [
      (client: Client, id: string) => client.patch(`${people}/${id}`, { role: "viewer" }),
      (client: Client, id: string) => client.delete(`${people}/${id}`)
    ]) {
      const workspace = await house.workspace()
      const owners = await Promise.all([1, 2, 3, 4].map(() => house.signedIn(workspace, "owner")))
      const now = () => Promise.all(owners.map(({ id }) => house.withPeople((services) => services.people.find(id))))
      // Each demotes the next, round in a circle.
      const answers = await Promise.all(
        owners.map(({ client }, index) => {
          const next = (index + 1) % owners.length
          return demote(client, owners[next]?.id ?? "")
        })
      )
      const left = (await now()).filter((person) => PersonRoles.roleIn(person, workspace.id as WorkspaceId) === "owner")
      const refused = answers.filter(({ status }) => status === 403)
      assert.isAtLeast(left.length, 1)
      assert.strictEqual(refused.length, left.length)
      assert.isTrue(answers.every(({ status }) => [200, 403].includes(status)))
    }
  })

  it("are for owners: a member and a viewer are refused all that is for people (P282)", async () => {
    const workspace = await house.workspace()
    for (const role of ["member", "viewer"] as const) {
      const { client } = await house.signedIn(workspace, role)
      for (const answer of [
        await client.get(people),
        await client.post(people, { email: "a@b.c", role: "owner" }),
        await client.post("/v1/workspaces", { name: "a" }),
        await client.patch("/v1/workspace", { plan: "pro" }),
        await client.post("/v1/billing/top_ups", { amount_usd: 1, reference: "a" })
      ]) {
        assertRefused(answer, 403, "permission_error")
      }
    }
  })
})

onEachStorage("an owner who is signed in", (house) => {
  it("makes a workspace, and is its owner; once for each key (P285)", async () => {
    const owner = await house.signedIn(await house.workspace(), "owner")
    const key = freshKey()
    const body = { name: "Acme", plan: "pro" }
    const made = await owner.client.post<typeof WorkspaceCreated.Type>("/v1/workspaces", body, key)
    const { live_token, test_token, ...shown } = expectStatus(made, 201)
    assert.deepInclude(shown, { object: "workspace", name: "Acme", plan: "pro" })
    const again = await owner.client.post("/v1/workspaces", body, key)
    assert.deepStrictEqual([again.status, again.text], [201, made.text])
    const { workspaces } = expectStatus(await owner.client.get<typeof Session.Type>("/v1/session"), 200)
    assert.deepInclude(workspaces.at(-1), { id: shown.id, role: "owner" })
    assert.lengthOf(workspaces, 2)
    const inside = owner.client.with({ "service-workspace": shown.id })
    expectStatus(await inside.post("/v1/distill/loops", { name: "a" }), 201)
    for (const [token, livemode] of [
      [live_token, true],
      [test_token, false]
    ] as const) {
      const whoami = expectStatus(await house.client(token).get<typeof Whoami.Type>("/v1/whoami"), 200)
      assert.deepStrictEqual([whoami.workspace.id, whoami.livemode], [shown.id, livemode])
    }
    assertInvalid(await owner.client.with({ "service-workspace": shown.id }).post("/v1/workspaces", {}), "name")
  })

  it("changes the plan, and a member the name (P285)", async () => {
    const workspace = await house.workspace()
    const [owner, member] = [await house.signedIn(workspace, "owner"), await house.signedIn(workspace, "member")]
    const patch = (client: Client, body: object) => client.patch<typeof ShownWorkspace.Type>("/v1/workspace", body)
    assert.deepInclude(expectStatus(await patch(owner.client, { plan: "pro" }), 200), { plan: "pro" })
    assert.deepInclude(expectStatus(await patch(member.client, { name: "Acme" }), 200), { name: "Acme", plan: "pro" })
    for (const plan of [1, "Pro plan"]) assertInvalid(await patch(owner.client, { plan }), "plan")
    assertRefused(await patch(workspace.live, { plan: "free" }), 403, "permission_error", "plan")
    const shown = expectStatus(await workspace.live.get<typeof ShownWorkspace.Type>("/v1/workspace"), 200)
    assert.deepInclude(shown, { name: "Acme", plan: "pro" })
  })

  it("tops the balance up, once for each reference, in live mode (P285)", async () => {
    const workspace = await house.workspace()
    const { client } = await house.signedIn(workspace, "owner")
    const topUp = (body: object, by = client) => by.post<typeof LedgerEntry.Type>("/v1/billing/top_ups", body)
    const entry = expectStatus(await topUp({ amount_usd: 50, reference: "invoice 1" }), 201)
    assert.deepInclude(entry, { object: "ledger_entry", amount_usd: 50, kind: "top_up", reference: "invoice 1" })
    assert.deepStrictEqual(expectStatus(await topUp({ amount_usd: 50, reference: "invoice 1" }), 201), entry)
    assertRefused(await topUp({ amount_usd: 51, reference: "invoice 1" }), 409, "conflict_error", "reference")
    assertInvalid(await topUp({ amount_usd: -1, reference: "a" }), "amount_usd")
    const inTest = await topUp({ amount_usd: 1, reference: "b" }, client.with({ "service-mode": "test" }))
    assertRefused(inTest, 403, "permission_error")
    const balance = expectStatus(await workspace.live.get<{ balance_usd: number }>("/v1/billing/balance"), 200)
    assert.strictEqual(balance.balance_usd, 50)
    await house.audit(workspace)
  })

  it("mints tokens of any scope and mode, which do nothing that is for people (P285)", async () => {
    const workspace = await house.workspace()
    const { client } = await house.signedIn(workspace, "owner")
    for (const environment of ["live", "test"] as const) {
      const body = { name: "app", scopes: ["full_access"], environment }
      const inTest = client.with({ "service-mode": "test" })
      const { secret } = expectStatus(await inTest.post<{ secret: string }>("/v1/tokens", body), 201)
      const token = house.client(secret)
      assert.strictEqual(
        expectStatus(await token.get<typeof Whoami.Type>("/v1/whoami"), 200).livemode,
        environment === "live"
      )
      assertRefused(await token.post("/v1/workspaces", { name: "a" }), 403, "permission_error")
      assertRefused(await token.get(people), 403, "permission_error")
      assertRefused(await token.get("/v1/session"), 403, "permission_error")
    }
  })
})
