/** Tokens of people: limited by role, and ended with the membership (contract 16.43). */
import { assert, it } from "@effect/vitest"
import type { TokenWithSecret } from "@limbeck/api/TokensApi"
import type { WorkspaceId } from "@limbeck/core/ids/Id"
import { Limits } from "@limbeck/core/Limits"
import * as Partition from "@limbeck/core/partition/Partition"
import * as Token from "@limbeck/core/tokens/Token"
import { eventually } from "@limbeck/testing/Eventually"
import * as Effect from "effect/Effect"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { type House, onEachStorage, type SignedInPerson } from "./support/House.ts"
import { onTwoServers } from "./support/SharedStorages.ts"

const people = "/v1/people"
const tokens = "/v1/tokens"

type TokenWithSecretView = typeof TokenWithSecret.Type

const mint = async (client: Client, scopes: ReadonlyArray<string>, fields: object = {}) =>
  expectStatus(await client.post<TokenWithSecretView>(tokens, { name: "app", scopes, ...fields }), 201)

const statusOf = async (house: House, { secret }: TokenWithSecretView) =>
  (await house.client(secret).get("/v1/whoami")).status

/** An owner, and a member with a chain of three tokens. */
const scene = async (house: House) => {
  const workspace = await house.workspace()
  const [owner, member] = [await house.signedIn(workspace, "owner"), await house.signedIn(workspace, "member")]
  const first = await mint(member.client, ["tokens:write", "distill:read"])
  const second = await mint(house.client(first.secret), ["tokens:write"])
  const third = await mint(house.client(second.secret), ["tokens:write"], { environment: "test" })
  return { workspace, owner, member, first, second, third, made: [first, second, third] }
}

/** The tokens that would end with a role, from the API for owners. */
const listed = async (owner: SignedInPerson, { id }: SignedInPerson) =>
  expectStatus(await owner.client.get<ListOf<Omit<TokenWithSecretView, "secret">>>(`${people}/${id}/tokens`), 200).data

