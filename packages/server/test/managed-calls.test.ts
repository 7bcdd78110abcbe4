// @effect-diagnostics globalFetch:off
/** Calls of managed sources: their charges, and refusals for the balance (service-api 4.3, 5.5, 7.3). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { LedgerEntry, Usage } from "@limbeck/api/BillingApi"
import type { CapturedCall } from "@limbeck/api/CallsApi"
import { type Client, expectStatus, type ListOf, client as plainClient } from "@limbeck/testing/http/Client"
import { create } from "@limbeck/testing/http/SourceSteps"
import { readUntil } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { type House, onEachStorage, type Workspace } from "./support/House.ts"
import { chat } from "./support/Proxied.ts"

type CapturedCallView = typeof CapturedCall.Type

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

/** Each call has 11 tokens in and 3 out: 11 · 1,000 + 3 · 10,000 micro-dollars. */
const model = { id: "gpt", input_per_million: 1_000, output_per_million: 10_000 }
const costMicros = 41_000

const question = { model: "gpt", max_tokens: 5, messages: [{ role: "user", content: "Capital?" }] }
/** What is put aside for it: each byte of the request may be a token. */
const reservedMicros = JSON.stringify(question).length * 1_000 + 5 * 10_000

const ask = (house: House, token: string, body: unknown = question) =>
  fetch(house.origin + chat, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })

const told = async (response: Response) => ({ status: response.status, body: await response.json() })

const callsOf = async (caller: Client) =>
  expectStatus(await caller.get<ListOf<CapturedCallView>>("/v1/distill/calls?limit=100"), 200).data
const storedCalls = (caller: Client, count: number) =>
  readUntil(
    () => caller.get<ListOf<CapturedCallView>>("/v1/distill/calls?limit=100"),
    ({ data }) => data.length >= count
  )

