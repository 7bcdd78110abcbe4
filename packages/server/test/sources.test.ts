/** Sources and the catalog (contract 4, 7, 14.25). */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { CatalogModel } from "@limbeck/api/SourcesApi"
import { body, create, type SourceView, sources, type VerificationView } from "@limbeck/testing/http/SourceSteps"
import { freshKey } from "@limbeck/testing/http/Steps"
import { key, Models } from "@limbeck/testing/upstream/Models"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import * as Elapsed from "./support/Elapsed.ts"
import { onEachStorage } from "./support/House.ts"

const defaultsOf = async (caller: Client) =>
  expectStatus(await caller.get<ListOf<SourceView>>(sources), 200)
    .data.filter((source) => source.default)
    .map(({ id }) => id)

onEachStorage("sources", (house) => {
  it("a source says all about itself but its key", async () => {
    const { live, test } = await house.operator()
    const models = ["gpt", { id: "mini", input_per_million: 0.15, output_per_million: 0.6 }]
    const capture = { enabled: false, sample_rate: 0.25, durability: "buffered" }
    const given = { name: "openai", kind: "managed", timeout_ms: 30_000, default: true, models, capture }
    const made = await create(live, given)
    assert.match(made.id, /^src_[0-9a-hjkmnp-tv-z]{26}$/)
    const told = { object: "source", livemode: true, base_url: "https://upstream.example/v1", api_key_last4: "cdef" }
    assert.deepInclude<object>(made, { ...told, ...given })
    assert.notProperty(made, "api_key")
    assert.deepStrictEqual(expectStatus(await live.get<SourceView>(`${sources}/${made.id}`), 200), made)
    assertRefused(await test.get(`${sources}/${made.id}`), 404, "not_found_error")
  })

  it("what is not said has a default", async () => {
    const { test } = await house.workspace()
    const made = await create(test, { api_key: undefined })
    const capture = { enabled: true, sample_rate: 1, durability: "journal" }
    assert.deepInclude(made, { livemode: false, default: false, timeout_ms: 600_000, models: [], api_key_last4: null })
    assert.deepStrictEqual<unknown>(made.capture, capture)
    assert.deepStrictEqual<unknown>((await create(test, { capture: { sample_rate: 0.5 } })).capture, {
      ...capture,
      sample_rate: 0.5
    })
    assert.isNull((await create(test, { api_key: "short" })).api_key_last4)
    assert.strictEqual((await create(test, { base_url: "https://a.example/v1/" })).base_url, "https://a.example/v1")
  })

  it("the key is in no answer, event or list (P58)", async () => {
    const { live } = await house.workspace()
    const keyed = freshKey()
    const request = body()
    const texts: Array<string> = []
    for (let sent = 0; sent < 2; sent++) texts.push((await live.post(sources, request, keyed)).text)
    const { id } = JSON.parse(texts[0] ?? "")
    assert.strictEqual(texts[0], texts[1])
    texts.push((await live.patch(`${sources}/${id}`, { api_key: `${key}x` })).text)
    texts.push((await live.patch(`${sources}/${id}`, { api_key: `${key} x` })).text)
    for (const path of [sources, `${sources}/${id}`, "/v1/events"]) texts.push((await live.get(path)).text)
    texts.push((await live.delete(`${sources}/${id}`)).text)
    for (const text of texts) assert.notInclude(text, key)
  })

  it("a body that breaks a rule is refused by the path of its first such field", async () => {
    const { live } = await house.workspace()
    const refused: ReadonlyArray<readonly [fields: Readonly<Record<string, unknown>>, param: string]> = [
      [{ name: undefined }, "name"],
      [{ name: "" }, "name"],
      [{ name: "Open AI" }, "name"],
      [{ name: "a".repeat(65) }, "name"],
      [{ name: "src_00000000000000000000000000" }, "name"],
      [{ kind: undefined }, "kind"],
      [{ kind: "own" }, "kind"],
      [{ base_url: undefined }, "base_url"],
      [{ base_url: "upstream" }, "base_url"],
      [{ base_url: "ftp://upstream.example/v1" }, "base_url"],
      [{ base_url: "http://upstream.example/v1" }, "base_url"],
      [{ base_url: "http://127.0.0.1/v1" }, "base_url"],
      [{ base_url: "https://me:word@upstream.example/v1" }, "base_url"],
      [{ base_url: "https://upstream.example/v1?a=b" }, "base_url"],
      [{ base_url: "https://upstream.example/ v1" }, "base_url"],
      [{ base_url: `https://upstream.example/${"a".repeat(2_048)}` }, "base_url"],
      [{ api_key: "" }, "api_key"],
      [{ api_key: "two words" }, "api_key"],
      [{ api_key: "line\n" }, "api_key"],
      [{ api_key: 5 }, "api_key"],
      [{ default: "yes" }, "default"],
      [{ timeout_ms: 0 }, "timeout_ms"],
      [{ timeout_ms: 1.5 }, "timeout_ms"],
      [{ timeout_ms: 3_600_001 }, "timeout_ms"],
      [{ capture: true }, "capture"],
      [{ capture: { enabled: "no" } }, "capture.enabled"],
      [{ capture: { sample_rate: 1.1 } }, "capture.sample_rate"],
      [{ capture: { durability: "disk" } }, "capture.durability"],
      [{ capture: { rate: 1 } }, "capture.rate"],
      [{ models: "gpt" }, "models"],
      [{ models: [5] }, "models[0]"],
      [{ models: ["gpt", ""] }, "models[1]"],
      [{ models: ["gpt", { id: "gpt" }] }, "models[1]"],
      [{ models: [{ id: "gpt", input_per_million: -1 }] }, "models[0].input_per_million"],
      [{ models: [{ id: "gpt", output_per_million: 0.0000001 }] }, "models[0].output_per_million"],
      [{ models: [{ id: "gpt", price: 1 }] }, "models[0].price"],
      [{ timeout: 5 }, "timeout"]
    ]
    for (const [fields, param] of refused) {
      const answer = await live.post(sources, body(fields))
      assert.strictEqual(answer.status, 400, `${param} ${JSON.stringify(fields)} ${answer.text}`)
      assertInvalid(answer, param)
    }
    assert.isEmpty(expectStatus(await live.get<ListOf<SourceView>>(sources), 200).data)
  })

  it("a name is one source's, in its mode", async () => {
    const { live, test } = await house.workspace()
    const { id } = await create(live, { name: "openai" })
    await create(test, { name: "openai" })
    const { id: other } = await create(live, { name: "other" })
    assertRefused(await live.post(sources, body({ name: "openai" })), 409, "conflict_error", "name")
    assertRefused(await live.patch(`${sources}/${other}`, { name: "openai" }), 409, "conflict_error", "name")
    expectStatus(await live.patch(`${sources}/${id}`, { name: "openai" }), 200)
    expectStatus(await live.delete(`${sources}/${id}`), 200)
    expectStatus(await live.patch(`${sources}/${other}`, { name: "openai" }), 200)
  })

  it("a change changes what it names, and nothing else", async () => {
    const { live } = await house.workspace()
    const before = await create(live, { models: ["gpt"] })
    const path = `${sources}/${before.id}`
    const changes = [
      [{ name: `${before.name}-2` }, {}],
      [{ base_url: `${new URL(before.base_url).origin}/other/v1` }, {}],
      [{ base_url: "https://other.example/v1", api_key: `${key}wxyz` }, { api_key_last4: "wxyz" }],
      [{ api_key: null }, { api_key_last4: null }],
      [{ base_url: "https://third.example/v1" }, {}],
      [{ timeout_ms: 5 }, {}],
      [{ models: [] }, {}],
      [{ capture: { enabled: false } }, { capture: { ...before.capture, enabled: false } }],
      [{ default: true }, {}],
      [{}, {}]
    ] as const
    let now = before
    for (const [fields, shown] of changes) {
      const { api_key: _, ...plain } = { api_key: undefined, ...fields }
      const changed = expectStatus(await live.patch<SourceView>(path, fields), 200)
      assert.deepStrictEqual({ ...changed, updated_at: "" }, { ...now, ...plain, ...shown, updated_at: "" })
      now = changed
    }
    assertInvalid(await live.patch(path, { timeout_ms: 7, base_url: "nowhere" }), "base_url")
    assertInvalid(await live.patch(path, { kind: "managed" }), "kind")
    assert.deepStrictEqual(expectStatus(await live.get<SourceView>(path), 200), now)
  })

  it("a key that is kept is lent to no other origin (P94)", async () => {
    const { live } = await house.workspace()
    const before = await create(live)
    const path = `${sources}/${before.id}`
    assertInvalid(await live.patch(path, { base_url: "https://other.example/v1" }), "api_key")
    assert.deepStrictEqual(expectStatus(await live.get<SourceView>(path), 200), before)
    const moved = { base_url: "https://other.example/v1", api_key: null }
    assert.deepInclude(expectStatus(await live.patch<SourceView>(path, moved), 200), { base_url: moved.base_url })
  })

  it("one source is the default, however many are made so at once (P58)", async () => {
    const { live, test } = await house.workspace()
    const first = await create(live, { default: true })
    const inTest = await create(test, { default: true })
    const second = await create(live)
    assert.deepStrictEqual(await defaultsOf(live), [first.id])
    expectStatus(await live.patch(`${sources}/${second.id}`, { default: true }), 200)
    assert.deepStrictEqual(await defaultsOf(live), [second.id])
    await live.patch(`${sources}/${first.id}`, { default: false })
    assert.deepStrictEqual(await defaultsOf(live), [second.id])
    const crowd = await Promise.all(Array.from({ length: 8 }, () => create(live, { default: true })))
    const [winner, ...others] = await defaultsOf(live)
    assert.include(
      crowd.map(({ id }) => id),
      winner
    )
    assert.isEmpty(others)
    expectStatus(await live.delete(`${sources}/${winner}`), 200)
    assert.isEmpty(await defaultsOf(live))
    assert.deepStrictEqual(await defaultsOf(test), [inTest.id])
    expectStatus(await test.patch(`${sources}/${inTest.id}`, { default: false }), 200)
    assert.isEmpty(await defaultsOf(test))
  })

  it("changes that meet are all made (P97)", async () => {
    const { live } = await house.workspace()
    const { id } = await create(live)
    const changes = [
      { timeout_ms: 7 },
      { models: ["gpt"] },
      { capture: { enabled: false, sample_rate: 1, durability: "journal" } },
      { default: true }
    ]
    const answers = await Promise.all(changes.map((fields) => live.patch(`${sources}/${id}`, fields)))
    for (const answer of answers) expectStatus(answer, 200)
    assert.deepInclude((await live.get<SourceView>(`${sources}/${id}`)).body, Object.assign({}, ...changes))
  })

  it("one key makes one source, and a deleted one is a 404", async () => {
    const { live } = await house.workspace()
    const keyed = freshKey()
    const request = body()
    const first = expectStatus(await live.post<SourceView>(sources, request, keyed), 201)
    const again = await live.post<SourceView>(sources, request, keyed)
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    assert.deepStrictEqual(again.body, first)
    const path = `${sources}/${first.id}`
    const deleted = expectStatus(await live.delete(path), 200)
    assert.deepStrictEqual<unknown>(deleted, { id: first.id, object: "source", deleted: true })
    for (const answer of [
      await live.get(path),
      await live.patch(path, { timeout_ms: 5 }),
      await live.delete(path),
      await live.post(`${path}/verify`)
    ]) {
      assertRefused(answer, 404, "not_found_error")
    }
  })
})