onEachStorage("a token", (house) => {
  it("says who made it: a person, a token, or the operator (P864)", async () => {
    const { first, member, second, workspace } = await scene(house)
    assert.deepStrictEqual(first.created_by, { kind: "person", id: member.id })
    assert.deepStrictEqual(second.created_by, { kind: "token", id: first.id })
    const { data } = expectStatus(await workspace.live.get<ListOf<TokenWithSecretView>>(tokens), 200)
    assert.deepStrictEqual(data.find(({ name }) => name === "bootstrap")?.created_by, { kind: "operator", id: null })
    assert.deepStrictEqual(data.find(({ id }) => id === second.id)?.created_by, second.created_by)
    // Rotation makes the caller the new maker.
    const rotated = expectStatus(await workspace.live.post<TokenWithSecretView>(`${tokens}/${first.id}/rotate`), 200)
    assert.strictEqual(rotated.created_by?.kind, "token")
    assert.notStrictEqual(rotated.created_by?.id, first.id)
  })

  it("of a version before this one is there as it was, and nobody's (P864)", async () => {
    const workspace = await house.workspace()
    const minted = await mint(workspace.live, ["distill:read"])
    const partition = Partition.make(workspace.id as WorkspaceId, true)
    await house.withStored(({ resources }) =>
      Effect.gen(function* () {
        const stored = yield* resources.findMany(partition, Token.kind, [minted.id])
        const [{ revision, value }] = stored as readonly [(typeof stored)[number]]
        const { createdBy: _by, person: _person, ...before } = value
        yield* resources.compareAndSet(partition, Token.kind, { revision, value: before })
      })
    )
    const shown = expectStatus(await workspace.live.get<TokenWithSecretView>(`${tokens}/${minted.id}`), 200)
    assert.isNull(shown.created_by)
    assert.strictEqual(await statusOf(house, minted), 200)
  })

  it("ends with the membership of the person who made it, or the token that made it, and no other does (P865)", async () => {
    const { first, made, member, owner, third, workspace } = await scene(house)
    const others = [await mint(owner.client, ["full_access"]), await mint(workspace.live, ["full_access"])]
    const shown = await listed(owner, member)
    assert.sameMembers(
      shown.map(({ id }) => id),
      made.map(({ id }) => id)
    )
    assert.deepStrictEqual(await Promise.all(made.map((token) => statusOf(house, token))), [200, 200, 200])
    expectStatus(await owner.client.delete(`${people}/${member.id}`), 200)
    assert.deepStrictEqual(await Promise.all(made.map((token) => statusOf(house, token))), [401, 401, 401])
    assert.deepStrictEqual(await Promise.all(others.map((token) => statusOf(house, token))), [200, 200])
    const get = async (client: Client, id: string) =>
      expectStatus(await client.get<TokenWithSecretView>(`${tokens}/${id}`), 200).status
    assert.strictEqual(await get(workspace.live, first.id), "disabled")
    assert.strictEqual(await get(workspace.test, third.id), "disabled")
  })

  it("ends with the person, in each of their workspaces (P865)", async () => {
    const { made, member } = await scene(house)
    const elsewhere = await house.workspace()
    await house.setRole(elsewhere, member.id, "owner")
    const there = await mint(member.client.with({ "service-workspace": elsewhere.id }), ["full_access"])
    await house.withPeople((services) => services.people.remove(member.id))
    for (const token of [...made, there]) assert.strictEqual(await statusOf(house, token), 401)
  })

  it("that is kept depends on who removes, and ends with them (P865)", async () => {
    const { first, made, member, owner, second, workspace } = await scene(house)
    const other = await house.signedIn(workspace, "owner")
    expectStatus(await owner.client.delete(`${people}/${member.id}?tokens=keep`), 200)
    assert.deepStrictEqual(await Promise.all(made.map((token) => statusOf(house, token))), [200, 200, 200])
    const { data } = expectStatus(await workspace.live.get<ListOf<TokenWithSecretView>>(tokens), 200)
    const makerOf = ({ id }: TokenWithSecretView) => data.find((token) => token.id === id)?.created_by
    assert.deepStrictEqual(makerOf(first), { kind: "person", id: owner.id })
    assert.deepStrictEqual(makerOf(second), { kind: "token", id: first.id })
    expectStatus(await other.client.delete(`${people}/${owner.id}`), 200)
    assert.deepStrictEqual(await Promise.all(made.map((token) => statusOf(house, token))), [401, 401, 401])
  })

  it("that does more than a lowered role ends with the change, and the rest stay (P865)", async () => {
    const { made, member, owner, workspace } = await scene(house)
    const reading = await mint(member.client, ["distill:read"])
    const wide = await mint(owner.client, ["full_access"])
    const second = await house.signedIn(workspace, "owner")
    expectStatus(await owner.client.patch(`${people}/${member.id}`, { role: "viewer" }), 200)
    assert.deepStrictEqual(await Promise.all(made.map((token) => statusOf(house, token))), [401, 401, 401])
    assert.strictEqual(await statusOf(house, reading), 200)
    expectStatus(await second.client.patch(`${people}/${owner.id}?tokens=keep`, { role: "member" }), 200)
    assert.strictEqual(await statusOf(house, wide), 200)
    assertInvalid(await second.client.delete(`${people}/${owner.id}?tokens=sell`), "tokens")
  })

  it("ends with the membership, or neither has happened (P865)", async () => {
    const { first, member, workspace } = await scene(house)
    const died = await house.withPeople((services) =>
      Effect.flip(
        services.storage.transaction(
          Effect.andThen(
            services.people.setRole(member.id, workspace.id as WorkspaceId, null),
            Effect.fail("died" as const)
          )
        )
      )
    )
    assert.strictEqual(died, "died")
    assert.strictEqual(await statusOf(house, first), 200)
    expectStatus(await member.client.get("/v1/whoami"), 200)
  })

  it("is made by nobody whose membership ended, or whose token was disabled, before the commit (P865)", async () => {
    const { first, member, owner, workspace } = await scene(house)
    // Another server may use this cached caller for up to a second.
    const partition = Partition.make(workspace.id as WorkspaceId, true)
    const [token, person] = await house.withPeople((services) =>
      Effect.all([services.tokens.get(partition, first.id), services.people.find(member.id)])
    )
    const session = {
      id: "ses_00000000000000000000000000",
      person: person.id,
      digest: "",
      usedAt: 0,
      createdAt: 0
    } as const
    const request = { name: "late", scopes: ["distill:read"], livemode: true, expiresAt: null } as const
    const late = () =>
      house.withPeople((services) =>
        Effect.all(
          [
            Effect.flip(services.tokens.create({ partition, token }, request)),
            Effect.flip(services.tokens.create({ partition, person, role: "member", session }, request))
          ].map(Effect.map(({ _tag }) => _tag))
        )
      )
    expectStatus(await owner.client.delete(`${people}/${member.id}`), 200)
    assert.deepStrictEqual(await late(), ["Unauthenticated", "Unauthenticated"])
    const disabled = await mint(workspace.live, ["full_access"])
    const stale = await house.withPeople((services) => services.tokens.get(partition, disabled.id))
    expectStatus(await workspace.live.delete(`${tokens}/${disabled.id}`), 200)
    const refusal = await house.withPeople((services) =>
      Effect.flip(services.tokens.create({ partition, token: stale }, request))
    )
    assert.strictEqual(refusal._tag, "Unauthenticated")
  })

  it("that is made while its maker is removed ends with them, whichever comes first (P865)", async () => {
    for (let round = 0; round < 8; round++) {
      const { first, member, owner } = await scene(house)
      const by = house.client(first.secret)
      const body = { name: "race", scopes: ["distill:read"] }
      const [removal, ...answers] = await Promise.all([
        owner.client.delete(`${people}/${member.id}`),
        ...[by, member.client, by, member.client].map((client) => client.post<TokenWithSecretView>(tokens, body))
      ])
      assert.strictEqual(removal.status, 200)
      for (const { body: minted, status } of answers) {
        assert.include([201, 401, 403], status)
        if (status === 201) assert.strictEqual(await statusOf(house, minted), 401)
      }
    }
  })
})

