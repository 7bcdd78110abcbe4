/** Conversations and the balance (contract 4, 14.28): answers are charged as any other call; the sandbox where balances bind. */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { eventually } from "@limbeck/testing/Eventually"
import { create } from "@limbeck/testing/http/SourceSteps"
import { Models } from "@limbeck/testing/upstream/Models"
import { chat, type MessageShown, messageOf, type QueuedShown, sandboxChat } from "./support/Chats.ts"
import { assertRefused, type Client, expectStatus } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const balanceOf = async (caller: Client) =>
  expectStatus(await caller.get<{ readonly balance_usd: number }>("/v1/billing/balance"), 200).balance_usd

onEachStorage(
  "where balances bind, a question to a managed source",
  (house) => {
    const begin = async () => {
      const workspace = await house.workspace()
      const base_url = upstream.speaking("Yes", ["gpt"])
      const models = [{ id: "gpt", input_per_million: 1_000, output_per_million: 1_000 }]
      const source = await create(workspace.live, { base_url, kind: "managed", default: true })
      await house.price(workspace, source.id, models)
      return { workspace, base_url, caller: workspace.live }
    }

    it("without a balance is a 402, and of a callback a failed message; with one it is charged", async () => {
      const { base_url, caller, workspace } = await begin()
      assertRefused(await caller.post(chat, { text: "?" }), 402, "quota")
      const webhook = "https://receiver.invalid/"
      const queued = expectStatus(await caller.post<QueuedShown>(chat, { text: "?", webhook }), 202)
      const failed = await eventually("the message has ended", async () => {
        const message = await messageOf(caller, queued)
        return message.status !== "queued" && message
      })
      assert.deepInclude(failed, { status: "failed" })
      assert.strictEqual(failed.error?.code, "quota")
      assert.lengthOf(upstream.at(base_url), 0)
      await house.topUp(workspace, 1_000)
      // A refusal is remembered for a moment.
      const answer = await eventually("the balance is known", async () => {
        const asked = await caller.post<MessageShown>(chat, { text: "?" })
        return asked.status === 200 && asked.body
      })
      assert.strictEqual(answer.text, "Yes")
      // 11 tokens in and 3 out, as the upstream counts.
      await eventually("the call is charged", async () => {
        const { cost_usd } = (await caller.get<{ readonly cost_usd: number }>(`/v1/distill/calls/${answer.call}`)).body
        return cost_usd === 0.014
      })
    })
  },
  { settings: { billingEnforced: true }, egressAllow: ["127.0.0.0/8"] }
)

onEachStorage(
  "where balances do not bind, a question to a managed source",
  (house) => {
    it("of the sandbox costs nothing", async () => {
      const workspace = await house.workspace()
      const managed = { base_url: upstream.speaking("Yes", ["gpt"]), kind: "managed", default: true }
      const source = await create(workspace.live, managed)
      await house.price(workspace, source.id, [{ id: "gpt", input_per_million: 1_000, output_per_million: 1_000 }])
      const answer = expectStatus(await workspace.live.post<MessageShown>(sandboxChat, { text: "?" }), 200)
      assert.deepInclude(answer, { text: "Yes", call: null })
      assert.strictEqual(await balanceOf(workspace.live), 0)
    })
  },
  { egressAllow: ["127.0.0.0/8"] }
)
