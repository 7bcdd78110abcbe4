/**
 * An upstream that answers at once: chat completions whole or as a stream of `frames` frames, responses and Anthropic's messages whole.
 * Started by `Child`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { report } from "./Child.ts"

const frames = Number(process.argv[2])

const text = "A ticket about billing: the customer was charged twice. ".repeat(6)

const chat = Buffer.from(
  JSON.stringify({
    id: "chatcmpl-bench",
    object: "chat.completion",
    created: 1_790_000_000,
    model: "bench-model",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: text },
        finish_reason: "stop"
      }
    ],
    usage: { prompt_tokens: 120, completion_tokens: 72, total_tokens: 192 }
  })
)

const responses = Buffer.from(
  JSON.stringify({
    id: "resp_bench",
    object: "response",
    created_at: 1_790_000_000,
    status: "completed",
    model: "bench-model",
    output: [
      {
        id: "msg_bench",
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text, annotations: [] }]
      }
    ],
    usage: {
      input_tokens: 120,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 72,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 192
    }
  })
)

const messages = Buffer.from(
  JSON.stringify({
    id: "msg_bench",
    type: "message",
    role: "assistant",
    model: "bench-model",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 120, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 72 }
  })
)

/** By the end of the path. */
const answerOf = (url = ""): Buffer => {
  if (url.endsWith("/responses")) return responses
  return url.endsWith("/messages") ? messages : chat
}

const frameOf = (delta: object, finish: string | null): Buffer => {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  const chunk = { id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1_790_000_000, model: "m", choices }
  return Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`)
}

const word = frameOf({ content: "billing " }, null)
const stop = frameOf({}, "stop")
const done = Buffer.from("data: [DONE]\n\n")

/** A turn of the loop between frames, so that each is a separate write. */
const stream = (response: ServerResponse): void => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  let left = frames - 2
  const next = (): void => {
    if (left-- > 0) {
      response.write(word)
      setImmediate(next)
      return
    }
    response.write(stop)
    response.end(done)
  }
  next()
}

const whole = (response: ServerResponse, answer: Buffer): void => {
  response.writeHead(200, { "content-type": "application/json", "content-length": answer.length }).end(answer)
}

const serve = (request: IncomingMessage, response: ServerResponse): void => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () =>
    Buffer.concat(chunks).includes('"stream":true') ? stream(response) : whole(response, answerOf(request.url))
  )
}

const server = createServer(serve)
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => report(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
