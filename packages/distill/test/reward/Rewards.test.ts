/** Rewards on storage: made, refused, read and scored with. */
import { assert, describe, it } from "@effect/vitest"
import * as Page from "@limbeck/core/pages/Page"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Reward from "@limbeck/distill/reward/Reward"
import { render, renderScore, renderWithSecret } from "@limbeck/distill/reward/RewardResource"
import { Rewards } from "@limbeck/distill/reward/Rewards"
import { isSigned } from "@limbeck/testing/fixtures/Signatures"
import * as Generator from "@limbeck/testing/random/Generator"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { scoreOf } from "../../src/reward/internal/HttpScoring.ts"
import {
  answered,
  create,
  failureOf,
  judgeFails,
  judgeRule,
  live,
  noAnswer,
  rowOf,
  Script,
  said,
  score,
  source,
  stranger,
  test,
  world
} from "./World.ts"

const exact: Reward.Rule = { kind: "exact_match", config: {} }
const http = (url: string): Reward.Rule => ({ kind: "http", config: { url } })
const scorerUrl = "https://scorer.example/score"

describe("Rewards", () => {
  it.effect("a reward can be read in its own partition only, and is listed newest first", () =>
    Effect.gen(function* () {
      const rewards = yield* Rewards
      const { reward, secret } = yield* create(exact)
      const newer = yield* create({ kind: "numeric", config: { tolerance: 0.5 } })
      assert.isNull(secret)
      assert.match(reward.id, /^rwd_[0-9a-hjkmnp-tv-z]{26}$/)
      assert.deepStrictEqual(yield* rewards.get(live, reward.id), reward)
      for (const partition of [test, stranger]) {
        assert.deepInclude(yield* failureOf(rewards.get(partition, reward.id)), { _tag: "NotFound" })
        assert.deepInclude(yield* failureOf(score(reward.id, rowOf("a", "b"), "b", partition)), { _tag: "NotFound" })
      }
      const page = yield* rewards.page(live, Page.firstPage(10))
      assert.deepStrictEqual(page.items, [newer.reward, reward])
    }).pipe(Effect.provide(world))
  )

  it.effect("shows its kind and config, and the secret of an http reward once", () =>
    Effect.gen(function* () {
      const { reward, secret } = yield* create(http(scorerUrl))
      assert.match(secret ?? "", /^whsec_[0-9A-Za-z]{43}$/)
      const shown = render(live, reward)
      assert.deepInclude(shown, {
        object: "reward",
        livemode: true,
        name: "mine",
        kind: "http",
        config: { url: scorerUrl }
      })
      assert.notInclude(JSON.stringify([shown, reward]), secret ?? "")
      assert.deepStrictEqual(renderWithSecret(live, reward, secret), { ...shown, secret: secret ?? "" })
      const plain = yield* create(exact)
      assert.notProperty(renderWithSecret(live, plain.reward, plain.secret), "secret")
    }).pipe(Effect.provide(world))
  )

  it.effect("a config that breaks a rule is refused with its path, and nothing is kept", () =>
    Effect.gen(function* () {
      const refused: ReadonlyArray<readonly [Reward.Rule, string]> = [
        [{ kind: "regex", config: { pattern: "(a)\\1" } }, "config.pattern"],
        [{ kind: "regex", config: { pattern: "[" } }, "config.pattern"],
        [{ kind: "json_schema", config: { schema: { type: "nonsense" } } }, "config.schema"],
        [{ kind: "json_schema", config: { schema: { title: "x".repeat(70_000) } } }, "config.schema"],
        [http("scorer.example"), "config.url"],
        [http("ftp://scorer.example"), "config.url"],
        [http("https://me:word@scorer.example"), "config.url"],
        [judgeRule({ min: 5, max: 5 }), "config.scale"],
        [judgeRule({ min: 5, max: 1 }), "config.scale"]
      ]
      for (const [rule, param] of refused) {
        assert.deepInclude(yield* failureOf(create(rule)), { _tag: "InvalidInput", param })
      }
      const unknown = { _tag: "ReferenceUnknown", resource: "source", id: "unknown", field: "config.source" } as const
      assert.deepInclude(yield* failureOf(create(judgeRule({ source: "unknown" }))), unknown)
      assert.isEmpty((yield* (yield* Rewards).page(live, Page.firstPage(10))).items)
      yield* create(judgeRule({ source }))
    }).pipe(Effect.provide(world))
  )

  it.effect("each kind scores from 0 to 1 and says why", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [Reward.Rule, string, number]> = [
        [exact, "Paris", 1],
        [exact, "paris", 0],
        [{ kind: "contains", config: {} }, "It is Paris.", 1],
        [{ kind: "contains", config: {} }, "It is Rome.", 0],
        [{ kind: "contains", config: { value: "Rome" } }, "It is Rome.", 1],
        [{ kind: "regex", config: { pattern: "^P.*s$" } }, "Paris", 1],
        [{ kind: "regex", config: { pattern: "^p" } }, "Paris", 0],
        [{ kind: "json_schema", config: { schema: { type: "object", required: ["a"] } } }, ' {"a": 1} ', 1],
        [{ kind: "json_schema", config: { schema: { type: "object", required: ["a"] } } }, '{"b": 1}', 0],
        [{ kind: "json_schema", config: { schema: {} } }, "Paris", 0],
        [judgeRule(), "Paris", 0.5],
        [http(scorerUrl), "Paris", 0.5]
      ]
      for (const [rule, completion, expected] of cases) {
        const { reward } = yield* create(rule)
        const scored = yield* score(reward.id, rowOf("The capital?", "Paris"), completion)
        assert.deepInclude(scored, { score: expected, error: null }, JSON.stringify(rule))
        assert.isNotEmpty(scored.message)
        assert.deepInclude(renderScore(scored).detail, { message: scored.message, error: null })
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("the last message is the reference where the row has no completion, if it is the assistant's", () =>
    Effect.gen(function* () {
      const { reward } = yield* create(exact)
      const asked = { role: "user", content: "The capital?" }
      const row = { messages: [asked, { role: "assistant", content: "Paris" }] } as const
      assert.strictEqual((yield* score(reward.id, row, "Paris")).score, 1)
      const refused = yield* failureOf(score(reward.id, { messages: [asked] }, "Paris"))
      assert.deepInclude(refused, { _tag: "InvalidInput", param: "row.completion" })
      const { reward: free } = yield* create({ kind: "contains", config: { value: "Par" } })
      assert.strictEqual((yield* score(free.id, { messages: [asked] }, "Paris")).score, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("a row or completion that nests without end is refused (P118)", () =>
    Effect.gen(function* () {
      const { reward } = yield* create(exact)
      const deep = JSON.parse(`${"[".repeat(200)}${"]".repeat(200)}`)
      const row = { messages: [{ role: "user", content: deep }], completion: "x" } as const
      assert.deepInclude(yield* failureOf(score(reward.id, row, "x")), { param: "row" })
      for (const member of ["metadata", "tools"]) {
        const deeper = { ...rowOf("a", "b"), [member]: { a: deep } }
        assert.deepInclude(yield* failureOf(score(reward.id, deeper, "x")), { param: "row" })
      }
      const long = { ...rowOf("a", "b"), metadata: { a: Array.from({ length: 10_000 }, () => 0) } }
      assert.deepInclude(yield* failureOf(score(reward.id, long, "x")), { param: "row" })
      const speech = "y".repeat(1_000_001)
      assert.deepInclude(yield* failureOf(score(reward.id, rowOf("a", speech), "x")), { param: "row" })
      assert.deepInclude(yield* failureOf(score(reward.id, rowOf("a", "b"), speech)), { param: "completion" })
      const completion = { role: "assistant", content: deep }
      assert.deepInclude(yield* failureOf(score(reward.id, rowOf("a", "b"), completion)), { param: "completion" })
      const call = { function: { name: "f", arguments: `${"[".repeat(9_999)}${"]".repeat(9_999)}` } }
      const calling = { role: "assistant", tool_calls: [call] }
      assert.strictEqual((yield* score(reward.id, rowOf("a", "b"), calling)).score, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("a schema that nests without end is refused (P109)", () =>
    Effect.gen(function* () {
      const schema = JSON.parse(`${'{"not":'.repeat(20_000)}{}${"}".repeat(20_000)}`)
      const refused = yield* failureOf(create({ kind: "json_schema", config: { schema } }))
      assert.deepInclude(refused, { _tag: "InvalidInput", param: "config.schema" })
    }).pipe(Effect.provide(world))
  )
})

describe("a judge", () => {
  it.effect("is asked in both orders, of the source and model that the config names", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { reward } = yield* create(judgeRule({ source }))
      const scored = yield* score(reward.id, rowOf("Hello?", "Go away"), "Good day!")
      assert.deepInclude(scored, { score: 0.5, judgeTokens: 214 })
      assert.deepStrictEqual(
        script.asked.map(({ model, source }) => [model, source]),
        [
          ["gpt", source],
          ["gpt", source]
        ]
      )
      const ready = yield* (yield* Rewards).ready(live, reward.id, { judgeModel: "better" })
      yield* ready.score(rowOf("Hello?"), "Good day!")
      assert.strictEqual(script.asked.at(-1)?.model, "better")
    }).pipe(Effect.provide(world))
  )

  it.effect("that has no source is refused, and one that fails or talks leaves no score", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { reward } = yield* create(judgeRule())
      const scoring = score(reward.id, rowOf("a", "b"), "c")
      script.judge = () => judgeFails("no_source")
      assert.deepInclude(yield* failureOf(scoring), { _tag: "InvalidInput", param: "config.source" })
      script.judge = () => judgeFails("failed")
      assert.deepInclude(yield* scoring, { score: null, error: "judge_failed", judgeTokens: 0 })
      script.judge = () => (script.asked.length % 2 === 0 ? judgeFails("failed") : Effect.succeed(said('{"score": 3}')))
      assert.deepInclude(yield* scoring, { score: null, error: "judge_failed", judgeTokens: 107 })
      script.judge = () => Effect.succeed(said("I like it"))
      assert.deepInclude(yield* scoring, { score: null, error: "invalid_answer" })
    }).pipe(Effect.provide(world))
  )

  it.effect("that does not answer is given up after 25 seconds", () =>
    Effect.gen(function* () {
      const script = yield* Script
      script.judge = () => Effect.never
      const { reward } = yield* create(judgeRule())
      const scoring = yield* Effect.forkChild(score(reward.id, rowOf("a", "b"), "c"))
      yield* TestClock.adjust("25 seconds")
      assert.deepInclude(yield* Fiber.join(scoring), { score: null, error: "judge_failed" })
    }).pipe(Effect.provide(world))
  )
})

describe("a scorer", () => {
  it.effect("is sent the row and the completion, signed with the secret that the creation showed", () =>
    Effect.gen(function* () {
      const { posted } = yield* Script
      const { reward, secret } = yield* create(http(scorerUrl))
      yield* TestClock.setTime(1_800_000_000_000)
      yield* score(reward.id, rowOf("a", "b"), "c")
      const [request] = posted
      assert.deepInclude(request, { url: scorerUrl, livemode: true })
      const body = request?.body ?? new Uint8Array()
      const sent = JSON.parse(new TextDecoder().decode(body))
      assert.deepStrictEqual(sent, { reward: reward.id, row: rowOf("a", "b"), completion: "c" })
      const { "Content-Type": type, "Service-Signature": header = "", "User-Agent": agent } = request?.headers ?? {}
      assert.deepStrictEqual([type, agent], ["application/json", "Service-Rewards/1.0"])
      assert.match(header, /^t=1800000000,/)
      assert.isTrue(isSigned(header, secret ?? "", body))
    }).pipe(Effect.provide(world))
  )

  it.effect("that answers anything but a score leaves none, and says why", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { reward } = yield* create(http(scorerUrl))
      const scoring = score(reward.id, rowOf("a", "b"), "c")
      const cases = [
        [noAnswer("timeout"), "scorer_failed", { status_code: null, duration_ms: 3, reason: "timeout" }],
        [
          noAnswer("blocked_address"),
          "scorer_failed",
          { status_code: null, duration_ms: 3, reason: "blocked_address" }
        ],
        [answered('{"score": 1}', 500), "scorer_failed", { status_code: 500, duration_ms: 3, reason: "status" }],
        [answered('{"score": 1}', 302), "scorer_failed", { status_code: 302, duration_ms: 3, reason: "status" }],
        ...[
          "",
          "1",
          "null",
          "[1]",
          "{}",
          '{"score": "1"}',
          '{"score": -0.1}',
          '{"score": 1.01}',
          '{"score": null}'
        ].map((body) => [answered(body), "invalid_answer", { status_code: 200, duration_ms: 3 }] as const)
      ] as const
      for (const [answer, error, facts] of cases) {
        script.scorer = () => answer
        assert.deepInclude(yield* scoring, { score: null, error, facts }, JSON.stringify(answer))
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("gives any score from 0 to 1, and its detail is handed on", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { reward } = yield* create(http(scorerUrl))
      for (const given of [0, 1, 0.123_456_789, 1e-9]) {
        script.scorer = () => answered(JSON.stringify({ score: given, detail: "as I see it", more: 1 }), 201)
        const scored = yield* score(reward.id, rowOf("a", "b"), "c")
        assert.deepInclude(scored, { score: given, error: null, message: "as I see it" })
      }
    }).pipe(Effect.provide(world))
  )
})

describe("a scorer's answer", () => {
  const Answer = Schema.fromJsonString(
    Schema.Struct({ score: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })) })
  )
  const decode = Schema.decodeUnknownOption(Answer)

  it("is a score exactly when a schema of it says so", () => {
    const { pick } = Generator.make(13)
    let scores = 0
    for (let round = 0; round < 3_000; round++) {
      const value = pick(["0", "1", "0.5", "-0", "1e-3", "1.5", "-1", "null", '"1"', "true", "[0.5]", "{}", "1e999"])
      const name = pick(["score", "score", "Score", "value"])
      const body = pick([`{"${name}": ${value}}`, `[{"${name}": ${value}}]`, `{"a": {}, "${name}": ${value}`, value])
      const whole = pick([body, `${body}}`])
      const expected = Option.match(decode(whole), { onNone: () => null, onSome: (answer) => answer.score })
      assert.strictEqual(scoreOf(answered(whole)).score, expected, whole)
      scores += Number(expected !== null)
    }
    assert.isTrue(scores > 100 && scores < 2_000, String(scores))
  })
})

describe("a stored reward", () => {
  it.effect("is read back as it was made, whatever its kind", () =>
    Effect.gen(function* () {
      const resources = yield* ResourceStore
      const rules: ReadonlyArray<Reward.Rule> = [
        exact,
        { kind: "contains", config: { value: "a" } },
        judgeRule(),
        http(scorerUrl)
      ]
      const made = yield* Effect.forEach(rules, (rule) => create(rule))
      for (const { reward } of made) {
        const found = yield* resources.find(live, Reward.kind, reward.id)
        assert.deepStrictEqual(Option.getOrThrow(found), { value: reward, revision: 0 })
      }
    }).pipe(Effect.provide(world))
  )
})
