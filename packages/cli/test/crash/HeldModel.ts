/** A model that answers some questions and holds the others until released. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { Signal } from "@limbeck/testing/Signal"

/** `answer`: what a chat completion has beside its `object`. */
export const heldModel = async (atEnd: AtEnd, answeredFirst: number, answer: (question: string) => object) => {
  const asked: Array<string> = []
  const changes = new Signal()
  let isHeld = true
  let passed = answeredFirst
  const server = createServer(async (request, response) => {
    const { messages } = JSON.parse((await request.toArray()).join(""))
    const [{ content }] = messages
    asked.push(content)
    changes.ring()
    if (isHeld && asked.length > passed) return
    response.end(JSON.stringify({ object: "chat.completion", ...answer(content) }))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // It listens on a port.
  const release = () => {
    isHeld = false
  }
  /** Holds every question from now on. */
  const hold = () => {
    isHeld = true
    passed = asked.length
  }
  return { base: `http://127.0.0.1:${port}/v1`, asked, changes, hold, release }
}
