/** Events in the host's own transaction, up to the receiver: a shop writes an order and its event together, or neither. */
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { HandClock } from "@limbeck/testing/fixtures/HandClock"
import type pg from "pg"
import { eventsOf, onPostgres, order, refusal, type Shop, subscribe } from "./support/Shop.ts"

describe("an event published in the host's own transaction", () => {
  let shop: Shop
  let receiver: Awaited<ReturnType<typeof subscribe>>

  beforeAll(async () => {
    // No worker looks by itself while its clock stands still: what arrives was told of.
    shop = await onPostgres(new HandClock())
    receiver = await subscribe(shop.call, ["order.*"])
  })

  afterAll(async () => {
    receiver.close()
    await shop.close()
  })

  const paid = (id: string) => ({ type: "order.paid", object: order(id), livemode: false })

  const begun = new Set<pg.PoolClient>()

  // A transaction that a failed test left open would hold back the events that the next tests walk.
  afterEach(() => {
    for (const client of begun) client.release(true)
    begun.clear()
  })

  /** Begins, writes the order and its event, and leaves the end to the test. */
  const buy = async (id: string, begin = "BEGIN") => {
    const client = await shop.pool.connect()
    begun.add(client)
    await client.query(begin)
    await client.query("INSERT INTO orders VALUES ($1)", [id])
    const event = await shop.webhooks.events.publish(paid(id), { transaction: client })
    return { client, event }
  }

  const end = async (client: pg.PoolClient, how: "COMMIT" | "ROLLBACK") => {
    await client.query(how)
    begun.delete(client)
    client.release()
  }

  const told = async (id: string) => (await eventsOf(shop)).some(({ data }) => data.object.id === id)

  it("is delivered, signed, once the host commits, and is unseen before (P46)", async () => {
    const { client, event } = await buy("or_1")
    assert.isFalse(await told("or_1"))
    assert.deepStrictEqual(receiver.arrived, [])
    await end(client, "COMMIT")
    assert.strictEqual(await receiver.next(), "or_1")
    assert.strictEqual((await eventsOf(shop))[0]?.id, event)
    assert.deepStrictEqual(await shop.orders(), ["or_1"])
  })

  it("has no lease, so that any process that hears of the commit may send it", async () => {
    const { client, event } = await buy("or_2")
    // The delivery before this one arrived, and may still be leased until its outcome is written.
    const { rows } = await client.query(
      `SELECT lease, ready_at <= due.due_at AS ready FROM ${shop.schema}.deliveries_due due
       JOIN ${shop.schema}.deliveries USING (id) WHERE event_id = $1`,
      [event]
    )
    assert.deepStrictEqual(rows, [{ lease: null, ready: true }])
    await end(client, "COMMIT")
    assert.strictEqual(await receiver.next(), "or_2")
  })

  it("never was when the host rolls back", async () => {
    const { client } = await buy("or_3")
    await end(client, "ROLLBACK")
    const after = await buy("or_4")
    await end(after.client, "COMMIT")
    assert.strictEqual(await receiver.next(), "or_4")
    assert.isFalse(await told("or_3"))
    assert.notInclude(await shop.orders(), "or_3")
  })

  it("goes with the order when the connection dies before the commit", async () => {
    const { client } = await buy("or_5")
    const { rows } = await client.query("SELECT pg_backend_pid() AS pid")
    // Also said beside the statement that fails.
    client.on("error", () => {})
    await shop.pool.query("SELECT pg_terminate_backend($1, 5000)", [rows[0].pid])
    const commit = await client.query("COMMIT").then(
      () => "committed",
      () => "lost"
    )
    assert.strictEqual(commit, "lost")
    assert.isFalse(await told("or_5"))
    assert.notInclude(await shop.orders(), "or_5")
  })

  it("that is refused leaves the host's transaction as it was (P46)", async () => {
    const { client } = await buy("or_6")
    const strange = shop.webhooks.events.publish({ type: "order.payed", object: {} }, { transaction: client })
    assert.strictEqual((await refusal(strange))._tag, "UnknownEventType")
    const spoilt = [paid("or_6b"), { ...paid("or_6c"), object: [] }]
    const batch = shop.webhooks.events.publish(spoilt, { transaction: client })
    assert.strictEqual((await refusal(batch))._tag, "InvalidEventObject")
    await client.query("INSERT INTO orders VALUES ('or_6d')")
    await end(client, "COMMIT")
    assert.strictEqual(await receiver.next(), "or_6")
    assert.includeMembers(await shop.orders(), ["or_6", "or_6d"])
    assert.deepStrictEqual([await told("or_6b"), await told("or_6c")], [false, false])
  })

  it("commits at every isolation, and many of them in one transaction", async () => {
    for (const [index, isolation] of ["REPEATABLE READ", "SERIALIZABLE"].entries()) {
      const { client } = await buy(`or_7${index}`, `BEGIN ISOLATION LEVEL ${isolation}`)
      const more = [paid(`or_7${index}b`), paid(`or_7${index}c`)]
      const ids = await shop.webhooks.events.publish(more, { transaction: client })
      assert.strictEqual(ids.length, 2)
      await end(client, "COMMIT")
      const arrived = [await receiver.next(), await receiver.next(), await receiver.next()]
      assert.deepStrictEqual(arrived.toSorted(), [`or_7${index}`, `or_7${index}b`, `or_7${index}c`])
    }
  })

  it("wants a client that is in a transaction", async () => {
    const published = shop.webhooks.events.publish(paid("or_8"), { transaction: shop.pool })
    const error = await refusal(published)
    assert.include(error, { _tag: "HostTransactionError", code: "25P01" })
    assert.include(error.message, "send BEGIN on it first")
    assert.isFalse(await told("or_8"))
  })
})
