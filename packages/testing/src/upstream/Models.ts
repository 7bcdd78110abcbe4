/** An upstream on this machine that speaks chat completions, and answers a path as a test tells it. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Signal } from "../Signal.ts"

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly rawHeaders: ReadonlyArray<string>
  readonly headers: IncomingMessage["headers"]
  readonly body: string
  /** Of the body, as they came. */
  readonly bytes: Uint8Array
}

export const key = "sk-upstream-0123456789abcdef"

const completion = (model: unknown, content: string) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model,
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 }
})

/** The fields of a request that decide the answer. */
interface SentChat {
  readonly model: string
  readonly messages: ReadonlyArray<{ readonly content: string }>
}

/** Each has a base URL of its own. */
let bases = 0

export class Models {
  readonly asked: Array<ReceivedRequest> = []
  /** Rings when a request is received, after its listener. */
  readonly changes = new Signal()
  private readonly listeners = new Map<string, RequestListener>()
  private readonly server = createServer(async (request, response) => {
    const bytes = Buffer.concat(await request.toArray())
    const body = bytes.toString()
    const path = request.url ?? ""
    const { headers, method = "", rawHeaders } = request
    this.asked.push({ method, path, rawHeaders, headers, body, bytes })
    const listener = this.listeners.get(/^\/\d+\/v1\//.exec(path)?.[0] ?? "")
    if (listener === undefined) response.writeHead(404).end("no such path")
    else listener(Object.assign(request, { sent: body }), response)
    this.changes.ring()
  })

  async open() {
    await once(this.server.listen(0, "127.0.0.1"), "listening")
  }

  close() {
    this.server.closeAllConnections()
    this.server.close()
  }

  get origin() {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}` // It listens on a port.
  }

  /** A base URL below which every path is answered like this. */
  base(listener: RequestListener): string {
    const path = `/${++bases}/v1`
    this.listeners.set(`${path}/`, listener)
    return this.origin + path
  }

  /** One that has these models, asks for the key, and answers every chat with `said`. */
  speaking(said: string | ((request: SentChat) => string), models = ["gpt", "mini"]): string {
    return this.base((request, response) => {
      const answer = (status: number, body: unknown) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
      if (request.headers.authorization !== `Bearer ${key}`) return answer(401, { error: { message: "Incorrect key" } })
      if (request.method === "GET") {
        return answer(200, { object: "list", data: models.map((id) => ({ id, object: "model" })) })
      }
      const sent = JSON.parse((request as IncomingMessage & { readonly sent: string }).sent) // The server has read it.
      return answer(200, completion(sent.model, typeof said === "string" ? said : said(sent)))
    })
  }

  /** What came to a base URL. */
  at(base: string): ReadonlyArray<ReceivedRequest> {
    return this.asked.filter(({ path }) => (this.origin + path).startsWith(`${base}/`))
  }

  /** A base URL without a listener: the system never assigns this port by itself, unlike a port just closed. */
  static readonly closed = "http://127.0.0.1:2/v1"
}
