/**
 * A receiver that responds 200 and counts requests. The first part of a path selects the behaviour: `hang` never responds,
 * `slow` late, all others at once. Started by `Child`.
 */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import * as Ages from "./Ages.ts"
import { report } from "./Child.ts"

export type Question =
  /** How many came, in all or this way. */
  | { readonly kind: "count"; readonly way?: string }
  /** Note from now on when the events arrive that come this way; forgets what was noted. */
  | { readonly kind: "note"; readonly way: string }
  /** The notes; ends them. */
  | { readonly kind: "arrivals" }

const slowMillis = 50

const received = new Map<string, number>()
let noted: string | null = null
let arrivals: Array<Ages.Arrival> = []

const answer = (response: ServerResponse) => response.writeHead(200, { "content-length": 2 }).end("ok")

const server = createServer((request, response) => {
  const at = Ages.now()
  const way = request.url?.split("/", 2)[1] ?? ""
  const event = request.headers["service-event-id"]
  if (way === noted && typeof event === "string") arrivals.push({ event, at })
  request.resume()
  request.on("end", () => {
    received.set(way, (received.get(way) ?? 0) + 1)
    if (way === "hang") return
    if (way === "slow") void sleep(slowMillis, response).then(answer)
    else answer(response)
  })
})

const count = (way: string | undefined) =>
  way === undefined ? [...received.values()].reduce((sum, one) => sum + one, 0) : (received.get(way) ?? 0)

const note = (way: string | null) => {
  const taken = arrivals
  noted = way
  arrivals = []
  return taken
}

const perform = (question: Question): unknown => {
  switch (question.kind) {
    case "count":
      return count(question.way)
    case "note":
      return note(question.way).length
    case "arrivals":
      return note(null)
  }
}

server.listen(0, "127.0.0.1", () =>
  report(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, (question) =>
    // Only the benchmark asks, and it asks these.
    perform(question as Question)
  )
)
