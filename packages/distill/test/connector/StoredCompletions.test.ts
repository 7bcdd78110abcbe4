import { assert, describe, it } from "@effect/vitest"
import { DistillLimits } from "@limbeck/distill/Limits"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as StoredCompletions from "../../src/connector/internal/StoredCompletions.ts"
import { answer, broken, makeSite, type Site } from "../pull/World.ts"

const config = { base_url: "https://models.example/v1/", model: null, metadata: null }

const linesOf = (site: Site, given: Partial<typeof config> | object = {}) => {
  const remote = {
    get: (request: Parameters<Site["serve"]>[0]) =>
      Effect.suspend(() => site.serve(request, site.asked.push(request) - 1))
  }
  const options = { config: { ...config, ...given }, apiKey: "sk-kept", livemode: true }
  return StoredCompletions.content(remote, options).pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.map((line): unknown => JSON.parse(line)),
    Stream.runCollect
  )
}

const codeOf = (site: Site) => Effect.match(linesOf(site), { onFailure: ({ code }) => code, onSuccess: () => "none" })

const patiently = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    for (let passed = 0; passed < 40; passed++) yield* TestClock.adjust(1_000)
    return yield* Fiber.join(fiber)
  })

const json = (value: unknown) => answer(200, JSON.stringify(value))
const completion = (id: string, message: unknown = { role: "assistant", content: "a" }) => ({
  id,
  choices: [{ message }]
})
const message = (id: string, more: object = { role: "user", content: "q" }) => ({ id, ...more })
const page = (data: ReadonlyArray<unknown>, hasMore = false) => json({ data, has_more: hasMore })
const isMessages = (url: string) => new URL(url).pathname.endsWith("/messages")
const afterOf = (url: string) => new URL(url).searchParams.get("after")

describe("StoredCompletions", () => {
  it.effect("both lists are walked to their ends, oldest first, in order and by the key", () => {
    const site = makeSite()
    site.serve = ({ url }) => {
      const after = afterOf(url)
      if (isMessages(url)) return after === null ? page([message("m1")], true) : page([message("m2")])
      return after === null ? page([completion("c1"), completion("c 2")], true) : page([completion("c3")])
    }
    return Effect.gen(function* () {
      const rows = yield* linesOf(site, { model: "gpt", metadata: { team: "a&b" } })
      const messages = [
        { role: "user", content: "q" },
        { role: "user", content: "q" }
      ]
      const expected = ["c1", "c 2", "c3"].map((id) => ({
        messages,
        completion: { role: "assistant", content: "a" },
        external_id: id
      }))
      assert.deepStrictEqual<unknown>(rows, expected)
      const lists = site.asked.filter(({ url }) => !isMessages(url)).map(({ url }) => new URL(url).searchParams)
      assert.deepStrictEqual(
        lists.map((query) => query.get("after")),
        [null, "c 2"]
      )
      for (const query of lists) {
        assert.deepInclude(Object.fromEntries(query), { order: "asc", model: "gpt", "metadata[team]": "a&b" })
      }
      assert.isTrue(
        site.asked.every(({ headers, livemode }) => headers["authorization"] === "Bearer sk-kept" && livemode)
      )
      assert.isTrue(site.asked.every(({ url }) => url.startsWith("https://models.example/v1/chat/completions")))
    })
  })

  it.effect("what the provider adds for itself is left out, and all that was said stays", () => {
    const site = makeSite()
    const call = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } }
    const parts = [{ type: "text", text: "look" }]
    site.serve = ({ url }) =>
      isMessages(url)
        ? page([
            message("m1", { role: "system", content: "Be short", name: null }),
            message("m2", { role: "user", content: null, content_parts: parts }),
            message("m3", { role: "assistant", content: null, tool_calls: [call] }),
            message("m4", { role: "tool", content: "1", tool_call_id: "call_1" })
          ])
        : page([{ ...completion("c1", { role: "assistant", content: "ok", refusal: null }), metadata: { a: "b" } }])
    return Effect.gen(function* () {
      assert.deepStrictEqual<unknown>(yield* linesOf(site), [
        {
          messages: [
            { role: "system", content: "Be short" },
            { role: "user", content: parts },
            { role: "assistant", content: null, tool_calls: [call] },
            { role: "tool", content: "1", tool_call_id: "call_1" }
          ],
          completion: { role: "assistant", content: "ok" },
          external_id: "c1",
          metadata: { a: "b" }
        }
      ])
    })
  })

  it.effect("a request that breaks is made again, and the walk goes on where it was", () => {
    const site = makeSite()
    const failures = [broken("connection_reset"), answer(503), answer(200, '{"data": [', {}, 5)]
    site.serve = ({ url }) => {
      if (isMessages(url)) return failures.shift() ?? page([message("m1")])
      return afterOf(url) === null ? page([completion("c1")], true) : page([completion("c2")])
    }
    return Effect.gen(function* () {
      assert.lengthOf(yield* patiently(linesOf(site)), 2)
      assert.lengthOf(
        site.asked.filter(({ url }) => afterOf(url) === null && !isMessages(url)),
        1
      )
    })
  })

  it.effect("an answer that is no list, or too much of one, ends the walk", () => {
    const cases = [
      [() => answer(401), "status"],
      [() => answer(200, "no json"), "invalid_answer"],
      [() => json({ data: [{ id: 5 }] }), "invalid_answer"],
      [() => json([]), "invalid_answer"],
      [() => answer(200, `${"[".repeat(100_000)}${"]".repeat(100_000)}`), "invalid_answer"],
      [() => page([completion("same")], true), "invalid_answer"]
    ] as const
    return Effect.forEach(cases, ([serve, code]) => {
      const site = makeSite()
      site.serve = ({ url }) => (isMessages(url) ? page([message("m1")]) : serve())
      return Effect.map(patiently(codeOf(site)), (found) => assert.strictEqual(found, code))
    })
  })

  it.effect("a conversation longer than a row may be, and an answer that never ends, are not held", () => {
    const long = makeSite()
    let number = 0
    const text = "x".repeat(DistillLimits.rowBytesMax / 4)
    long.serve = ({ url }) =>
      isMessages(url)
        ? Effect.succeed({
            statusCode: 200,
            headers: {},
            body: Stream.make(
              new TextEncoder().encode(
                JSON.stringify({ data: [message(`m${number++}`, { role: "user", content: text })], has_more: true })
              )
            )
          })
        : page([completion("c1")])
    const endless = makeSite()
    endless.serve = () =>
      Effect.succeed({ statusCode: 200, headers: {}, body: Stream.forever(Stream.succeed(new Uint8Array(1024 ** 2))) })
    return Effect.gen(function* () {
      assert.strictEqual(yield* codeOf(long), "invalid_answer")
      assert.isBelow(number, 6)
      assert.strictEqual(yield* codeOf(endless), "invalid_answer")
    })
  })
})