onEachStorage("a person", (house) => {
  it("gives a token what their role does and the proxy, and an owner alone gives full access (P866)", async () => {
    const { first, member, owner, workspace } = await scene(house)
    const post = (client: Client, scopes: ReadonlyArray<string>) => client.post(tokens, { name: "a", scopes })
    assertRefused(await post(member.client, ["full_access"]), 403, "permission_error", "scopes[0]")
    assertRefused(await post(member.client, ["proxy:write", "full_access"]), 403, "permission_error", "scopes[1]")
    for (const scope of ["proxy:write", "distill:write", "tokens:write"]) {
      expectStatus(await post(member.client, [scope]), 201)
    }
    // Rotating a token gives its secret away as well.
    const wide = await mint(owner.client, ["full_access"])
    const rotated = await member.client.post(`${tokens}/${wide.id}/rotate`)
    assertRefused(rotated, 403, "permission_error", "scopes[0]")
    assert.strictEqual(await statusOf(house, wide), 200)
    const viewer = await house.signedIn(workspace, "viewer")
    assertRefused(await post(viewer.client, ["distill:read"]), 403, "permission_error")
    // Nor does a token of theirs.
    assertRefused(await post(house.client(first.secret), ["full_access"]), 403, "permission_error", "scopes[0]")
  })

  it("has at most 100 active tokens of a mode, those that their tokens made among them (P866)", async () => {
    const workspace = await house.workspace()
    const { client } = await house.signedIn(workspace, "member")
    const first = await mint(client, ["tokens:write"])
    const by = house.client(first.secret)
    const post = (maker: Client, environment = "live") =>
      maker.post<TokenWithSecretView>(tokens, { name: "a", scopes: ["tokens:write"], environment })
    for (let number = 1; number < Limits.personTokensMax - 2; number++) {
      expectStatus(await post(number % 2 === 0 ? client : by), 201)
    }
    // Two more, however many ask at once.
    const last = await Promise.all([client, by, client, by, client].map((maker) => post(maker)))
    assert.sameMembers(
      last.map(({ status }) => status),
      [201, 201, 400, 400, 400]
    )
    assertInvalid(await post(by), null)
    const overlap = { expires_in_seconds: 60 }
    assertInvalid(await client.post(`${tokens}/${first.id}/rotate`, overlap), null)
    expectStatus(await post(client, "test"), 201)
    const made = last.find(({ status }) => status === 201)?.body
    expectStatus(await client.delete(`${tokens}/${made?.id}`), 200)
    expectStatus(await post(client), 201)
    expectStatus(await client.post(`${tokens}/${first.id}/rotate`), 200)
    // The bound does not apply to the operator's tokens.
    expectStatus(await post(workspace.live), 201)
  })

  it("who makes a workspace has made its tokens (P864)", async () => {
    const { owner } = await scene(house)
    const { id, live_token } = expectStatus(
      await owner.client.post<{ id: string; live_token: string }>("/v1/workspaces", { name: "a" }),
      201
    )
    const { data } = expectStatus(await house.client(live_token).get<ListOf<TokenWithSecretView>>(tokens), 200)
    assert.deepStrictEqual(data[0]?.created_by, { kind: "person", id: owner.id })
    await house.setRole({ id }, owner.id, null)
    assertRefused(await house.client(live_token).get(tokens), 401, "authentication_error")
  })
})

onTwoServers("a token at two servers on one storage", (first, second) => {
  it("ends at both when the membership of its maker ends at one, and makes none meanwhile (P865)", async () => {
    const { made, member, owner, workspace, first: token } = await scene(first)
    for (const one of made)
      assert.deepStrictEqual([await statusOf(first, one), await statusOf(second, one)], [200, 200])
    expectStatus(await owner.client.delete(`${people}/${member.id}`), 200)
    const late = await second
      .client(token.secret)
      .post<TokenWithSecretView>(tokens, { name: "late", scopes: ["distill:read"] })
    assert.strictEqual(late.status, 401)
    for (const one of made) {
      assert.strictEqual(await statusOf(first, one), 401)
      // Repeats until the cached credential expires.
      await eventually("the other server refuses it too", async () => (await statusOf(second, one)) === 401)
    }
    const { data } = expectStatus(await workspace.live.get<ListOf<TokenWithSecretView>>(tokens), 200)
    assert.notInclude(
      data.map((one) => one.name),
      "late"
    )
  })
})
