/** Rewards (contract 4, 6, 14.19). */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Reward, RewardCreated, Score } from "@limbeck/api/RewardsApi"
import { createRun, dryRun, freshKey, ticketsVersion } from "@limbeck/testing/http/Steps"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onPostgres } from "./support/House.ts"
import { Receiver } from "./support/Receiver.ts"

const path = "/v1/distill/rewards"
type RewardCreatedView = typeof RewardCreated.Type

const create = (caller: Client, kind: string, config: unknown, headers = {}) =>
  caller.post<RewardCreatedView>(path, { name: "mine", kind, ...(config === undefined ? {} : { config }) }, headers)

const made = async (caller: Client, kind: string, config?: unknown) =>
  expectStatus(await create(caller, kind, config), 201)

const row = { messages: [{ role: "user", content: "The capital of France?" }], completion: "Paris" }

const score = (caller: Client, id: string, completion: unknown, asked: unknown = row) =>
  caller.post<typeof Score.Type>(`${path}/${id}/score`, { row: asked, completion })

const judge = { rubric: "Is it right?", model: "gpt", scale: { min: 1, max: 5 } }

onPostgres("rewards", (house) => {
  it("a reward says all about itself, whatever its kind", async () => {
    const { live, test } = await house.workspace()
    const kinds = [
      ["exact_match", {}],
      ["contains", { value: "Paris" }],
      ["contains", {}],
      ["regex", { pattern: "^P" }],
      ["json_schema", { schema: { type: "object", properties: { a: { enum: [1, null] } } } }],
      ["numeric", { tolerance: 0 }],
      ["llm_judge", judge],
      ["http", { url: "https://scorer.example/score?a=1" }]
    ] as const
    for (const [kind, config] of kinds) {
      const { secret, ...reward } = await made(live, kind, config)
      assert.match(reward.id, /^rwd_[0-9a-hjkmnp-tv-z]{26}$/)
      assert.deepInclude(reward, { object: "reward", livemode: true, name: "mine", kind })
      assert.deepStrictEqual<unknown>(reward.config, config)
      assert.strictEqual(secret !== undefined, kind === "http")
      const read = expectStatus(await live.get<typeof Reward.Type>(`${path}/${reward.id}`), 200)
      assert.deepStrictEqual<unknown>(read, reward)
      assertRefused(await test.get(`${path}/${reward.id}`), 404, "not_found_error")
    }
    assert.deepStrictEqual<unknown>((await made(test, "exact_match")).config, {})
    assert.isFalse((await made(test, "contains")).livemode)
  })

  it("are listed newest first, page by page, each mode its own", async () => {
    const { live, test } = await house.workspace()
    const ids: Array<string> = []
    for (const tolerance of [1, 2, 3]) ids.unshift((await made(live, "numeric", { tolerance })).id)
    await made(test, "exact_match")
    const first = expectStatus(await live.get<ListOf<typeof Reward.Type>>(`${path}?limit=2`), 200)
    assert.isTrue(first.has_more)
    const rest = expectStatus(
      await live.get<ListOf<typeof Reward.Type>>(`${path}?limit=2&cursor=${first.next_cursor}`),
      200
    )
    assert.deepStrictEqual(
      [...first.data, ...rest.data].map(({ id }) => id),
      ids
    )
    assert.isFalse(rest.has_more)
  })

  it("a body that breaks a rule is refused by the path of its first such field", async () => {
    const { live } = await house.workspace()
    const refused: ReadonlyArray<readonly [kind: unknown, config: unknown, param: string]> = [
      ["exact", {}, "kind"],
      [undefined, {}, "kind"],
      ["exact_match", { value: "a" }, "config.value"],
      ["contains", { values: "a" }, "config.values"],
      ["contains", { value: "" }, "config.value"],
      ["contains", [], "config"],
      ["regex", undefined, "config"],
      ["regex", {}, "config.pattern"],
      ["regex", { pattern: 5 }, "config.pattern"],
      ["regex", { pattern: "(a)\\1" }, "config.pattern"],
      ["regex", { pattern: "(?=a)" }, "config.pattern"],
      ["regex", { pattern: "a".repeat(1_001) }, "config.pattern"],
      ["regex", { pattern: "a", flags: "i" }, "config.flags"],
      ["json_schema", { schema: "object" }, "config.schema"],
      ["json_schema", { schema: { type: "nonsense" } }, "config.schema"],
      ["json_schema", { schema: { $ref: "https://example.com/a.json" } }, "config.schema"],
      ["numeric", {}, "config.tolerance"],
      ["numeric", { tolerance: -0.1 }, "config.tolerance"],
      ["numeric", { tolerance: "1" }, "config.tolerance"],
      ["http", {}, "config.url"],
      ["http", { url: "scorer" }, "config.url"],
      ["http", { url: "file:///etc/passwd" }, "config.url"],
      ["http", { url: "https://me:word@scorer.example" }, "config.url"],
      ["llm_judge", { ...judge, rubric: "" }, "config.rubric"],
      ["llm_judge", { ...judge, model: undefined }, "config.model"],
      ["llm_judge", { ...judge, scale: { min: 5, max: 1 } }, "config.scale"],
      ["llm_judge", { ...judge, scale: { min: 1 } }, "config.scale.max"],
      ["llm_judge", { ...judge, source: "nowhere" }, "config.source"],
      ["llm_judge", { ...judge, temperature: 0 }, "config.temperature"]
    ]
    for (const [kind, config, param] of refused) {
      assertInvalid(await live.post(path, { name: "mine", kind, config }), param)
    }
    const unwanted = await live.post(path, { name: "mine", kind: "exact_match", config: { value: "a" } })
    assert.include(unwanted.text, "There is no such field")
    assertInvalid(await live.post(path, { kind: "exact_match", config: {} }), "name")
    assertInvalid(await live.post(path, { name: "", kind: "exact_match" }), "name")
    assertInvalid(await live.post(path, { name: "mine", kind: "exact_match", weight: 1 }), "weight")
    assert.isEmpty(expectStatus(await live.get<ListOf<unknown>>(path), 200).data)
  })

  it("one key makes one reward, and shows its secret again", async () => {
    const { live } = await house.workspace()
    const key = freshKey()
    const config = { url: "https://scorer.example" }
    const first = await create(live, "http", config, key)
    const again = await create(live, "http", config, key)
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    assert.deepStrictEqual(expectStatus(again, 201), expectStatus(first, 201))
    assert.match(first.body.secret ?? "", /^whsec_[0-9A-Za-z]{43}$/)
    assertRefused(await create(live, "http", { url: "https://other.example" }, key), 409, "idempotency_key_reused")
    assert.lengthOf(expectStatus(await live.get<ListOf<unknown>>(path), 200).data, 1)
  })

  it("scores a completion, and says why", async () => {
    const { live } = await house.workspace()
    const cases = [
      ["exact_match", {}, "Paris", 1],
      ["exact_match", {}, "Rome", 0],
      ["contains", {}, "It is Paris.", 1],
      ["contains", { value: "Rome" }, "It is Paris.", 0],
      ["regex", { pattern: "(?i)^paris$" }, "PARIS", 1],
      ["regex", { pattern: "\\d" }, "Paris", 0],
      ["json_schema", { schema: { type: "object", required: ["a"] } }, '{"a": 1}', 1],
      ["json_schema", { schema: { type: "object", required: ["a"] } }, "Paris", 0]
    ] as const
    for (const [kind, config, completion, expected] of cases) {
      const { id } = await made(live, kind, config)
      const { detail, score: given } = expectStatus(await score(live, id, completion), 200)
      assert.strictEqual(given, expected, `${kind} ${completion}`)
      assert.isNotEmpty(detail.message)
      assert.isNull(detail.error)
    }
    const { id } = await made(live, "numeric", { tolerance: 0.1 })
    const sums = { ...row, completion: "It is 1,000.5" }
    const numeric = expectStatus(await score(live, id, "about 1000.6 km", sums), 200)
    assert.deepInclude(numeric.detail, { expected: 1000.5, found: 1000.6 })
    assert.strictEqual(numeric.score, 1)
    assert.strictEqual(expectStatus(await score(live, id, "1000.7", sums), 200).score, 0)
  })

  it("takes rows as uploads have them and as versions show them, and messages as completions", async () => {
    const { live } = await house.workspace()
    const { id } = await made(live, "exact_match")
    const asked = { messages: [...row.messages, { role: "assistant", content: "Paris" }] }
    for (const like of [asked, { ...row, split: "train", tags: ["a"], metadata: { b: 1 }, own: true }]) {
      assert.strictEqual(expectStatus(await score(live, id, "Paris", like), 200).score, 1)
    }
    const message = { role: "assistant", content: [{ type: "text", text: "Paris" }] }
    assert.strictEqual(expectStatus(await score(live, id, message), 200).score, 1)
    assertInvalid(await score(live, id, "Paris", { messages: row.messages }), "row.completion")
    assertInvalid(await score(live, id, "Paris", { completion: "Paris" }), "row.messages")
    assertInvalid(await score(live, id, "Paris", { ...row, messages: [] }), "row.messages[0]")
    assertInvalid(await score(live, id, 5), "completion")
    assertInvalid(await live.post(`${path}/${id}/score`, { row }), "completion")
    assertInvalid(await live.post(`${path}/${id}/score`, { row, completion: "a", why: 1 }), "why")
    assertRefused(await score(live, "rwd_00000000000000000000000000", "Paris"), 404, "not_found_error")
  })

  it("a judge without a source is refused where it is asked", async () => {
    const { live } = await house.workspace()
    const { id } = await made(live, "llm_judge", judge)
    assertInvalid(await score(live, id, "Paris"), "config.source")
  })

  it("a completion that is hard to search or to check is answered within seconds", async () => {
    const { live } = await house.workspace()
    const { id } = await made(live, "regex", { pattern: "^(a|aa)+$" })
    const hard = expectStatus(await score(live, id, `${"a".repeat(900_000)}!`), 200)
    assert.isTrue(hard.score === 0 || hard.detail.error === "too_costly")
    const schema = {
      anyOf: [
        { type: "array", items: { $ref: "#" } },
        { type: "array", items: { $ref: "#" } }
      ]
    }
    const { id: doubling } = await made(live, "json_schema", { schema })
    const deep = expectStatus(await score(live, doubling, `${"[".repeat(100)}1${"]".repeat(100)}`), 200)
    assert.isTrue(deep.score === 0 || deep.detail.error === "too_costly")
  })

  it("are known to proposals and runs of their own mode", async () => {
    const { live, test } = await house.workspace()
    const { id: version } = await ticketsVersion(live)
    const { id } = await made(live, "exact_match")
    const other = await made(test, "exact_match")
    const recipe = (rewards: ReadonlyArray<string>) => ({ ...dryRun(version).recipe, rewards })
    const run = expectStatus(await createRun(live, dryRun(version, { recipe: recipe([id]) })), 201)
    assert.deepStrictEqual(run.recipe["rewards"], [id])
    assertInvalid(await createRun(live, dryRun(version, { recipe: recipe([id, other.id]) })), "recipe.rewards[1]")
    const propose = (rewards: ReadonlyArray<string>) =>
      live.post<{ readonly rewards: ReadonlyArray<string> }>("/v1/distill/recipes/propose", {
        dataset_version: version,
        objective: "cost",
        max_cost_usd: 5,
        rewards
      })
    assert.deepStrictEqual(expectStatus(await propose([id]), 200).rewards, [id])
    assertInvalid(await propose([id, other.id]), "rewards[1]")
  })
})

