/** Tokens: their form, their makers, and their end (contract 2, 14.1, 14.3). */
import { crc32 } from "node:zlib"
import { assert, it } from "@effect/vitest"
import type { Token, TokenDeleted, TokenWithSecret } from "@limbeck/api/TokensApi"
import type { Whoami } from "@limbeck/api/WhoamiApi"
import { toIso } from "@limbeck/core/time/Timestamp"
import { freshKey, readUntil } from "@limbeck/testing/http/Steps"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

type TokenView = typeof Token.Type
type TokenWithSecretView = typeof TokenWithSecret.Type

const tokens = "/v1/tokens"
const second = 1_000
const day = 24 * 3_600 * second

const mint = async (caller: Client, fields: Readonly<Record<string, unknown>> = {}) =>
  expectStatus(await caller.post<TokenWithSecretView>(tokens, { name: "app", scopes: ["events:read"], ...fields }), 201)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const inBase62 = (value: number): string => (value === 0 ? "" : inBase62(Math.floor(value / 62)) + base62[value % 62])

onEachStorage("tokens", (house) => {
  const works = async ({ secret }: TokenWithSecretView) => (await house.client(secret).get("/v1/whoami")).status === 200

  it("whoami tells workspace, credential, mode and version", async () => {
    const { id, live } = await house.workspace()
    const { id: tokenId, secret } = await mint(live, { name: "runner", scopes: ["distill:read", "distill:write"] })
    const who = expectStatus(await house.client(secret).get<typeof Whoami.Type>("/v1/whoami"), 200)
    assert.deepInclude(who, { object: "whoami", livemode: true, api_version: "2026-11-01" })
    assert.deepInclude(who.workspace, { id, plan: "self_hosted" })
    const scopes = ["distill:read", "distill:write"]
    const credential = { type: "api_token", id: tokenId, name: "runner", environment: "live", scopes } as const
    assert.deepStrictEqual(who.credential, credential)
  })

  it("a token that was used says when", async () => {
    const { test } = await house.workspace()
    const token = await mint(test)
    await works(token)
    const used = await readUntil(
      () => test.get<TokenView>(`${tokens}/${token.id}`),
      ({ last_used_at }) => last_used_at !== null
    )
    assert.match(used.last_used_at ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it("a new token says all about itself, and its secret checks itself", async () => {
    const { test } = await house.workspace()
    const maker = expectStatus(await test.get<typeof Whoami.Type>("/v1/whoami"), 200).credential.id
    const { secret, ...token } = await mint(test)
    assert.match(token.id, /^tok_[0-9a-hjkmnp-tv-z]{26}$/)
    assert.match(token.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const { created_at: _created, id: _id, ...rest } = token
    assert.deepStrictEqual(rest, {
      object: "api_token",
      name: "app",
      environment: "test",
      scopes: ["events:read"],
      livemode: false,
      status: "active",
      last_used_at: null,
      expires_at: null,
      limits: null,
      created_by: { kind: "token", id: maker }
    })
    assert.match(secret, /^svc_test_[0-9A-Za-z]{49}$/)
    assert.strictEqual(secret.slice(-6), inBase62(crc32(secret.slice(0, -6))).padStart(6, "0"))
    assert.deepStrictEqual(expectStatus(await test.get<TokenView>(`${tokens}/${token.id}`), 200), token)
    const { data } = expectStatus(await test.get<ListOf<TokenView>>(tokens), 200)
    assert.deepStrictEqual(data[0], token)
    assert.deepStrictEqual(
      data.map(({ name }) => name),
      ["app", "bootstrap"]
    )
  })

  it("a live token may mint a test one, and a test token no live one", async () => {
    const { live, test } = await house.workspace()
    const { environment, livemode, secret } = await mint(live, { environment: "test" })
    assert.deepStrictEqual([environment, livemode, secret.slice(0, 9)], ["test", false, "svc_test_"])
    const answer = await test.post(tokens, { name: "a", scopes: ["events:read"], environment: "live" })
    assertRefused(answer, 403, "permission_error", "environment")
  })

  it("a token cannot grant a scope that it lacks", async () => {
    const { live } = await house.workspace()
    const { secret } = await mint(live, { scopes: ["tokens:write", "events:read"] })
    const limited = house.client(secret)
    await mint(limited, { scopes: ["events:read", "tokens:write"] })
    for (const scopes of [
      ["events:read", "full_access"],
      ["events:read", "distill:read"]
    ]) {
      const answer = await limited.post(tokens, { name: "a", scopes })
      assertRefused(answer, 403, "permission_error", "scopes[1]")
    }
  })

  it("what is wrong with a request is named", async () => {
    const { live } = await house.workspace()
    const cases = [
      [{ scopes: ["events:read"] }, "name"],
      [{ name: "a" }, "scopes"],
      [{ name: "a", scopes: [] }, "scopes"],
      [{ name: "a", scopes: ["events:read", "events:admin"] }, "scopes[1]"],
      [{ name: "a", scopes: ["events:read"], environment: "sandbox" }, "environment"],
      [{ name: "a", scopes: ["events:read"], expires_at: "tomorrow" }, "expires_at"],
      [{ name: "a", scopes: ["events:read"], expires_at: "2020-01-01T00:00:00.000Z" }, "expires_at"],
      [{ name: "a", scopes: ["events:read"], livemode: true }, "livemode"]
    ] as const
    for (const [body, param] of cases) assertInvalid(await live.post(tokens, body), param)
  })

  it("a token ends at its expiry, and still reads as expired", async () => {
    const { live } = await house.workspace()
    const at = house.now() + 60 * second
    const token = await mint(live, { expires_at: toIso(at) })
    assert.strictEqual(token.expires_at, toIso(at))
    assert.isTrue(await works(token))
    house.passTime(60 * second)
    assertRefused(await house.client(token.secret).get("/v1/whoami"), 401, "authentication_error")
    assert.strictEqual((await live.get<TokenView>(`${tokens}/${token.id}`)).body.status, "expired")
  })

  it("a deleted token dies at once, and still reads as disabled", async () => {
    const { live } = await house.workspace()
    const token = await mint(live)
    const deleted = expectStatus(await live.delete<typeof TokenDeleted.Type>(`${tokens}/${token.id}`), 200)
    assert.deepStrictEqual(deleted, { id: token.id, object: "api_token", deleted: true })
    assert.isFalse(await works(token))
    assert.strictEqual((await live.get<TokenView>(`${tokens}/${token.id}`)).body.status, "disabled")
  })

  it("a rotated token is replaced at once by one with another id", async () => {
    const { live } = await house.workspace()
    const old = await mint(live, { name: "rotated", scopes: ["events:read", "webhooks:read"] })
    const fresh = expectStatus(await live.post<TokenWithSecretView>(`${tokens}/${old.id}/rotate`), 200)
    assert.notStrictEqual(fresh.id, old.id)
    assert.deepInclude(fresh, { name: "rotated", scopes: ["events:read", "webhooks:read"], status: "active" })
    assert.deepStrictEqual([await works(old), await works(fresh)], [false, true])
    assertRefused(await live.post(`${tokens}/${old.id}/rotate`, {}), 409, "conflict_error")
  })

  it("both tokens work during the overlap of a rotation, of at most seven days", async () => {
    const { live } = await house.workspace()
    const old = await mint(live)
    const rotate = (seconds: unknown) =>
      live.post<TokenWithSecretView>(`${tokens}/${old.id}/rotate`, { expires_in_seconds: seconds })
    for (const seconds of [7 * 24 * 3_600 + 1, -1, 1.5, "60"])
      assertInvalid(await rotate(seconds), "expires_in_seconds")
    const fresh = expectStatus(await rotate(7 * 24 * 3_600), 200)
    assert.deepStrictEqual([await works(old), await works(fresh)], [true, true])
    house.passTime(7 * day)
    assert.deepStrictEqual([await works(old), await works(fresh)], [false, true])
  })

  it("of many who rotate one token at once, one gets its successor (P108)", async () => {
    const { live } = await house.workspace()
    const old = await mint(live)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => live.post<TokenWithSecretView>(`${tokens}/${old.id}/rotate`))
    )
    assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, ...Array<number>(7).fill(409)])
    const all = expectStatus(await live.get<ListOf<TokenView>>(tokens), 200).data.filter(
      ({ name }) => name === old.name
    )
    assert.lengthOf(all, 2)
  })

  it("a token that rotates itself gets its successor", async () => {
    const { live } = await house.workspace()
    const old = await mint(live, { scopes: ["tokens:write"] })
    const fresh = await house.client(old.secret).post<TokenWithSecretView>(`${tokens}/${old.id}/rotate`)
    assert.isTrue(await works(expectStatus(fresh, 200)))
  })

  it("a token that expires makes none that lives longer, and rotates none (P117)", async () => {
    const { live } = await house.workspace()
    const [soon, later] = [house.now() + 60 * second, house.now() + 120 * second].map(toIso)
    const scopes = ["tokens:write", "events:read"]
    const expiring = house.client((await mint(live, { scopes, expires_at: soon })).secret)
    for (const expires_at of [later, null, undefined]) {
      const answer = await expiring.post(tokens, { name: "a", scopes, expires_at })
      assertRefused(answer, 403, "permission_error", "expires_at")
    }
    assert.strictEqual((await mint(expiring, { expires_at: soon })).expires_at, soon)
    for (const longer of [await mint(live), await mint(live, { expires_at: later })]) {
      assertRefused(await expiring.post(`${tokens}/${longer.id}/rotate`), 403, "permission_error", "expires_at")
    }
    await mint(live, { expires_at: later })
  })

  it("the successor of a token that expires does so at the same time (P117)", async () => {
    const { live } = await house.workspace()
    const expires_at = toIso(house.now() + 60 * second)
    for (const body of [{}, { expires_in_seconds: 3_600 }]) {
      const old = await mint(live, { scopes: ["tokens:write"], expires_at })
      const fresh = await house.client(old.secret).post<TokenWithSecretView>(`${tokens}/${old.id}/rotate`, body)
      assert.strictEqual(expectStatus(fresh, 200).expires_at, expires_at)
    }
  })

  it("a replay shows the secret to the token that made the request, and to no other one of the workspace (P117)", async () => {
    const { live } = await house.workspace()
    const weak = await mint(live, { scopes: ["tokens:write"] })
    const body = { name: "admin", scopes: ["full_access"] }
    const key = freshKey()
    expectStatus(await live.post<TokenWithSecretView>(tokens, body, key), 201)
    assertRefused(await house.client(weak.secret).post(tokens, body, key), 409, "idempotency_key_reused")
    const reader = await mint(live, { scopes: ["tokens:read"] })
    assertRefused(await house.client(reader.secret).post(tokens, body, key), 403, "permission_error")
    expectStatus(await live.post<TokenWithSecretView>(tokens, body, key), 201)
    const strong = await mint(live, { scopes: ["full_access"] })
    assertRefused(await house.client(strong.secret).post(tokens, body, key), 409, "idempotency_key_reused")
  })

  it("a replay shows the secret again, and makes nothing", async () => {
    const { live } = await house.workspace()
    const body = { name: "once", scopes: ["events:read"] }
    const key = freshKey()
    const first = await live.post<TokenWithSecretView>(tokens, body, key)
    const again = await live.post<TokenWithSecretView>(tokens, body, key)
    assert.deepStrictEqual([again.status, again.text], [201, first.text])
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    const { data } = expectStatus(await live.get<ListOf<TokenView>>(tokens), 200)
    assert.strictEqual(data.filter(({ name }) => name === "once").length, 1)
  })
})
