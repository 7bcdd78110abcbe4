/**
 * The teacher: an honest server of chat completions and the Responses API on this machine, in place of a large model. Sorts tickets by known words,
 * and is sometimes wrong; takes its time; and has a price. Always behaves the same.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import * as TeacherResponses from "./TeacherResponses.ts"
import { labels, type Message } from "./Tickets.ts"

type Label = (typeof labels)[number]

const signs: Readonly<Record<Label, RegExp>> = {
  account: /password|log ?in|log(?:ged|s)? me|mail address|second factor|seat|profile|merge|close my|code for/g,
  billing: /charg|invoice|receipt|tax|declined|price|pay|paid|billed|money|contract|\d\.\d\d/g,
  bug: /white|error|crash|wrong|double|stops at|one day off|does nothing|undo|faster|lost my|as soon as/g,
  feature_request:
    /would be great|could you|we miss|please support|i wish|any plans|dark mode|shortcut|no way to|sort /g,
  shipping: /order #|parcel|arrived|delivery|tracking|never came|moved to|wet|ordered|the wrong street/g
}

/** The label with the most word matches, the first among equals. */
const judge = (text: string): Label => {
  const counts = labels.map((label) => [label, text.toLowerCase().match(signs[label])?.length ?? 0] as const)
  return counts.reduce((best, next) => (next[1] > best[1] ? next : best))[0]
}

/** FNV-1a: luck that hangs on the text alone. */
const luckOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

const slips = { inAHundred: 4 }
const delay = { leastMillis: 40, spreadMillis: 50 }

const answerTo = (text: string): Label => {
  const luck = luckOf(text)
  const slipped = labels[luck % labels.length] ?? "bug"
  return (luck >>> 8) % 100 < slips.inAHundred ? slipped : judge(text)
}

/** As many providers count, about. */
const tokensOf = (text: string): number => Math.ceil(text.length / 4)

export const model = "teacher-large"
/** US dollars for a million tokens. */
export const price = { input_per_million: 2.5, output_per_million: 10 }
const apiKey = "sk-teacher-3f9c51d7"

interface ChatRequest {
  readonly messages: ReadonlyArray<Message>
  readonly stream?: boolean
}

interface ResponsesRequest {
  readonly input: ReadonlyArray<Message>
  readonly stream?: boolean
}

const completionOf = (messages: ReadonlyArray<Message>, label: Label) => {
  const prompt_tokens = tokensOf(messages.map(({ content }) => content).join(""))
  const completion_tokens = tokensOf(label)
  return {
    id: `chatcmpl-${luckOf(JSON.stringify(messages)).toString(16)}`,
    created: 1_795_168_800,
    model,
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
  }
}

const say = (response: ServerResponse, status: number, body: object): void =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

/** In two halves, with the counts in a chunk of their own. */
const stream = (response: ServerResponse, label: Label, { usage, ...top }: ReturnType<typeof completionOf>): void => {
  const half = Math.ceil(label.length / 2)
  const chunk = (choices: ReadonlyArray<object>, more = {}) =>
    response.write(`data: ${JSON.stringify({ ...top, object: "chat.completion.chunk", choices, ...more })}\n\n`)
  response.writeHead(200, { "content-type": "text/event-stream" })
  chunk([{ index: 0, delta: { role: "assistant", content: label.slice(0, half) }, finish_reason: null }])
  chunk([{ index: 0, delta: { content: label.slice(half) }, finish_reason: null }])
  chunk([{ index: 0, delta: {}, finish_reason: "stop" }])
  chunk([], { usage })
  response.end("data: [DONE]\n\n")
}

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const body = (await request.toArray()).join("")
  if (request.headers.authorization !== `Bearer ${apiKey}`) return say(response, 401, { error: { message: "Who?" } })
  if (request.url === "/v1/models")
    return say(response, 200, { object: "list", data: [{ id: model, object: "model" }] })
  const asked: ChatRequest | ResponsesRequest = JSON.parse(body)
  const messages = "input" in asked ? asked.input : asked.messages
  const text = messages.at(-1)?.content ?? ""
  await sleep(delay.leastMillis + (luckOf(text) % delay.spreadMillis))
  const label = answerTo(text)
  const completion = completionOf(messages, label)
  if ("input" in asked) {
    const whole = TeacherResponses.responseOf(completion, label)
    return asked.stream === true ? TeacherResponses.stream(response, whole) : say(response, 200, whole)
  }
  if (asked.stream === true) return stream(response, label, completion)
  const message = { role: "assistant", content: label }
  say(response, 200, {
    ...completion,
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: "stop" }]
  })
}

export interface Teacher {
  readonly baseUrl: string
  readonly apiKey: string
  /** How often it was asked for a completion, or for its models. */
  readonly requestCount: () => number
  /** Nobody is there from then on. */
  readonly switchOff: () => Promise<void>
}

export const start = async (): Promise<Teacher> => {
  let asked = 0
  const server = createServer((request, response) => {
    asked++
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo // A listening server has a port.
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    apiKey,
    requestCount: () => asked,
    switchOff: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      })
  }
}
