/** The tokens and the cost of a call whose input came from the provider's cache (contract 16.4, 16.10, 16.11). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { CatalogModel, Source } from "@limbeck/api/SourcesApi"
import { eventually } from "@limbeck/testing/Eventually"
import { create, sources } from "@limbeck/testing/http/SourceSteps"
import { Models } from "@limbeck/testing/upstream/Models"
import { calls, type Detail } from "./support/Captured.ts"
import { assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { type House, onOneStorage, type Workspace } from "./support/House.ts"
import { chat } from "./support/Proxied.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const usage = {
  prompt_tokens: 1_000,
  completion_tokens: 100,
  total_tokens: 1_100,
  prompt_tokens_details: { cached_tokens: 900, cache_write_tokens: 50, cache_write_1h_tokens: 20 },
  completion_tokens_details: { reasoning_tokens: 64, audio_tokens: 3 }
}

const answering = (fields: object = {}) =>
  upstream.base((_, response) => {
    const choices = [{ index: 0, message: { role: "assistant", content: "yes" }, finish_reason: "stop" }]
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ id: "chatcmpl-1", object: "chat.completion", choices, usage, ...fields }))
  })

/** 50 × 10 + 900 × 1 + 30 × 12.5 + 20 × 20 + 100 × 40 = 6,175 micro-dollars. */
const model = {
  id: "gpt",
  input_per_million: 10,
  output_per_million: 40,
  cached_input_per_million: 1,
  cache_write_per_million: 12.5,
  tiers: { flex: 0.5 }
}

const ask = async (live: Client) => {
  const body = { model: "gpt", max_tokens: 100, messages: [{ role: "user", content: "?" }] }
  const answer = expectStatus(await live.post(chat, body), 200)
  assert.isObject(answer)
}

const captured = async (live: Client, count: number) =>
  eventually(`${count} calls are captured`, async () => {
    const { data } = expectStatus(await live.get<ListOf<Detail>>(`${calls}?limit=100`), 200)
    return data.length === count ? data : undefined
  })

const modelsOf = async (live: Client) =>
  expectStatus(await live.get<ListOf<typeof CatalogModel.Type>>("/v1/models"), 200).data

const begin = async (house: House, fields: object = {}): Promise<Workspace & { readonly source: string }> => {
  const workspace = await house.workspace()
  const base_url = answering(fields)
  const source = await create(workspace.live, { kind: "managed", base_url, default: true, models: ["gpt"] })
  await house.price(workspace, source.id, [model])
  await house.topUp(workspace, 5)
  return { ...workspace, source: source.id }
}

onOneStorage(
  "a call with cached input",
  (house) => {
    it("shows each kind of token, and is charged each at its price (P1100)", async () => {
      const workspace = await begin(house)
      await ask(workspace.live)
      const [call] = await captured(workspace.live, 1)
      assert.deepInclude<object>(call ?? {}, {
        usage: {
          prompt_tokens: 1_000,
          completion_tokens: 100,
          total_tokens: 1_100,
          input_tokens_details: { cached_tokens: 900, cache_write_tokens: 50, cache_write_1h_tokens: 20 },
          output_tokens_details: { reasoning_tokens: 64, audio_tokens: 3 }
        },
        cost_usd: 0.006175,
        billed: true
      })
      assert.strictEqual((await house.audit(workspace)).spent, 6_175)
    })

    it("costs what the tier costs that the answer names, and keeps its cost when prices change (P1102)", async () => {
      const workspace = await begin(house, { service_tier: "flex" })
      await ask(workspace.live)
      await captured(workspace.live, 1)
      await house.price(workspace, workspace.source, [{ ...model, output_per_million: 20 }])
      await ask(workspace.live)
      const costs = (await captured(workspace.live, 2)).map(({ cost_usd }) => cost_usd)
      // Half of 6,175 and of 4,175, rounded half up.
      assert.sameMembers(costs, [0.003088, 0.002088])
      assert.strictEqual((await house.audit(workspace)).spent, 3_088 + 2_088)
    })

    it("has prices that its source and the list of models show (P1104)", async () => {
      const { live, source } = await begin(house)
      const shown = expectStatus(await live.get<typeof Source.Type>(`${sources}/${source}`), 200)
      assert.deepEqual<unknown>(shown.models, [model])
      const [listed] = await modelsOf(live)
      assert.deepInclude<object>(listed ?? {}, {
        id: "gpt",
        input_per_million: 10,
        output_per_million: 40,
        cached_input_per_million: 1,
        cache_write_per_million: 12.5,
        cache_write_1h_per_million: 20,
        tiers: { flex: 0.5 },
        price_from: "source"
      })
    })

    it("has prices that are refused with the member that is wrong (P1104)", async () => {
      const { live } = await house.workspace()
      const base = { name: "own", kind: "byok", base_url: "https://upstream.example/v1" }
      const refused: ReadonlyArray<readonly [fields: object, param: string]> = [
        [{ cached_input_per_million: -1 }, "models[0].cached_input_per_million"],
        [{ cache_write_per_million: 0.0000001 }, "models[0].cache_write_per_million"],
        [{ cache_write_1h_per_million: "6" }, "models[0].cache_write_1h_per_million"],
        [{ tiers: { flex: -0.5 } }, "models[0].tiers.flex"],
        [{ tiers: { flex: 0.12345678 } }, "models[0].tiers.flex"],
        [{ tiers: { slow: 1 } }, "models[0].tiers.slow"]
      ]
      for (const [fields, param] of refused) {
        const answer = await live.post(sources, { ...base, models: [{ id: "gpt", ...fields }] })
        assertRefused(answer, 400, "invalid_request_error", param)
      }
    })
  },
  { egressAllow: ["127.0.0.0/8"], settings: { billingEnforced: true } }
)
