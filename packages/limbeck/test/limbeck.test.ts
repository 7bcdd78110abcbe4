/** The whole library with a host that has event types of its own. */
import { assert, describe, it } from "@effect/vitest"
import type { EventType } from "@limbeck/core/events/Event"
import * as Limbeck from "@limbeck/limbeck/Limbeck"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Redacted from "effect/Redacted"
import { orderPaid, refusal } from "./support/Shop.ts"

const make = (eventTypes: ReadonlyArray<EventType>) =>
  Limbeck.make({ storage: StorageMemory.layer, encryptionKeys: [Redacted.make(new Uint8Array(32))], eventTypes })

describe("the whole library", () => {
  it("has the event types of the contract and the host's", async () => {
    const limbeck = await make([orderPaid])
    const response = await limbeck.fetch(new Request("http://host.test/v1/event_types"))
    const types = JSON.parse(await response.text()).data.map(({ type }: EventType) => type)
    assert.includeMembers(types, [
      "distill.run.succeeded",
      "webhook_endpoint.disabled",
      "message.completed",
      "order.paid"
    ])
    await limbeck.close()
  })

  it("lets a host neither register nor publish what is ours", async () => {
    const error = await refusal(make([{ ...orderPaid, type: "message.completed" }]))
    assert.include(error, { _tag: "InvalidEventType", type: "message.completed" })
    const limbeck = await make([orderPaid])
    const published = limbeck.events.publish({ type: "distill.run.succeeded", object: { id: "run_1" } })
    assert.strictEqual((await refusal(published))._tag, "UnknownEventType")
    await limbeck.close()
  })
})

describe("the prices of a managed source", () => {
  it("are set by the host, in any workspace (P883)", async () => {
    const limbeck = await make([])
    const { liveToken, workspace: customer } = await limbeck.workspaces.create({ name: "customer" })
    const send = (method: string, path: string, body: object) =>
      limbeck.fetch(
        new Request(`http://host.test/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${liveToken}`, "content-type": "application/json" },
          body: JSON.stringify(body)
        })
      )
    const models = [{ id: "gpt", input_per_million: 1, output_per_million: 10, max_output_tokens: 1_000 }]
    const source = { name: "main", kind: "managed", base_url: "https://upstream.example/v1" }
    assert.strictEqual((await send("POST", "/sources", { ...source, models })).status, 403)
    assert.strictEqual((await send("POST", "/sources", source)).status, 201)
    const { setModels } = limbeck.sources
    const priced = await setModels(customer.id, { source: "main", models })
    assert.deepInclude(priced, { object: "source", name: "main", livemode: true, models })
    assert.strictEqual((await send("PATCH", `/sources/${priced.id}`, { models: ["gpt"] })).status, 403)
    assert.strictEqual((await refusal(setModels(customer.id, { source: "other", models })))._tag, "NotFound")
    assert.strictEqual(
      (await refusal(setModels(customer.id, { source: "main", models, livemode: false })))._tag,
      "NotFound"
    )
    await limbeck.close()
  })
})

describe("the balance of a workspace", () => {
  it("is topped up by the host, once for each reference", async () => {
    const limbeck = await make([])
    const { balance, topUp } = limbeck.billing
    const payment = { amountUsd: 12.5, reference: "invoice 7" }
    const entry = await topUp(limbeck.workspace, payment)
    assert.deepInclude(entry, { object: "ledger_entry", amount_usd: 12.5, kind: "top_up", reference: "invoice 7" })
    assert.deepStrictEqual(await topUp(limbeck.workspace, payment), entry)
    assert.deepStrictEqual(await balance(limbeck.workspace), { object: "balance", balance_usd: 12.5, enforced: false })
    const reused = await refusal(topUp(limbeck.workspace, { ...payment, amountUsd: 1 }))
    assert.include(reused, { _tag: "TopUpReused", postedMicros: 12_500_000 })
    assert.strictEqual((await refusal(balance("ws_00000000000000000000000009")))._tag, "NotFound")
    await limbeck.close()
  })
})
