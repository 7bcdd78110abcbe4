/** Rewards that ask a model: a judge behind a source of the workspace (contract 6, 14.19). */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { RewardCreated, Score } from "@limbeck/api/RewardsApi"
import { create } from "@limbeck/testing/http/SourceSteps"
import { key, Models } from "@limbeck/testing/upstream/Models"
import { assertInvalid, type Client, expectStatus } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"

const path = "/v1/distill/rewards"
const row = { messages: [{ role: "user", content: "The capital of France?" }], completion: "Paris" }

const config = { rubric: "Is it right?", model: "gpt", scale: { min: 1, max: 5 } }

const judge = async (caller: Client, fields: Readonly<Record<string, unknown>> = {}) =>
  expectStatus(
    await caller.post<typeof RewardCreated.Type>(path, {
      name: "judge",
      kind: "llm_judge",
      config: { ...config, ...fields }
    }),
    201
  ).id

const score = (caller: Client, id: string) =>
  caller.post<typeof Score.Type>(`${path}/${id}/score`, { row, completion: "It is Paris." })

const scored = async (caller: Client, id: string) => expectStatus(await score(caller, id), 200)

describe("a judge", () => {
  const upstream = new Models()
  beforeAll(() => upstream.open())
  afterAll(() => upstream.close())

  onOneStorage("behind a source", (house) => {
    it("is asked twice, with the source's key, and its tokens are counted", async () => {
      const { test } = await house.workspace()
      const base_url = upstream.speaking('{"score": 4}')
      await create(test, { base_url, default: true })
      const { detail, score: given } = await scored(test, await judge(test))
      assert.strictEqual(given, 0.75)
      assert.deepInclude(detail, { error: null, tokens: 28 })
      const asked = upstream.at(base_url)
      assert.lengthOf(asked, 2)
      for (const { body, headers, method } of asked) {
        assert.strictEqual(method, "POST")
        assert.deepInclude(headers, { authorization: `Bearer ${key}`, "content-type": "application/json" })
        const sent = JSON.parse(body)
        assert.deepInclude(sent, { model: "gpt", max_tokens: 1024 })
        assert.deepStrictEqual(
          sent.messages.map(({ role }: { readonly role: string }) => role),
          ["system", "user"]
        )
      }
    })

    it("is found by the name or the id of its source, else at the default one, and by the model", async () => {
      const { test } = await house.workspace()
      const at = (n: number) => upstream.speaking(({ model }) => `{"score": ${model === "gpt" ? n : 5}}`)
      await create(test, { base_url: at(1), default: true })
      const named = await create(test, { base_url: at(2), name: "named" })
      const other = await create(test, { base_url: at(3) })
      const cases = [
        [{}, 0],
        [{ source: "named" }, 0.25],
        [{ source: named.id }, 0.25],
        [{ source: other.id }, 0.5],
        [{ source: other.id, model: "mini" }, 1]
      ] as const
      for (const [fields, expected] of cases) {
        assert.strictEqual((await scored(test, await judge(test, fields))).score, expected, JSON.stringify(fields))
      }
    })

    it("whose source is unknown, or is gone, is refused by that field", async () => {
      const { live, test } = await house.workspace()
      const source = await create(test, { base_url: upstream.speaking('{"score": 4}'), name: "mine" })
      const inOtherMode = { ...config, source: source.id }
      assertInvalid(await live.post(path, { name: "j", kind: "llm_judge", config: inOtherMode }), "config.source")
      const id = await judge(test, { source: "mine" })
      const withoutDefault = await judge(test)
      assert.strictEqual((await scored(test, id)).score, 0.75)
      assertInvalid(await score(test, withoutDefault), "config.source")
      expectStatus(await test.delete(`/v1/sources/${source.id}`), 200)
      assertInvalid(await score(test, id), "config.source")
    })

    it("that does not answer leaves no score, and says why without the key", async () => {
      const { test } = await house.workspace()
      const answering = (status: number, text: string) =>
        upstream.base((_, response) => void response.writeHead(status).end(text))
      const cases = [
        [{ base_url: upstream.speaking("{}"), api_key: "another-key-1" }, "answered 401"],
        [{ base_url: answering(500, key) }, "answered 500"],
        [{ base_url: answering(200, "words") }, "answered no chat completion"],
        [{ base_url: answering(200, '{"choices": []}') }, "answered no chat completion"],
        [{ base_url: upstream.base(() => {}), timeout_ms: 50 }, "timeout"],
        [{ base_url: Models.closed }, "connection_refused"],
        [{ base_url: "https://10.0.0.1/v1" }, "blocked_address"],
        [{ base_url: upstream.speaking('{"score": 4}'), kind: "managed", models: ["other"] }, "has no model gpt"]
      ] as const
      for (const [fields, why] of cases) {
        const source = await create(test, fields)
        const { detail, score: given } = await scored(test, await judge(test, { source: source.id }))
        assert.isNull(given)
        assert.strictEqual(detail.error, "judge_failed")
        assert.include(detail.message, why)
        assert.notInclude(JSON.stringify(detail), key)
      }
    })

    it("that takes the bound of its words under another name is asked again with that one", async () => {
      const { test } = await house.workspace()
      const asked: Array<string> = []
      const base_url = upstream.base((request, response) => {
        const { sent } = request as typeof request & { readonly sent: string } // The server has read it.
        const refused = "max_tokens" in JSON.parse(sent)
        asked.push(sent)
        const content = [{ type: "text", text: '{"score": 5}' }]
        const body = refused
          ? { error: { message: "Unsupported parameter: use 'max_completion_tokens' instead" } }
          : { choices: [{ message: { role: "assistant", content } }] }
        response.writeHead(refused ? 400 : 200).end(JSON.stringify(body))
      })
      const { id } = await create(test, { base_url })
      const { detail, score: given } = await scored(test, await judge(test, { source: id }))
      assert.strictEqual(given, 1)
      assert.lengthOf(asked, 4)
      // Where the upstream does not count, we estimate: a budget must bind all the same.
      assert.isAbove(Number(detail["tokens"]), 100)
    })
  })
})
