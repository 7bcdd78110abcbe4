/** Invitations to a workspace, over HTTP (contract 16.42). */
import { assert, it } from "@effect/vitest"
import type { Invitation, Person } from "@limbeck/api/PeopleApi"
import type { InvitationSettled, LinkPreview, Session } from "@limbeck/api/SessionsApi"
import { Limits } from "@limbeck/core/Limits"
import * as Partition from "@limbeck/core/partition/Partition"
import * as StoredInvitation from "@limbeck/core/people/Invitation"
import type { PersonId } from "@limbeck/core/people/Person"
import { eventually } from "@limbeck/testing/Eventually"
import * as Effect from "effect/Effect"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { type House, onEachStorage, type SignedInPerson } from "./support/House.ts"
import { invite, join, type LinkedInvitation, open, secretOf, sessionOf } from "./support/Invitations.ts"

const people = "/v1/people"
const invitations = `${people}/invitations`
const session = "/v1/session"
const mine = `${session}/invitations`
const day = 24 * 3_600_000

type SessionView = typeof Session.Type

const shownTo = async ({ client }: Pick<SignedInPerson, "client">) =>
  expectStatus(await client.get<SessionView>(session), 200)

const peopleOf = async (owner: SignedInPerson) =>
  expectStatus(await owner.client.get<ListOf<typeof Person.Type>>(people), 200).data.map(({ id }) => id)

const openOnes = async (owner: SignedInPerson) =>
  expectStatus(await owner.client.get<ListOf<typeof Invitation.Type>>(invitations), 200).data

const accept = (client: Client, id: string, body?: object) =>
  client.post<typeof InvitationSettled.Type>(`${mine}/${id}/accept`, body)
const decline = (client: Client, id: string) => client.post<typeof InvitationSettled.Type>(`${mine}/${id}/decline`)

const ownerOf = async (house: House) => {
  const workspace = await house.workspace()
  return { workspace, owner: await house.signedIn(workspace, "owner") }
}

/** Stores copies of the only open invitation by this person, until there may be no more. */
const fill = (house: House, { id }: SignedInPerson) =>
  house.withStored(({ resources }) =>
    Effect.gen(function* () {
      const label = StoredInvitation.labelOfMaker(id)
      const made = yield* resources.findByLabels(Partition.system, StoredInvitation.kind, [label])
      const copies = made.flatMap((first) =>
        Array.from({ length: Limits.workspaceInvitationsMax - 1 }, (_, nth) => ({
          ...first,
          id: `inv_${String(nth).padStart(26, "0")}` as const,
          email: `guest${nth + 1}@example.com`,
          digest: String(nth).padStart(64, "0")
        }))
      )
      yield* Effect.forEach(copies, (copy) => resources.insert(Partition.system, StoredInvitation.kind, copy))
    })
  )

/** A signed-in person with a role in another workspace only. */
const strangerIn = async (house: House, email: string) => {
  const elsewhere = await house.workspace()
  const { id } = await house.person(elsewhere, "owner", email)
  return { elsewhere, ...(await house.sessionOf(id, elsewhere)) }
}

