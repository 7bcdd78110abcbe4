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