describe("a scorer of one's own", () => {
  const receiver = new Receiver()
  beforeAll(() => receiver.open())
  afterAll(() => receiver.close())

  onPostgres("asked over HTTP", (house) => {
    const answering = (answer: string) => receiver.answering((_, response) => response.end(answer))
    const scoring = '{"score": 0.25, "detail": "well"}'

    it("is sent a signed request and gives the score; one key asks it once", async () => {
      const { test } = await house.workspace()
      const url = answering(scoring)
      const { id } = await made(test, "http", { url })
      const key = freshKey()
      for (let asked = 0; asked < 2; asked++) {
        const scored = await test.post<typeof Score.Type>(`${path}/${id}/score`, { row, completion: "Paris" }, key)
        assert.deepInclude(expectStatus(scored, 200), { score: 0.25 })
        assert.deepInclude(scored.body.detail, { message: "well", error: null, status_code: 200 })
      }
      const [heard, ...others] = receiver.allAt(url)
      assert.isEmpty(others)
      assert.deepStrictEqual(JSON.parse(heard?.body ?? ""), { reward: id, row, completion: "Paris" })
      assert.match(String(heard?.headers["service-signature"]), /^t=\d+,v1=[0-9a-f]{64}$/)
    })

    it("is not asked about a row that nests without end, or holds more than a row may (P118)", async () => {
      const { test } = await house.workspace()
      const url = answering(scoring)
      const { id } = await made(test, "http", { url })
      // As text: it nests deeper than can be written.
      const deep = `${'{"a":['.repeat(20_000)}${"]}".repeat(20_000)}`
      const many = JSON.stringify(Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`m${n}`, n])))
      const asking = (member: string, completion = '"Paris"') =>
        test.send<unknown>("POST", `${path}/${id}/score`, {
          headers: { "content-type": "application/json" },
          body: `{"row":{"messages":[{"role":"user"}],"completion":"a"${member}},"completion":${completion}}`
        })
      for (const value of [deep, many]) {
        for (const name of ["metadata", "tools"]) assertInvalid(await asking(`,"${name}":${value}`), "row")
        assertInvalid(await asking("", `{"role":"assistant","content":${value}}`), "completion")
      }
      assert.isEmpty(receiver.allAt(url))
    })

    it("that answers no score, or that may not be reached, leaves no score and says why", async () => {
      const { live, test } = await house.workspace()
      const { id } = await made(test, "http", { url: answering("I like it") })
      const talked = expectStatus(await score(test, id, "Paris"), 200)
      assert.isNull(talked.score)
      assert.strictEqual(talked.detail.error, "invalid_answer")
      const here = answering(scoring).replace("http:", "https:")
      for (const url of [here, "https://169.254.169.254/latest", "https://10.0.0.1/"]) {
        const { id: blocked } = await made(live, "http", { url })
        const refused = expectStatus(await score(live, blocked, "Paris"), 200)
        assert.deepInclude(refused.detail, { error: "scorer_failed", reason: "blocked_address", status_code: null })
        assert.isNull(refused.score)
      }
    })
  })
})