describe("an upstream", () => {
  const upstream = new Models()
  beforeAll(() => upstream.open())
  afterAll(() => upstream.close())
  const verify = async (caller: Client, id: string, headers = {}) =>
    expectStatus(await caller.post<VerificationView>(`${sources}/${id}/verify`, undefined, headers), 200)

  onEachStorage("verified", (house) => {
    it("that takes the key is as it should be, and is asked once per idempotency key", async () => {
      const { test } = await house.workspace()
      const base_url = upstream.speaking("hello")
      const { id } = await create(test, { base_url })
      const keyed = freshKey()
      const assertElapsed = Elapsed.begin()
      const verified = await verify(test, id, keyed)
      const { duration_ms, ...rest } = verified
      assertElapsed(duration_ms)
      const found = { ok: true, reason: null, status_code: 200, models: ["gpt", "mini"] }
      assert.deepStrictEqual<unknown>(rest, { object: "source_verification", source: id, livemode: false, ...found })
      assert.deepStrictEqual(await verify(test, id, keyed), verified)
      const [asked, ...others] = upstream.at(base_url)
      assert.isEmpty(others)
      assert.deepInclude(asked, { method: "GET", body: "" })
      assert.strictEqual(asked?.headers.authorization, `Bearer ${key}`)
    })

    it("that is not as it should be says why, in a 200 without the key", async () => {
      const { live, test } = await house.workspace()
      const answering = (status: number, text: string) =>
        upstream.base((_, response) => void response.writeHead(status).end(text))
      const cases = [
        [{ base_url: upstream.speaking("hello"), api_key: "another-key-1" }, "unauthorized", 401],
        [{ base_url: answering(403, "") }, "unauthorized", 403],
        [{ base_url: answering(404, "") }, "unexpected_status", 404],
        [{ base_url: answering(500, "") }, "unexpected_status", 500],
        [{ base_url: answering(200, "<html>") }, "invalid_answer", 200],
        [{ base_url: answering(200, '{"data": {}}') }, "invalid_answer", 200],
        [{ base_url: upstream.base(() => {}), timeout_ms: 50 }, "no_answer", null],
        [{ base_url: "https://169.254.169.254/v1" }, "blocked_address", null],
        [{ base_url: "https://10.0.0.1/v1" }, "blocked_address", null]
      ] as const
      for (const [fields, reason, status_code] of cases) {
        const verified = await verify(test, (await create(test, fields)).id)
        assert.deepInclude(verified, { ok: false, reason, status_code, models: [] })
        assert.notInclude(JSON.stringify(verified), key)
      }
      const local = await create(live, { base_url: "https://127.0.0.1/v1" })
      assert.deepInclude(await verify(live, local.id), { ok: false, reason: "blocked_address" })
    })
  })

  onEachStorage(
    "that the operator lets through",
    (house) => {
      it("may be plain http in live mode, by its address and not by a name", async () => {
        const { live } = await house.workspace()
        const { id } = await create(live, { base_url: upstream.speaking("hello") })
        assert.deepInclude((await live.post<VerificationView>(`${sources}/${id}/verify`)).body, {
          ok: true,
          livemode: true
        })
        for (const host of ["[::1]", "10.0.0.1", "upstream.example", "8.8.8.8"]) {
          assertInvalid(await live.post(sources, body({ base_url: `http://${host}/v1` })), "base_url")
        }
      })

      it("says why no answer came to its verification in live mode", async () => {
        const { live } = await house.workspace()
        const cases = [
          [{ base_url: upstream.base(() => {}), timeout_ms: 50 }, "timeout"],
          [{ base_url: upstream.base((request) => void request.socket.destroy()) }, "connection_reset"],
          [{ base_url: Models.closed }, "connection_refused"]
        ] as const
        for (const [fields, reason] of cases) {
          assert.deepInclude(await verify(live, (await create(live, fields)).id), { ok: false, reason })
        }
      })
    },
    { egressAllow: ["127.0.0.0/8"] }
  )

  onEachStorage("in the catalog", (house) => {
    const catalogOf = (caller: Client) => caller.get<ListOf<typeof CatalogModel.Type>>("/v1/models")

    it("are the models of managed sources (those that they name, else those of their upstream), then those that others name", async () => {
      const { test } = await house.operator()
      assert.deepStrictEqual(expectStatus(await catalogOf(test), 200), { data: [], has_more: false, next_cursor: null })
      const own = await create(test, { base_url: Models.closed, models: ["mine"] })
      const priced = { id: "big", input_per_million: 2.5, output_per_million: 10 }
      const named = await create(test, { kind: "managed", base_url: Models.closed, models: ["small", priced] })
      const listed = await create(test, { kind: "managed", base_url: upstream.speaking("hello") })
      const entry = (source: SourceView, id: string, input: number | null = null, output: number | null = null) => ({
        id,
        object: "model",
        livemode: false,
        source: source.id,
        source_name: source.name,
        input_per_million: input,
        output_per_million: output,
        cached_input_per_million: input,
        cache_write_per_million: input,
        cache_write_1h_per_million: input === null ? null : input * 1.6,
        tiers: {},
        price_from: input === null ? "none" : "source"
      })
      assert.deepStrictEqual<unknown>(expectStatus(await catalogOf(test), 200).data, [
        entry(named, "small"),
        entry(named, "big", 2.5, 10),
        entry(listed, "gpt"),
        entry(listed, "mini"),
        entry(own, "mine")
      ])
    })

    it("is read from an upstream once a minute, and outlives it; one that was never read is a 503", async () => {
      const { test } = await house.workspace()
      let answers = true
      const base_url = upstream.base(
        (_, response) => void response.writeHead(answers ? 200 : 500).end('{"data":[{"id":"a"}]}')
      )
      await create(test, { kind: "managed", base_url })
      for (let read = 0; read < 3; read++) assert.lengthOf(expectStatus(await catalogOf(test), 200).data, 1)
      assert.lengthOf(upstream.at(base_url), 1)
      answers = false
      house.passTime(61_000)
      assert.lengthOf(expectStatus(await catalogOf(test), 200).data, 1)
      assert.lengthOf(upstream.at(base_url), 2)
      await create(test, { kind: "managed", base_url: Models.closed })
      assertRefused(await catalogOf(test), 503, "catalog_unavailable")
    })
  })
})
