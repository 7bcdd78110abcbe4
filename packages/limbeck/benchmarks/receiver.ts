/** A receiver that answers 200 at once, counts what comes, and keeps how old each event was on arrival. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { report } from "./Child.ts"

let received = 0
let ages: Array<number> = []

const createdAt = /"created_at":"([^"]+)"/

const server = createServer((request, response) => {
  const arrivedAt = performance.timeOrigin + performance.now()
  let head = ""
  request.on("data", (chunk: Buffer) => {
    if (head === "") head = chunk.toString("latin1", 0, 200)
  })
  request.on("end", () => {
    received++
    const at = createdAt.exec(head)?.[1]
    if (at !== undefined && ages.length < 500_000) ages.push(arrivedAt - Date.parse(at))
    response.writeHead(200, { "content-length": 2 }).end("ok")
  })
})

/** How old the events were that came since the last time this was asked, in milliseconds. */
const takeAges = () => {
  const sorted = ages.toSorted((a, b) => a - b)
  const share = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0
  ages = []
  return { p50Millis: share(0.5), p99Millis: share(0.99) }
}

const perform = (command: object) => ("kind" in command && command.kind === "ages" ? takeAges() : received)

server.listen(0, "127.0.0.1", () => report(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, perform))