onEachStorage("an invitation", (house) => {
  it("answers alike whether or not anybody has the address, and tells nothing of who has it (P860)", async () => {
    const { owner } = await ownerOf(house)
    const stranger = await strangerIn(house, "stranger@example.com")
    const known = await invite(owner, { email: "Stranger@Example.com", role: "member" })
    const unknown = await invite(owner, { email: "nobody@example.com", role: "member" })
    assert.deepStrictEqual(Object.keys(known), Object.keys(unknown))
    const plain = ({
      created_at: _at,
      email: _email,
      expires_at: _end,
      id: _id,
      url: _url,
      ...rest
    }: LinkedInvitation) => rest
    assert.deepStrictEqual(plain(known), plain(unknown))
    assert.deepStrictEqual(plain(known), { object: "invitation", name: null, role: "member", status: "invited" })
    assert.match(known.id, /^inv_/)
    const told = JSON.stringify([known, await openOnes(owner), await peopleOf(owner)])
    assert.notInclude(told, stranger.id)
    assert.strictEqual(Date.parse(known.expires_at) - Date.parse(known.created_at), 7 * day)
    assert.match(known.url, /\/#\/invitation\/[0-9A-Za-z]{54}$/)
    assert.notInclude(JSON.stringify(await openOnes(owner)), secretOf(known))
  })

  it("puts nobody into the workspace before their own session has accepted it (P861)", async () => {
    const { owner, workspace } = await ownerOf(house)
    const stranger = await strangerIn(house, "invited@example.com")
    const { id, email } = await invite(owner, { email: "invited@example.com", role: "member" })
    assert.deepStrictEqual(await peopleOf(owner), [owner.id])
    const before = await shownTo(stranger)
    assert.deepStrictEqual(
      before.workspaces.map((one) => one.id),
      [stranger.elsewhere.id]
    )
    const [shown] = before.invitations
    assert.deepStrictEqual(before.invitations, [
      { id, workspace: { id: workspace.id, name: shown?.workspace.name ?? "" }, role: "member" }
    ])
    const inside = stranger.client.with({ "service-workspace": workspace.id })
    assertRefused(await inside.get("/v1/whoami"), 403, "permission_error", "Service-Workspace")
    // Only the session of the address can accept or decline.
    const other = await strangerIn(house, "other@example.com")
    for (const { client } of [owner, other]) {
      assertRefused(await accept(client, id), 404, "not_found_error")
      assertRefused(await decline(client, id), 404, "not_found_error")
    }
    const bare = house.client(null).with({ cookie: stranger.cookie })
    assertRefused(await accept(bare, id), 403, "permission_error", "X-CSRF-Token")
    const accepted = expectStatus(await accept(stranger.client, id), 200)
    assert.deepStrictEqual(accepted, { ...shown, object: "invitation", status: "accepted" } as typeof accepted)
    expectStatus(await inside.get("/v1/whoami"), 200)
    assert.sameMembers(await peopleOf(owner), [owner.id, stranger.id])
    const after = await shownTo(stranger)
    assert.deepStrictEqual(after.invitations, [])
    assert.include(
      after.workspaces.map((one) => one.id),
      workspace.id
    )
    assertRefused(await accept(stranger.client, id), 404, "not_found_error")
    assertRefused(await owner.client.post(people, { email, role: "owner" }), 409, "conflict_error", "email")
  })

  it("that is declined, withdrawn, replaced or a week old is gone, and no other (P861)", async () => {
    const { owner, workspace } = await ownerOf(house)
    const stranger = await strangerIn(house, "often@example.com")
    const again = () => invite(owner, { email: "often@example.com", role: "viewer" })
    const declined = await again()
    assert.strictEqual(expectStatus(await decline(stranger.client, declined.id), 200).status, "declined")
    const withdrawn = await again()
    expectStatus(await owner.client.delete(`${invitations}/${withdrawn.id}`), 200)
    assertRefused(await owner.client.delete(`${invitations}/${withdrawn.id}`), 404, "not_found_error")
    const replaced = await again()
    const expired = await again()
    assert.deepStrictEqual(
      (await openOnes(owner)).map(({ id }) => id),
      [expired.id]
    )
    house.passTime(7 * day)
    // Sessions have run out meanwhile.
    const back = await house.sessionOf(stranger.id, stranger.elsewhere)
    const backOwner = await house.sessionOf(owner.id, workspace)
    for (const { id } of [declined, withdrawn, replaced, expired]) {
      assertRefused(await accept(back.client, id), 404, "not_found_error")
    }
    assert.deepStrictEqual(await openOnes(backOwner), [])
    assert.deepStrictEqual((await shownTo(back)).invitations, [])
    await eventually("the expired invitation is removed", async () => {
      house.passTime(11 * 60_000)
      const label = StoredInvitation.labelOfAddress("often@example.com")
      const stored = await house.withStored(({ resources }) =>
        resources.findByLabels(Partition.system, StoredInvitation.kind, [label])
      )
      return stored.length === 0
    })
  })

  it("ends with the ownership of who made it, and leaves a role that somebody has (P861)", async () => {
    const { owner, workspace } = await ownerOf(house)
    const second = await house.signedIn(workspace, "owner")
    const guest = await strangerIn(house, "guest@example.com")
    const { id } = await invite(second, { email: "guest@example.com", role: "viewer" })
    const kept = await invite(owner, { email: "another@example.com", role: "viewer" })
    expectStatus(await owner.client.patch(`${people}/${second.id}`, { role: "member" }), 200)
    assertRefused(await accept(guest.client, id), 404, "not_found_error")
    assert.deepStrictEqual(
      (await openOnes(owner)).map((one) => one.id),
      [kept.id]
    )
    // The operator has made the guest an owner meanwhile: an older invitation takes nothing of that.
    const older = await invite(owner, { email: "guest@example.com", role: "viewer" })
    await house.setRole(workspace, guest.id, "owner")
    expectStatus(await accept(guest.client, older.id), 200)
    const { workspaces } = await shownTo(guest)
    assert.strictEqual(workspaces.find((one) => one.id === workspace.id)?.role, "owner")
  })

  it("is accepted once and whole: of acceptances and a withdrawal at once, one happens (P861)", async () => {
    const { owner, workspace } = await ownerOf(house)
    const guest = await strangerIn(house, "racer@example.com")
    for (let round = 0; round < 5; round++) {
      const { id } = await invite(owner, { email: "racer@example.com", role: "viewer" })
      const [first, second, withdrawal] = await Promise.all([
        accept(guest.client, id),
        accept(guest.client, id),
        owner.client.delete(`${invitations}/${id}`)
      ])
      const done = [first.status, second.status, withdrawal.status]
      assert.sameMembers(done, [200, 404, 404])
      const { roles } = await house.withPeople((services) => services.people.find(guest.id))
      assert.strictEqual(
        roles.some((held) => held.workspace === workspace.id),
        withdrawal.status !== 200
      )
      await house.setRole(workspace, guest.id, null)
    }
  })

  it("that fails before its commit leaves the invitation open and the person without a role (P861)", async () => {
    const { owner, workspace } = await ownerOf(house)
    const guest = await strangerIn(house, "crash@example.com")
    const { id } = await invite(owner, { email: "crash@example.com", role: "viewer" })
    // A process that dies before the commit leaves what a transaction leaves that fails at its end.
    const failure = await house.withPeople(({ invitations, storage }) =>
      Effect.flip(
        storage.transaction(Effect.andThen(invitations.accept(guest.id, id, undefined), Effect.fail("died" as const)))
      )
    )
    assert.strictEqual(failure, "died")
    const { roles } = await house.withPeople((services) => services.people.find(guest.id))
    assert.isFalse(roles.some((held) => held.workspace === workspace.id))
    expectStatus(await accept(guest.client, id), 200)
  })
})

onEachStorage("the link of an invitation", (house) => {
  it("makes the person of an address that nobody has, who then accepts (P862)", async () => {
    const { owner, workspace } = await ownerOf(house)
    const invitation = await invite(owner, { email: "new@example.com", name: "Nell", role: "member" })
    const seen = expectStatus(
      await house
        .client(null)
        .post<typeof LinkPreview.Type>("/v1/sessions/preview", { invitation: secretOf(invitation) }),
      200
    )
    const { email, expires_at, id, role } = invitation
    assert.deepInclude(seen, { object: "invitation", id, email, role, expires_at })
    const opened = await open(house, invitation)
    const shown = expectStatus(opened, 201)
    assert.deepInclude(shown.person, { email: "new@example.com", name: "Nell" })
    assert.deepStrictEqual([shown.workspaces.length, shown.invitations[0]?.id], [0, id])
    assert.deepStrictEqual(await peopleOf(owner), [owner.id])
    const client = sessionOf(house, opened)
    expectStatus(await accept(client, id), 200)
    expectStatus(await client.with({ "service-workspace": workspace.id }).get("/v1/whoami"), 200)
    // The person is there now: the link is good for nothing.
    assertRefused(await open(house, invitation), 401, "authentication_error")
  })

  it("signs in nobody who is there, and refuses them as it refuses a wrong one (P862)", async () => {
    const { owner } = await ownerOf(house)
    const stranger = await strangerIn(house, "there@example.com")
    const invitation = await invite(owner, { email: "there@example.com", role: "viewer" })
    const text = (answer: Awaited<ReturnType<typeof open>>) => [answer.status, answer.text.replace(/req_\w{26}/, "")]
    const wrong = await house.client(null).post<SessionView>("/v1/sessions", { invitation: "0".repeat(54) })
    const refused = await open(house, invitation)
    assertRefused(refused, 401, "authentication_error")
    assert.deepStrictEqual(text(refused), text(wrong))
    assert.isNull(refused.headers.get("set-cookie"))
    // It is still theirs to accept.
    expectStatus(await accept(stranger.client, invitation.id), 200)
    // The two kinds of links are not interchangeable.
    const other = await invite(owner, { email: "kinds@example.com", role: "viewer" })
    const crossed = await house.client(null).post("/v1/sessions", { link: secretOf(other) })
    assertRefused(crossed, 401, "authentication_error")
    const both = { link: secretOf(other), invitation: secretOf(other) }
    assertInvalid(await house.client(null).post("/v1/sessions", both), "invitation")
  })

  it("takes no session's place, and makes one person however many open it at once (P862)", async () => {
    const { owner } = await ownerOf(house)
    const invitation = await invite(owner, { email: "many@example.com", role: "viewer" })
    const inSession = house.client(null).with({ cookie: owner.cookie })
    const refused = await inSession.post("/v1/sessions", { invitation: secretOf(invitation) })
    assertRefused(refused, 403, "permission_error", "invitation")
    const answers = await Promise.all(Array.from({ length: 6 }, () => open(house, invitation)))
    assert.sameMembers(
      answers.map(({ status }) => status),
      [201, 401, 401, 401, 401, 401]
    )
    house.passTime(60_000)
    const withdrawn = await invite(owner, { email: "late@example.com", role: "viewer" })
    expectStatus(await owner.client.delete(`${invitations}/${withdrawn.id}`), 200)
    assertRefused(await open(house, withdrawn), 401, "authentication_error")
  })

  it("of another workspace is needed by a person whom a link made: its owner may have opened it (P862)", async () => {
    const [attacker, other] = [await ownerOf(house), await ownerOf(house)]
    // The attacker invites somebody else's address and opens the link.
    const squatter = await join(house, attacker.owner, { email: "ceo@example.com", role: "viewer" })
    const invitation = await invite(other.owner, { email: "ceo@example.com", role: "owner" })
    assertRefused(await accept(squatter.client, invitation.id), 403, "permission_error", "invitation")
    const wrong = { link: secretOf(await invite(other.owner, { email: "x@example.com", role: "owner" })) }
    assertRefused(await accept(squatter.client, invitation.id, wrong), 403, "permission_error", "invitation")
    assert.deepStrictEqual(await peopleOf(other.owner), [other.owner.id])
    expectStatus(await accept(squatter.client, invitation.id, { link: secretOf(invitation) }), 200)
    // The operator vouches for the address.
    await house.person(await house.workspace(), "viewer", "ceo@example.com")
    const third = await ownerOf(house)
    const { id } = await invite(third.owner, { email: "ceo@example.com", role: "viewer" })
    expectStatus(await accept(squatter.client, id), 200)
  })
})

onEachStorage("what one owner can make", (house) => {
  it("is bounded: open invitations of a workspace and of a person, and workspaces of a person (P863)", async () => {
    const { owner, workspace } = await ownerOf(house)
    const second = await house.signedIn(workspace, "owner")
    const invited = async ({ client }: SignedInPerson, number: number) =>
      client.post<LinkedInvitation>(people, { email: `guest${number}@example.com`, role: "viewer" })
    expectStatus(await invited(owner, 0), 201)
    await fill(house, owner)
    assertInvalid(await invited(second, Limits.workspaceInvitationsMax), null)
    // A second invitation of one address replaces the first.
    expectStatus(await invited(owner, 7), 201)
    const elsewhere = await house.workspace()
    await house.setRole(elsewhere, owner.id, "owner")
    const there = { ...owner, client: owner.client.with({ "service-workspace": elsewhere.id }) }
    assertInvalid(await invited(there, 1), null)
    const [{ id = "" } = {}] = await openOnes(owner)
    expectStatus(await owner.client.delete(`${invitations}/${id}`), 200)
    expectStatus(await invited(there, 1), 201)

    const made = (name: number) => owner.client.post("/v1/workspaces", { name: String(name) })
    expectStatus(await made(0), 201)
    const createdBy = owner.id as PersonId // A person of the house has a valid id.
    await house.withPeople(({ workspaces }) =>
      Effect.replicateEffect(workspaces.create({ name: "a", plan: "a", createdBy }), Limits.createdWorkspacesMax - 5)
    )
    const last = await Promise.all(Array.from({ length: 8 }, (_, number) => made(number)))
    assert.sameMembers(
      last.map(({ status }) => status),
      [201, 201, 201, 201, 403, 403, 403, 403]
    )
  })
})
