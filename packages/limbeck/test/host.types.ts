/**
 * A host's program with client, receiver and publish, as the compiler sees it: it needs no `any`, no cast and nothing of Effect. Each
 * `@ts-expect-error` is a mistake that would otherwise show at run time. `npm run check` compiles it; nothing here runs.
 */
import { createServer } from "node:http"
import { ConnectionError, makeClient, NotFoundError, type Run } from "@limbeck/client"
import { receiver } from "@limbeck/client/webhooks/node"
import type { StandardSchema } from "@limbeck/core/events/StandardSchema"
import * as Limbeck from "@limbeck/limbeck/Limbeck"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"

interface Order {
  readonly id: string
  readonly total: number
}

/** As zod, valibot and arktype make them: with their types. */
declare const orderSchema: StandardSchema & {
  readonly "~standard": { readonly types?: { readonly input: Order; readonly output: Order } }
}

const limbeck = await Limbeck.make({
  storage: StorageMemory.layer,
  encryptionKeys: ["MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="],
  eventTypes: [
    { type: "order.paid", domain: "order", description: "An order was paid.", schema: orderSchema },
    { type: "order.lost", domain: "order", description: "A parcel was lost." }
  ]
})

await limbeck.events.publish({ type: "order.paid", object: { id: "or_1", total: 12 }, livemode: false })
await limbeck.events.publish([{ type: "order.lost", object: { parcel: 7 } }])

/** A mistyped event type, and an object without a field of its type's schema (P1666). */
export const mistakes = [
  // @ts-expect-error there is no such type
  () => limbeck.events.publish({ type: "order.payed", object: { id: "or_1", total: 12 } }),
  // @ts-expect-error the total is missing
  () => limbeck.events.publish({ type: "order.paid", object: { id: "or_1" } })
]

const receive = receiver<{ "order.paid": Order }>({
  secret: process.env["WEBHOOK_SECRET"] ?? "",
  handler: ({ event }) => {
    switch (event.type) {
      case "order.paid":
        return charge(event.data.object.total)
      case "distill.run.succeeded":
        return charge(event.data.object.totals.cost_usd)
      case "distill.deployment.guarded":
        // @ts-expect-error a deployment has no totals
        return charge(event.data.object.totals)
    }
  }
})
createServer(receive).listen(4000)

declare const charge: (amount: number) => void

const client = makeClient({ baseUrl: "http://127.0.0.1:8080", token: limbeck.bootstrapped.testToken ?? "" })
const spent = (run: Run): number => run.totals.cost_usd

export const costOf = async (id: string): Promise<number | null> => {
  try {
    return spent(await client.runs.wait(id))
  } catch (error) {
    if (error instanceof NotFoundError) return null
    if (error instanceof ConnectionError) process.stderr.write(`${error.message}\n`)
    throw error
  }
}
