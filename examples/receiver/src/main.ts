import { createServer } from "node:http"
import { receiver } from "@limbeck/client/webhooks/node"

const { PORT = "3001", WEBHOOK_SECRET = "" } = process.env
const seen = new Set<string>() // A table with a unique key, where it must outlive the process.

const receive = receiver({
  secret: WEBHOOK_SECRET,
  handler: ({ event, eventId }) => {
    if (seen.has(eventId)) return
    seen.add(eventId)
    process.stdout.write(`${event.type} ${event.data.object.id}\n`)
  }
})

const server = createServer(receive)
server.listen(Number(PORT), "127.0.0.1", () => process.stdout.write(`${JSON.stringify(server.address())}\n`))
