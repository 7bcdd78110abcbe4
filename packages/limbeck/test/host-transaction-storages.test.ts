/** One host, by the same code: on Postgres in its own transaction, and on memory storage in that of a HostClient. */
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { HostClient } from "@limbeck/storage-memory/HostClient"
import type pg from "pg"
import { eventsOf, inMemory, onPostgres, order, refusal, type Shop, subscribe } from "./support/Shop.ts"

/** The host's connection: its code does not distinguish the two. */
type Connection = pg.PoolClient | HostClient

interface Host extends Pick<Shop, "webhooks" | "call" | "close"> {
  readonly connect: () => Promise<Connection>
}

const hosts: Readonly<Record<string, () => Promise<Host>>> = {
  Postgres: async () => {
    const shop = await onPostgres()
    return { ...shop, connect: () => shop.pool.connect() }
  },
  "memory storage": async () => {
    const shop = await inMemory()
    const orders = () => ({ rows: [] })
    return { ...shop, close: () => shop.webhooks.close(), connect: async () => new HostClient(orders) }
  }
}

for (const [name, open] of Object.entries(hosts)) {
  describe(`a host that publishes in its own transaction, on ${name}`, () => {
    let host: Host
    let receiver: Awaited<ReturnType<typeof subscribe>>
    const connected = new Set<Connection>()

    beforeAll(async () => {
      host = await open()
      receiver = await subscribe(host.call, ["order.*"])
    })

    afterAll(async () => {
      receiver.close()
      await host.close()
    })

    afterEach(() => {
      for (const client of connected) client.release()
      connected.clear()
    })

    const connect = async () => {
      const client = await host.connect()
      connected.add(client)
      return client
    }

    const publish = (client: Connection, id: string) =>
      host.webhooks.events.publish({ type: "order.paid", object: order(id), livemode: false }, { transaction: client })

    /** The host's code. */
    const buy = async (id: string, how: "COMMIT" | "ROLLBACK") => {
      const client = await connect()
      await client.query("BEGIN")
      await client.query("INSERT INTO orders VALUES ($1)", [id])
      const event = await publish(client, id)
      await client.query(how)
      return event
    }

    const ids = async () => (await eventsOf(host)).map(({ data }) => data.object.id)

    it("stores and delivers the event by its COMMIT, under the id that it was told (P950)", async () => {
      const event = await buy("or_1", "COMMIT")
      assert.strictEqual(await receiver.next(), "or_1")
      assert.include(
        (await eventsOf(host)).map(({ id }) => id),
        event
      )
    })

    it("has published nothing after a ROLLBACK (P950)", async () => {
      await buy("or_2", "ROLLBACK")
      await buy("or_3", "COMMIT")
      assert.strictEqual(await receiver.next(), "or_3")
      assert.notInclude(await ids(), "or_2")
    })

    it("shows nothing before its COMMIT, and holds nobody up until then (P950)", async () => {
      const client = await connect()
      await client.query("BEGIN")
      await publish(client, "or_4")
      await publish(client, "or_5")
      const { status } = await host.call("POST", "/v1/tokens", { name: "meanwhile", scopes: ["events:read"] })
      assert.strictEqual(status, 201)
      const { body } = await host.call<{ readonly data: ReadonlyArray<{ readonly data: unknown }> }>(
        "GET",
        "/v1/events?limit=100"
      )
      assert.notInclude(JSON.stringify(body), "or_4")
      assert.deepStrictEqual(receiver.arrived, [])
      await client.query("COMMIT")
      assert.sameMembers([await receiver.next(), await receiver.next()], ["or_4", "or_5"])
    })

    it("goes on with its transaction when an event is refused (P950)", async () => {
      const client = await connect()
      await client.query("BEGIN")
      await publish(client, "or_6")
      const strange = host.webhooks.events.publish({ type: "order.payed", object: {} }, { transaction: client })
      assert.strictEqual((await refusal(strange))._tag, "UnknownEventType")
      await client.query("COMMIT")
      assert.strictEqual(await receiver.next(), "or_6")
    })

    it("is told to begin a transaction where it has none, also after its end (P950)", async () => {
      const client = await connect()
      const refused = async () => {
        const error = await refusal(publish(client, "or_7"))
        assert.include(error, { _tag: "HostTransactionError", code: "25P01" })
        assert.include(error.message, "send BEGIN on it first")
      }
      await refused()
      await client.query("BEGIN")
      await client.query("COMMIT")
      await refused()
      assert.notInclude(await ids(), "or_7")
    })
  })
}

describe("a HostClient", () => {
  it("refuses statements of the host's own unless it is told what answers them", async () => {
    const refused = await new HostClient().query("SELECT 1").catch((error: unknown) => String(error))
    assert.include(refused, "SELECT 1")
    const answered = new HostClient((statement, values) => ({ rows: [statement, ...values] }))
    assert.deepStrictEqual(await answered.query("SELECT $1", ["a"]), { rows: ["SELECT $1", "a"] })
  })

  it("that is released with an open transaction has published nothing", async () => {
    const { call, webhooks } = await inMemory()
    const client = new HostClient()
    await client.query("BEGIN")
    await webhooks.events.publish(
      { type: "order.paid", object: order("or_1"), livemode: false },
      { transaction: client }
    )
    client.release()
    await client.query("COMMIT")
    assert.deepStrictEqual(await eventsOf({ call }), [])
    await webhooks.close()
  })
})
