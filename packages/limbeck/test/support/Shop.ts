/** A shop with orders on its own Postgres, the webhook engine alone beside it, and somebody who listens. */
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert } from "@effect/vitest"
import { receiver } from "@limbeck/client/webhooks/node"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { EventType } from "@limbeck/core/events/Event"
import * as WebhookStorage from "@limbeck/storage-memory/WebhookStorage"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import { url } from "@limbeck/testing/fixtures/Postgres"
import type { WebhookPorts } from "@limbeck/webhooks/StoragePorts"
import * as Webhooks from "@limbeck/webhooks-host/Webhooks"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import pg from "pg"

export const orderPaid: EventType = { type: "order.paid", domain: "order", description: "An order was paid." }
export const order = (id: string) => ({ id, object: "order", status: "paid" })

const testToken = `svc_test_${"0".repeat(40)}`
const headers = { authorization: `Bearer ${testToken}`, "content-type": "application/json" }

const open = (storage: Layer.Layer<WebhookPorts, StorageError>, eventTypes: ReadonlyArray<EventType>) =>
  Webhooks.make({
    storage,
    encryptionKeys: [Redacted.make(new Uint8Array(32).fill(7))],
    settings: { rateLimit: null },
    eventTypes,
    bootstrap: { testToken }
  })

export interface Answer<A> {
  readonly status: number
  readonly body: A
}

export interface ListBody<A> {
  readonly data: ReadonlyArray<A>
}

/** As the API shows it. */
export interface ShownEvent {
  readonly id: string
  readonly type: string
  readonly workspace_id: string
  readonly data: { readonly object: { readonly id: string } }
}

const caller =
  (webhooks: Webhooks.Webhooks) =>
  async <A>(method: string, path: string, body?: object): Promise<Answer<A>> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await webhooks.fetch(new Request(`http://shop.test${path}`, { method, headers, ...sent }))
    return { status: response.status, body: JSON.parse(await response.text()) }
  }

/** As they were committed. A walk in this order meets one only when nothing that began before is under way. */
export const eventsOf = async ({ call }: { readonly call: ReturnType<typeof caller> }) => {
  const list = async (query: string) => (await call<ListBody<ShownEvent>>("GET", `/v1/events?${query}`)).body.data
  const { length } = await list("limit=100")
  for (;;) {
    const events = await list("limit=100&order=asc")
    if (events.length >= length) return events
  }
}

/** Our error, with its facts. */
interface Refusal {
  readonly _tag: string
  readonly message: string
  readonly [fact: string]: unknown
}

export const refusal = async (promise: Promise<unknown>): Promise<Refusal> => {
  const refused = await promise.then(
    () => undefined,
    (error: unknown) => error
  )
  assert.instanceOf(refused, Error)
  assert.property(refused, "_tag")
  return Object(refused)
}

export const inMemory = async (eventTypes: ReadonlyArray<EventType> = [orderPaid]) => {
  const webhooks = await open(WebhookStorage.layer, eventTypes)
  return { webhooks, call: caller(webhooks) }
}

/** Everything goes when the tests are over: hand `close` to a hook. The engine goes by `clock`. */
export const onPostgres = async (clock = Effect.runSync(Clock.Clock)) => {
  const name = randomUUID().replaceAll("-", "")
  const [schema, shop] = [`test_${name}`, `shop_${name}`]
  const pool = new pg.Pool({ connectionString: url, options: `-c search_path=${shop}` })
  // A killed connection says so to the pool.
  pool.on("error", () => {})
  await pool.query(`CREATE SCHEMA ${shop}`)
  await pool.query("CREATE TABLE orders (id text PRIMARY KEY)")
  const webhooks = await open(Layer.merge(StoragePostgres.layer({ url, schema }), Layer.succeed(Clock.Clock, clock)), [
    orderPaid
  ])
  const close = async () => {
    await webhooks.close()
    await pool.query(`SET client_min_messages = warning; DROP SCHEMA ${schema} CASCADE; DROP SCHEMA ${shop} CASCADE`)
    await pool.end()
  }
  const orders = async () => (await pool.query("SELECT id FROM orders ORDER BY id")).rows.map(({ id }) => id)
  return { webhooks, call: caller(webhooks), pool, orders, schema, close }
}

export type Shop = Awaited<ReturnType<typeof onPostgres>>

/** Subscribes a real receiver, which accepts signed events; `next` waits for the id of the next event's object. */
export const subscribe = async (call: Shop["call"], enabledEvents: ReadonlyArray<string>) => {
  const waiting: Array<(id: string) => void> = []
  const arrived: Array<string> = []
  let secret = ""
  const server = createServer((request, response) =>
    receiver({
      secret,
      handler: ({ event }) => {
        const id = String(event.data.object["id"])
        const waiter = waiting.shift()
        if (waiter === undefined) arrived.push(id)
        else waiter(id)
      }
    })(request, response)
  )
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo // A listening server has a port.
  const made = await call<{ readonly secret: string }>("POST", "/v1/webhook_endpoints", {
    url: `http://127.0.0.1:${port}/`,
    enabled_events: enabledEvents
  })
  assert.strictEqual(made.status, 201)
  secret = made.body.secret
  const next = () => {
    const id = arrived.shift()
    return id === undefined ? new Promise<string>((resolve) => waiting.push(resolve)) : Promise.resolve(id)
  }
  return { next, arrived, close: () => server.close() }
}
