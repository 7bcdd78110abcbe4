/** One logical write per key (service-api 4.5; contract 10). */
import { createHash } from "node:crypto"
import { assert, it } from "@effect/vitest"
import type { Run } from "@limbeck/api/RunsApi"
import type { TokenWithSecret } from "@limbeck/api/TokensApi"
import type { Whoami } from "@limbeck/api/WhoamiApi"
import { createRun, dryRun, freshKey, ticketsVersion } from "@limbeck/testing/http/Steps"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { partitionOf } from "./support/Captured.ts"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage, type Workspace } from "./support/House.ts"

const datasets = "/v1/distill/datasets"
const day = 24 * 3_600_000
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
const json = { "content-type": "application/json" }

onEachStorage("an idempotency key", (house) => {
  const names = async ({ live }: Workspace) =>
    (await live.get<ListOf<{ readonly name: string }>>(datasets)).body.data.map(({ name }) => name)

  it("is required where a write costs", async () => {
    const { live } = await house.workspace()
    for (const path of ["/v1/distill/uploads", "/v1/distill/runs"]) {
      assertInvalid(await live.post(path, {}), "Idempotency-Key")
    }
    expectStatus(await live.post(datasets, { name: "without" }), 201)
  })

  it("is 1 to 255 visible ASCII characters, wherever it is honored", async () => {
    const { live } = await house.workspace()
    const named = (key: string) => live.post(datasets, { name: "keyed" }, { "idempotency-key": key })
    for (const key of ["", "a b", "a\tb", "é", "k".repeat(256)]) assertInvalid(await named(key), "Idempotency-Key")
    for (const key of ["k", "k".repeat(255), '!"#~{}[]']) expectStatus(await named(key), 201)
  })

  it("replays the first answer byte for byte, and says so", async () => {
    const workspace = await house.workspace()
    const key = freshKey()
    const first = await workspace.live.post(datasets, { name: "once" }, key)
    assert.isNull(first.headers.get("idempotent-replayed"))
    const again = await workspace.live.post(datasets, { name: "once" }, key)
    assert.deepStrictEqual([again.status, again.text], [201, first.text])
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    assert.strictEqual(again.headers.get("content-type"), first.headers.get("content-type"))
    assert.notStrictEqual(again.headers.get("x-request-id"), first.headers.get("x-request-id"))
    assert.deepStrictEqual(await names(workspace), ["once"])
  })

  /** Gives the record of a key the fingerprint that a server before would have stored. */
  const rewrite = (workspace: Workspace, key: string, fingerprint: string) =>
    house.withStored(({ keys }) =>
      Effect.gen(function* () {
        const partition = partitionOf(workspace)
        const record = Option.getOrThrow(yield* keys.find(partition, key))
        yield* keys.exclusively(partition, key, keys.record(partition, { ...record, fingerprint }))
      })
    )

  it("replays what servers before this version stored, whatever form they gave its fingerprint (P942)", async () => {
    const workspace = await house.workspace()
    const head = `POST\n${datasets}\n2026-11-01\n`
    for (const fingerprint of [sha256(`${head}{"name":"once"}`), sha256(`${head}\n{"name":"once"}`)]) {
      const key = freshKey()
      const first = await workspace.live.post(datasets, { name: "once" }, key)
      await rewrite(workspace, key["idempotency-key"], fingerprint)
      const again = await workspace.live.post(datasets, { name: "once" }, key)
      assert.deepStrictEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"])
      assertRefused(await workspace.live.post(datasets, { name: "b" }, key), 409, "idempotency_key_reused")
    }
  })

  it("replays a secret of a version before to its maker alone (P942)", async () => {
    const workspace = await house.workspace()
    const { id } = expectStatus(await workspace.live.get<typeof Whoami.Type>("/v1/whoami"), 200).credential
    const body = { name: "a", scopes: ["full_access"] }
    const key = freshKey()
    const post = (caller: Client) => caller.post<typeof TokenWithSecret.Type>("/v1/tokens", body, key)
    const first = await post(workspace.live)
    const other = house.client(expectStatus(first, 201).secret)
    const sent = JSON.stringify(body)
    await rewrite(workspace, key["idempotency-key"], sha256(`POST\n/v1/tokens\n2026-11-01\n${id}\n${sent}`))
    assert.strictEqual((await post(workspace.live)).text, first.text)
    assertRefused(await post(other), 409, "idempotency_key_reused")
    // Form 1 did not include the maker.
    await rewrite(workspace, key["idempotency-key"], sha256(`POST\n/v1/tokens\n2026-11-01\n${sent}`))
    for (const caller of [workspace.live, other]) assertRefused(await post(caller), 409, "idempotency_key_reused")
  })

  it("is refused with other bytes, also where they mean the same", async () => {
    const { live } = await house.workspace()
    const key = freshKey()
    const send = (body: string) => live.send("POST", datasets, { body, headers: { ...json, ...key } })
    expectStatus(await send('{"name":"a"}'), 201)
    for (const body of ['{"name":"b"}', '{"name": "a"}', '{"name":"a"}\n', ""]) {
      assertRefused(await send(body), 409, "idempotency_key_reused")
    }
  })

  it("is refused on another path", async () => {
    const { live } = await house.workspace()
    const key = freshKey()
    const dataset = expectStatus(await live.post<{ readonly id: string }>(datasets, { name: "a" }, key), 201)
    assertRefused(await live.post("/v1/tokens", { name: "a" }, key), 409, "idempotency_key_reused")
    const versions = await live.post(`${datasets}/${dataset.id}/versions`, { name: "a" }, key)
    assertRefused(versions, 409, "idempotency_key_reused")
  })

  it("belongs to one workspace and one mode", async () => {
    const [one, other] = [await house.workspace(), await house.workspace()]
    const key = freshKey()
    const answers = await Promise.all(
      [one.live, one.test, other.live].map((caller) =>
        caller.post<{ readonly id: string }>(datasets, { name: "a" }, key)
      )
    )
    assert.strictEqual(new Set(answers.map((answer) => expectStatus(answer, 201).id)).size, 3)
  })

  it("outlives its token, and is honored for any token of the partition", async () => {
    const { live } = await house.workspace()
    const made = await live.post<typeof TokenWithSecret.Type>("/v1/tokens", { name: "a", scopes: ["distill:write"] })
    const key = freshKey()
    const first = await live.post(datasets, { name: "a" }, key)
    const again = await house.client(expectStatus(made, 201).secret).post(datasets, { name: "a" }, key)
    assert.deepStrictEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"])
  })

  it("replays to nobody who lacks the scope", async () => {
    const { live } = await house.workspace()
    const made = await live.post<typeof TokenWithSecret.Type>("/v1/tokens", { name: "a", scopes: ["distill:read"] })
    const key = freshKey()
    await live.post(datasets, { name: "a" }, key)
    const answer = await house.client(expectStatus(made, 201).secret).post(datasets, { name: "a" }, key)
    assertRefused(answer, 403, "permission_error")
  })

  it("is free again after a failed operation", async () => {
    const workspace = await house.workspace()
    const key = freshKey()
    assertInvalid(await workspace.live.post(datasets, { nam: "a" }, key), "nam")
    assertInvalid(await workspace.live.post(datasets, {}, key), "name")
    expectStatus(await workspace.live.post(datasets, { name: "at last" }, key), 201)
    assert.deepStrictEqual(await names(workspace), ["at last"])
  })

  it("is held for 24 hours, and then forgotten", async () => {
    const { live } = await house.workspace()
    const key = freshKey()
    const post = (name: string) => live.post<{ readonly id: string }>(datasets, { name }, key)
    const first = expectStatus(await post("a"), 201)
    house.passTime(day - 5_000)
    assert.strictEqual(expectStatus(await post("a"), 201).id, first.id)
    house.passTime(5_000)
    expectStatus(await post("b"), 201)
  })

  it("makes one run of forty clients who all ask at once", async () => {
    const { live } = await house.workspace()
    const body = dryRun((await ticketsVersion(live)).id)
    const key = freshKey()
    const answers = await Promise.all(Array.from({ length: 40 }, () => createRun(live, body, key)))
    for (const answer of answers) {
      if (answer.status !== 201) assertRefused(answer, 409, "idempotency_key_in_flight")
    }
    const ids = new Set(answers.filter(({ status }) => status === 201).map((answer) => answer.body.id))
    assert.strictEqual(ids.size, 1)
    const { data } = expectStatus(await live.get<ListOf<typeof Run.Type>>("/v1/distill/runs"), 200)
    assert.deepStrictEqual(
      data.map(({ id }) => id),
      [...ids]
    )
    const created = await live.get<ListOf<unknown>>("/v1/events?type=distill.run.created")
    assert.strictEqual(created.body.data.length, 1)
  })

  it("is honored by actions too", async () => {
    const { live } = await house.workspace()
    const { id } = expectStatus(await createRun(live, dryRun((await ticketsVersion(live)).id)), 201)
    const key = freshKey()
    const cancel = () => live.post<typeof Run.Type>(`/v1/distill/runs/${id}/cancel`, {}, key)
    const first = await cancel()
    if (first.status === 200) assert.strictEqual((await cancel()).text, first.text)
    assertRefused(await live.post(`/v1/distill/runs/${id}/cancel`), 409, "conflict_error")
  })
})
