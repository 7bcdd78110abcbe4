// @effect-diagnostics globalFetch:off
/** No way to ask a managed source is free where balances bind (contract 16.10, 16.44). */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { LedgerEntry, Usage } from "@limbeck/api/BillingApi"
import type { CapturedCall } from "@limbeck/api/CallsApi"
import type { RewardCreated, Score } from "@limbeck/api/RewardsApi"
import { eventually } from "@limbeck/testing/Eventually"
import { create, sources } from "@limbeck/testing/http/SourceSteps"
import * as Generator from "@limbeck/testing/random/Generator"
import { Models } from "@limbeck/testing/upstream/Models"
import { type MessageShown, chat as question, sandboxChat } from "./support/Chats.ts"
import { assertInvalid, assertRefused, expectStatus, type ListOf } from "./support/Client.ts"
import { type House, onEachStorage, type Workspace } from "./support/House.ts"
import { chat } from "./support/Proxied.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

/** An input token costs 10 micro-dollars, an output token 1,000. */
const priced = { id: "gpt", input_per_million: 10, output_per_million: 1_000 }

const sentOf = (request: IncomingMessage): string => (request as IncomingMessage & { readonly sent: string }).sent // The upstream has read it.

const streamHead = { "content-type": "text/event-stream" }
const chunkOf = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })}\n\n`

const begin = async (house: House, listener: RequestListener | string, balanceUsd = 0) => {
  const workspace = await house.workspace()
  const base_url = typeof listener === "string" ? upstream.speaking(listener) : upstream.base(listener)
  const source = await create(workspace.live, { kind: "managed", base_url, default: true, models: ["gpt"] })
  await house.price(workspace, source.id, [priced])
  if (balanceUsd > 0) await house.topUp(workspace, balanceUsd)
  return { workspace, live: workspace.live, base_url, source }
}

const ask = (house: House, { liveToken }: Workspace, body: string, signal?: AbortSignal) =>
  fetch(house.origin + chat, {
    method: "POST",
    headers: { authorization: `Bearer ${liveToken}`, "content-type": "application/json" },
    body,
    ...(signal === undefined ? {} : { signal })
  })

const asked = (fields: object) =>
  JSON.stringify({ model: "gpt", messages: [{ role: "user", content: "?" }], ...fields })

const usageOf = async ({ live }: Workspace) =>
  expectStatus(await live.get<ListOf<typeof Usage.Type>>("/v1/billing/usage"), 200).data

/** Waits until the calls are charged, and audits the ledger. */
const spentOf = async (house: House, workspace: Workspace, micros: number) => {
  await eventually(`${micros} micro-dollars are spent`, async () => {
    const usage = await usageOf(workspace)
    return Math.round(usage.reduce((sum, { cost_usd }) => sum + cost_usd, 0) * 1e6) === micros
  })
  assert.strictEqual((await house.audit(workspace)).spent, micros)
}

const callsOf = async ({ live }: Workspace) =>
  expectStatus(await live.get<ListOf<typeof CapturedCall.Type>>("/v1/distill/calls?limit=100"), 200).data

const entriesOf = async ({ live }: Workspace) =>
  expectStatus(await live.get<ListOf<typeof LedgerEntry.Type>>("/v1/billing/ledger?limit=100"), 200).data

onEachStorage(
  "where balances bind, a managed source",
  (house) => {
    it("charges a stream that tells no usage by the bytes of its text (P880)", async () => {
      const { workspace } = await begin(
        house,
        (_, response) => {
          response.writeHead(200, streamHead)
          response.end(`${chunkOf({ content: "eight by" })}${chunkOf({}, "stop")}data: [DONE]\n\n`)
        },
        5
      )
      const body = asked({ stream: true, max_tokens: 50 })
      await (await ask(house, workspace, body)).text()
      await spentOf(house, workspace, Math.ceil(body.length / 2) * 10 + 4 * 1_000)
      assert.deepInclude((await callsOf(workspace))[0], { outcome: "succeeded", billed: true, usage: null })
    })

    it("charges a client that leaves after the finish and before the usage (P880)", async () => {
      const { workspace } = await begin(
        house,
        // The usage never arrives before the client leaves.
        (_, response) => {
          response.writeHead(200, streamHead)
          response.write(`${chunkOf({ content: "eight by" })}${chunkOf({}, "stop")}`)
        },
        5
      )
      const body = asked({ stream: true, max_tokens: 50, stream_options: { include_usage: true } })
      const leaving = new AbortController()
      const answer = await ask(house, workspace, body, leaving.signal)
      const reader = answer.body!.getReader()
      for (let text = ""; !text.includes('"stop"'); ) text += Buffer.from((await reader.read()).value ?? []).toString()
      leaving.abort()
      await spentOf(house, workspace, Math.ceil(body.length / 2) * 10 + 4 * 1_000)
      assert.deepInclude((await callsOf(workspace))[0], { outcome: "aborted", billed: true })
    })

    it("refuses chats of the sandbox without a balance, and charges them without capturing them (P882)", async () => {
      const { base_url, live, workspace } = await begin(house, "Yes")
      assertRefused(await live.post(sandboxChat, { text: "?" }), 402, "quota")
      assertRefused(await live.post(question, { text: "?" }), 402, "quota")
      assert.isEmpty(upstream.at(base_url))
      await house.topUp(workspace, 50)
      // A refusal is remembered for a moment.
      house.passTime(1_001)
      for (const text of ["first", "second"]) {
        const answer = expectStatus(await live.post<MessageShown>(sandboxChat, { text }), 200)
        assert.deepInclude(answer, { text: "Yes", call: null })
      }
      // 11 tokens in and 3 out each, as the upstream counts.
      await spentOf(house, workspace, 2 * (11 * 10 + 3 * 1_000))
      assert.isEmpty(await callsOf(workspace))
      assert.deepStrictEqual(
        (await usageOf(workspace)).map(({ kind, quantity }) => ({ kind, quantity })),
        [{ kind: "managed_calls", quantity: 2 }]
      )
    })

    it("refuses a judge's score without a balance, and charges each of its calls (P882)", async () => {
      const { base_url, live, workspace } = await begin(house, '{"score": 4}')
      const config = { rubric: "Is it right?", model: "gpt", scale: { min: 1, max: 5 } }
      const judge = { name: "judge", kind: "llm_judge", config }
      const { id } = expectStatus(await live.post<typeof RewardCreated.Type>("/v1/distill/rewards", judge), 201)
      const row = { messages: [{ role: "user", content: "The capital of France?" }], completion: "Paris" }
      const score = () =>
        live.post<typeof Score.Type>(`/v1/distill/rewards/${id}/score`, { row, completion: "It is Paris." })
      assertRefused(await score(), 402, "quota")
      assert.isEmpty(upstream.at(base_url))
      await house.topUp(workspace, 50)
      house.passTime(1_001)
      assert.strictEqual(expectStatus(await score(), 200).score, 0.75)
      await spentOf(house, workspace, 2 * (11 * 10 + 3 * 1_000))
      assert.isEmpty(await callsOf(workspace))
    })

    it("refuses a member that is named twice, and holds by the larger of two limits (P881)", async () => {
      const { base_url, live, workspace } = await begin(house, "Yes", 1)
      const send = async (body: string) => {
        const answer = await ask(house, workspace, body)
        return { status: answer.status, body: await answer.json() }
      }
      const twice = await send(asked({ max_tokens: 1 }).replace(/}$/, ',"max_tokens":5000}'))
      assert.strictEqual(twice.status, 400)
      assert.deepInclude(twice.body.error, { type: "invalid_request_error", param: "max_tokens" })
      assertInvalid(await live.post(chat, { model: "gpt", messages: [], n: "2" }), "n")
      // 5,000 tokens cost more than the balance.
      assert.strictEqual((await send(asked({ max_completion_tokens: 1, max_tokens: 5_000 }))).status, 402)
      assert.isEmpty(upstream.at(base_url))
      house.passTime(1_001)
      assert.strictEqual((await send(asked({ max_completion_tokens: 1, max_tokens: 2 }))).status, 200)
    })

    it("has its prices from the operator alone, also those that are taken away (P883)", async () => {
      const { live, source } = await begin(house, "Yes")
      const free = { id: "gpt", input_per_million: 0 }
      const path = `${sources}/${source.id}`
      for (const models of [[], ["gpt"], [free], [{ ...priced, max_output_tokens: 1 }]]) {
        assertRefused(await live.patch(path, { models }), 403, "permission_error", "models")
      }
      const fields = { name: "own", kind: "managed", base_url: "https://upstream.example/v1", models: [free] }
      assertRefused(await live.post(sources, fields), 403, "permission_error", "models")
      // The same prices, no prices, and prices of a source with a key of the caller's own.
      expectStatus(await live.patch(path, { models: [priced], timeout_ms: 5_000 }), 200)
      expectStatus(await live.post(sources, { ...fields, models: ["gpt"] }), 201)
      expectStatus(await live.post(sources, { ...fields, name: "mine", kind: "byok" }), 201)
      const operator = await house.operator()
      const { id } = await create(operator.live, { kind: "managed", models: [priced] })
      expectStatus(await operator.live.patch(`${sources}/${id}`, { models: [free] }), 200)
    })

    it("lets owners of the operator's workspace set prices, wherever they are signed in (P883)", async () => {
      const operator = await house.operator()
      const workspace = await house.workspace()
      const both = async (role: "owner" | "member") => {
        const signedIn = await house.signedIn(workspace, "owner")
        await house.setRole(operator, signedIn.id, role)
        return signedIn.client
      }
      const fields = { kind: "managed", base_url: "https://upstream.example/v1", models: [priced] }
      assertRefused(
        await (await both("member")).post(sources, { ...fields, name: "a" }),
        403,
        "permission_error",
        "models"
      )
      expectStatus(await (await both("owner")).post(sources, { ...fields, name: "b" }), 201)
    })

    it("charges what was used, or less than was held, however a client asks and leaves: the ledger is exact (P881)", async () => {
      const { below, pick, some } = Generator.make(20_261_127)
      /** What each answered call costs at least, in micro-dollars. */
      let told = 0
      const { workspace } = await begin(
        house,
        (request, response) => {
          const { max_completion_tokens: a = 0, max_tokens: b = 0, n = 1, stream } = JSON.parse(sentOf(request))
          const output = Math.max(a, b, 1) * n
          const usage = { prompt_tokens: sentOf(request).length, completion_tokens: output }
          told += usage.prompt_tokens * 10 + output * 1_000
          if (stream) return answerStream(response, usage)
          const choices = [{ index: 0, message: { role: "assistant", content: "yes" } }]
          response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ choices, usage }))
        },
        1_000
      )
      const answerStream = (response: ServerResponse, usage: object) => {
        response.writeHead(200, streamHead)
        const last = `data: ${JSON.stringify({ id: "c", choices: [], usage })}\n\n`
        response.end(`${chunkOf({ content: "yes" })}${chunkOf({}, "stop")}${last}data: [DONE]\n\n`)
      }
      const members = () => ({
        [pick(["max_tokens", "max_completion_tokens"])]: pick([1, 7, 300]),
        ...(below(2) === 0 ? { max_tokens: pick([1, 40]), max_completion_tokens: pick([2, 50]) } : {}),
        ...(below(3) === 0 ? { n: pick([1, 2, 3]) } : {}),
        ...(below(2) === 0 ? { stream: true } : {}),
        messages: some(5, () => ({ role: "user", content: pick(["?", "ü", "\\u0041", "x".repeat(300)]) }))
      })
      const bodies = Array.from({ length: 40 }, () => asked(members()))
      for (const body of bodies) {
        const answer = await ask(house, workspace, body)
        assert.strictEqual(answer.status, 200, body)
        await answer.text()
      }
      await spentOf(house, workspace, told)
      assert.notInclude(
        (await entriesOf(workspace)).map(({ kind }) => kind),
        "write_off"
      )
    })
  },
  { egressAllow: ["127.0.0.0/8"], settings: { billingEnforced: true } }
)
