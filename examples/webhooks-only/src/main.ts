import { randomUUID } from "node:crypto"
import * as WebhookStorage from "@limbeck/storage-postgres/WebhookStorage"
import * as Webhooks from "@limbeck/webhooks-host/Webhooks"
import express from "express"
import * as Database from "./Database.ts"

const { PORT = "3000" } = process.env
const database = await Database.open()
const webhooks = await Webhooks.make({
  storage: WebhookStorage.layer({ url: database.url }),
  settings: { publicUrl: `http://127.0.0.1:${PORT}/webhooks` },
  eventTypes: [{ type: "order.paid", domain: "order", description: "An order was paid." }]
})

const app = express()
app.use("/webhooks", webhooks.node)
app.post("/orders", express.json(), async (request, response) => {
  const order = { id: `or_${randomUUID()}`, object: "order", status: "paid", item: String(request.body?.item ?? "") }
  await database.transaction(async (client) => {
    await webhooks.events.publish({ type: "order.paid", object: order, livemode: false }, { transaction: client })
    await client.query("INSERT INTO orders (id, item) VALUES ($1, $2)", [order.id, order.item])
  })
  response.status(201).json(order)
})

const server = app.listen(Number(PORT), "127.0.0.1", () =>
  process.stdout.write(`${JSON.stringify(webhooks.bootstrapped)}\n`)
)
process.once("SIGTERM", () => server.close(() => webhooks.close().then(database.close)))
