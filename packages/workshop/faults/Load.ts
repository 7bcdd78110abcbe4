// Clients in plain Node, over plain HTTP.
// @effect-diagnostics globalFetch:off
/** All client operations on the two servers, concurrently, until stopped. */
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { type Answer, type Api, type Run, rows, type Upload } from "../../cli/test/Api.ts"
import { liveToken } from "../../cli/test/Server.ts"
import { Clients } from "./Clients.ts"
import * as Ledger from "./Ledger.ts"
import type { World } from "./World.ts"

export const rowsOfUpload = 30
const content = rows(rowsOfUpload)

/** Sends the whole content, or the part missing on the server. */
const put = async (api: Api, { id }: Upload): Promise<Answer<Upload>> => {
  const url = `${api.server.origin}/v1/distill/uploads/${id}/content`
  const headers = { authorization: `Bearer ${liveToken}` }
  const offset = Number((await fetch(url, { method: "HEAD", headers })).headers.get("upload-offset") ?? 0)
  // Who sent the last byte without hearing an answer has nothing left to send.
  if (offset === content.length) return api.call("GET", `/v1/distill/uploads/${id}`)
  const range = `bytes ${offset}-${content.length - 1}/${content.length}`
  const response = await fetch(url, {
    method: "PUT",
    headers: offset === 0 ? headers : { ...headers, "content-range": range },
    body: content.slice(offset)
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}

export class Load {
  readonly ledger = Ledger.make()
  /** Acknowledged changes that were later missing. */
  forgottenChanges = 0
  /** The deployment's share, as acknowledged last. */
  share: number | undefined
  readonly #clients: Clients
  readonly #world: World
  readonly #working: ReadonlyArray<Promise<void>>
  #isOver = false
  #count = 0
  #newestCall: string | undefined

  constructor(world: World) {
    this.#world = world
    this.#clients = new Clients(this.ledger, world.apis)
    const question = { model: "teacher" }
    const deployed = { model: `svc:${world.alias}` }
    this.#working = [
      this.#repeat(80, () => this.#call(question)),
      this.#repeat(80, () => this.#call(question)),
      this.#repeat(160, () => this.#call(deployed)),
      this.#repeat(1_500, () => this.#run()),
      this.#repeat(300, () => this.#dataset()),
      this.#repeat(1_500, () => this.#upload()),
      this.#repeat(1_500, () => this.#version()),
      this.#repeat(300, () => this.#question()),
      this.#repeat(300, () => this.#feedback()),
      this.#repeat(500, () => this.#change()),
      this.#repeat(300, () => this.#read("read", "/v1/events?limit=5")),
      this.#repeat(300, () => this.#read("health", "/healthz"))
    ]
  }

  /** Waits for what is under way. */
  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#working)
  }

  async #repeat(pauseMillis: number, work: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      await work()
      await sleep(pauseMillis)
    }
  }

  /** Each try is another call: the proxy has no idempotency keys. */
  async #call(asked: { readonly model: string }): Promise<void> {
    const answer = await this.#clients.operate("call", (api) => {
      const body = { ...asked, messages: [{ role: "user", content: `question ${this.#count++}` }] }
      return api.call("POST", "/v1/proxy/chat/completions", { body })
    })
    const id = answer?.headers.get("x-service-call-id")
    if (typeof id !== "string") return
    this.ledger.call.acknowledged.push(id)
    this.#newestCall = id
  }

  async #create<A>(kind: Ledger.Kind, path: string, body: object): Promise<A | undefined> {
    const key = randomUUID()
    return (await this.#clients.operate<A>(kind, (api) => api.call("POST", path, { body, key })))?.body
  }

  async #run(): Promise<void> {
    const run = await this.#create<Run>("run", "/v1/distill/runs", this.#world.plan)
    if (run !== undefined) this.ledger.run.acknowledged.push(run.id)
  }

  async #dataset(): Promise<void> {
    const dataset = await this.#create<{ id: string }>("dataset", "/v1/distill/datasets", { name: "under load" })
    if (dataset !== undefined) this.ledger.dataset.acknowledged.push(dataset.id)
  }

  async #upload(): Promise<void> {
    const announced = { filename: "rows.jsonl", format: "chat_jsonl" }
    const upload = await this.#create<Upload>("upload", "/v1/distill/uploads", announced)
    if (upload === undefined) return
    const taken = await this.#clients.operate("upload", (api) => put(api, upload))
    if (taken !== undefined) this.ledger.upload.acknowledged.push(upload.id)
  }

  async #version(): Promise<void> {
    const { dataset, upload } = this.#world.data
    const path = `/v1/distill/datasets/${dataset}/versions`
    const version = await this.#create<{ id: string }>("version", path, { from: { upload } })
    if (version !== undefined) this.ledger.version.acknowledged.push(version.id)
  }

  /** Begins a conversation; the model's answer comes in the response. */
  async #question(): Promise<void> {
    const text = `chat ${this.#count++}`
    const answer = await this.#create<{ id: string }>("question", "/v1/chat", { text, session: text })
    if (answer !== undefined) this.ledger.question.acknowledged.push(answer.id)
  }

  /** On the newest call, which may still be in the journal of either server. */
  async #feedback(): Promise<void> {
    if (this.#newestCall === undefined) return
    const value = this.#count++
    const body = { call_id: this.#newestCall, name: "quality", value }
    const feedback = await this.#create("feedback", "/v1/distill/feedback", body)
    if (feedback !== undefined) this.ledger.feedback.acknowledged.push(String(value))
  }

  /** Changes the traffic share, after checking the previous change. */
  async #change(): Promise<void> {
    const path = this.#world.deployment
    const found = await this.#clients.operate<{ traffic_percent: number }>("read", (api) => api.call("GET", path))
    if (this.share !== undefined && found?.body.traffic_percent !== this.share) this.forgottenChanges += 1
    const traffic_percent = ((this.share ?? 0) + 1) % 100
    const changed = await this.#clients.operate("change", (api) =>
      api.call("PATCH", path, { body: { traffic_percent } })
    )
    if (changed === undefined) return
    this.share = traffic_percent
    this.ledger.change.acknowledged.push(String(traffic_percent))
  }

  async #read(kind: Ledger.Kind, path: string): Promise<void> {
    await this.#clients.operate(kind, (api) => api.call("GET", path))
  }
}
