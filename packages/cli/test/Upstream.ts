/** A model that answers at once, and counts how often each question was asked. */
import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import type { AtEnd } from "@limbeck/testing/AtEnd"

interface Question {
  readonly messages: ReadonlyArray<{ readonly content: string }>
}

/** What only this call asks. */
export const markOf = (question: unknown): string => (question as Question).messages[0]?.content ?? ""

const read = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const message = { role: "assistant", content: "billing" }
const answer = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_790_000_000,
  model: "teacher",
  choices: [{ index: 0, message, finish_reason: "stop" }],
  usage: { prompt_tokens: 12, completion_tokens: 1, total_tokens: 13 }
})

export const upstream = async (atEnd: AtEnd) => {
  const asked = new Map<string, number>()
  const server = createServer((request, response) => {
    read(request).then(
      (body) => {
        const mark = markOf(JSON.parse(body))
        asked.set(mark, (asked.get(mark) ?? 0) + 1)
        response.writeHead(200, { "content-type": "application/json" }).end(answer)
      },
      () => response.destroy()
    )
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  atEnd(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo // It listens on a port.
  return { base_url: `http://127.0.0.1:${port}/v1`, asked }
}