onEachStorage(
  "managed calls where balances bind",
  (house) => {
    const begin = async (fields: Readonly<Record<string, unknown>> = {}) => {
      const workspace: Workspace = await house.workspace()
      const live = plainClient(house.origin, workspace.liveToken)
      const base_url = upstream.speaking("Paris")
      const source = await create(live, { kind: "managed", base_url, default: true, ...fields })
      await house.price(workspace, source.id, [model, "free"])
      return { workspace, live, base_url, token: workspace.liveToken }
    }

    it("are refused without a balance, before the upstream is asked, and leave nothing (P155)", async () => {
      const { base_url, live, token, workspace } = await begin()
      const refused = await ask(house, token)
      assert.match(refused.headers.get("x-service-call-id") ?? "", /^call_/)
      const { body, status } = await told(refused)
      assert.strictEqual(status, 402)
      assert.deepInclude(body.error, { type: "quota_error", code: "quota", param: null })
      assert.match(body.error.message, /top up the balance, or ask for fewer tokens with max_tokens/)
      assert.isEmpty(upstream.at(base_url))
      assert.isEmpty(await callsOf(live))
      assert.deepInclude(await house.audit(workspace), { held: 0, spent: 0 })
    })

    it("are charged what they cost, each once, when they are stored (P154)", async () => {
      const { live, token, workspace } = await begin()
      await house.topUp(workspace, 5)
      const answers = await Promise.all(Array.from({ length: 6 }, () => ask(house, token)))
      for (const answer of answers) assert.strictEqual((await told(answer)).status, 200)
      const { data } = await storedCalls(live, 6)
      for (const { billed, cost_usd } of data)
        assert.deepStrictEqual({ billed, cost_usd }, { billed: true, cost_usd: 0.041 })
      const { available, held, spent } = await house.audit(workspace)
      assert.strictEqual(spent, 6 * costMicros)
      assert.strictEqual(available + held, 5_000_000 - spent)
      const usage = expectStatus(await live.get<ListOf<typeof Usage.Type>>("/v1/billing/usage"), 200).data
      assert.deepStrictEqual(
        usage.map(({ cost_usd, kind, quantity }) => ({ cost_usd, kind, quantity })),
        [
          { cost_usd: 0.246, kind: "managed_calls", quantity: 6 },
          { cost_usd: 0, kind: "captured_calls", quantity: 6 }
        ]
      )
      const entries = expectStatus(await live.get<ListOf<typeof LedgerEntry.Type>>("/v1/billing/ledger"), 200).data
      const charge = entries.find(({ kind }) => kind === "managed_calls")
      assert.match(charge?.reference ?? "", /^\d{4}-\d\d-\d\d\/call_[0-9a-z]{26}$/)
    })

    it("are let through only as far as the balance covers them all, and it never falls below zero (P155)", async () => {
      const { live, token, workspace } = await begin()
      await house.topUp(workspace, (3 * reservedMicros) / 1e6)
      const all = 3 * reservedMicros
      const coveredCalls = Math.floor((all - reservedMicros) / costMicros) + 1
      for (let passed = 0, asked = 0; passed < coveredCalls; asked++) {
        assert.isBelow(asked, 1_000, "calls that the balance covers are let through")
        const { status } = await told(await ask(house, token))
        assert.oneOf(status, [200, 402])
        if (status === 200) await storedCalls(live, ++passed)
        // A call's hold is free a moment after its storage, and a refusal is cached for a while.
        else house.passTime(1_001)
        assert.isAtLeast((await house.audit(workspace)).available, 0)
      }
      assert.strictEqual((await told(await ask(house, token))).status, 402)
      assert.strictEqual((await house.audit(workspace)).spent, coveredCalls * costMicros)
    })

    it("that fail are captured and not charged", async () => {
      const base_url = upstream.base((_, response) => response.writeHead(500).end("{}"))
      const { live, token, workspace } = await begin({ base_url })
      await house.topUp(workspace, 5)
      assert.strictEqual((await told(await ask(house, token))).status, 500)
      const { data } = await storedCalls(live, 1)
      assert.deepInclude(data[0], { outcome: "failed", billed: false })
      assert.strictEqual((await house.audit(workspace)).spent, 0)
    })

    it("without a price are free, and need no balance", async () => {
      const { live, token, workspace } = await begin()
      assert.strictEqual((await told(await ask(house, token, { ...question, model: "free" }))).status, 200)
      assert.deepInclude((await storedCalls(live, 1)).data[0], { cost_usd: null })
      assert.deepInclude(await house.audit(workspace), { available: 0, held: 0, spent: 0 })
    })

    it("are captured and charged also where the source's capture is off", async () => {
      const { live, token, workspace } = await begin({ capture: { enabled: false } })
      await house.topUp(workspace, 5)
      assert.strictEqual((await told(await ask(house, token))).status, 200)
      await storedCalls(live, 1)
      assert.strictEqual((await house.audit(workspace)).spent, costMicros)
    })

    it("of a byok source need no balance and cost none", async () => {
      const { live, token, workspace } = await begin({ kind: "byok" })
      assert.strictEqual((await told(await ask(house, token))).status, 200)
      assert.deepInclude((await storedCalls(live, 1)).data[0], { billed: false })
      assert.deepInclude(await house.audit(workspace), { available: 0, held: 0, spent: 0 })
    })

    it("of test mode are never refused and never charged (P156)", async () => {
      const workspace = await house.workspace()
      const token = workspace.liveToken.replace("live", "test")
      const test = plainClient(house.origin, token)
      const managed = { kind: "managed", base_url: upstream.speaking("Paris"), default: true }
      await house.price(workspace, (await create(test, managed)).id, [model], false)
      assert.strictEqual((await told(await ask(house, token))).status, 200)
      assert.deepInclude((await storedCalls(test, 1)).data[0], { billed: false, cost_usd: 0.041 })
      for (const livemode of [true, false]) {
        assert.deepInclude(await house.audit(workspace, livemode), { available: 0, held: 0, spent: 0 })
      }
    })
  },
  { egressAllow: ["127.0.0.0/8"], settings: { billingEnforced: true } }
)

onEachStorage(
  "managed calls where balances do not bind",
  (house) => {
    it("are charged below zero, and never refused", async () => {
      const workspace = await house.workspace()
      const live = plainClient(house.origin, workspace.liveToken)
      const managed = { kind: "managed", base_url: upstream.speaking("Paris"), default: true }
      await house.price(workspace, (await create(live, managed)).id, [model])
      for (let turn = 0; turn < 3; turn++) {
        assert.strictEqual((await told(await ask(house, workspace.liveToken))).status, 200)
      }
      await storedCalls(live, 3)
      const spent = 3 * costMicros
      assert.deepInclude(await house.audit(workspace), { available: -spent, held: 0, spent })
    })
  },
  { egressAllow: ["127.0.0.0/8"] }
)
