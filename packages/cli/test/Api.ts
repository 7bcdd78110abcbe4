// A client in plain Node, over plain HTTP.
// @effect-diagnostics globalFetch:off
/** What a client of the server does, and does again when it gets no answer. */
import { randomUUID } from "node:crypto"
import { eventually } from "@limbeck/testing/Eventually"
import { type Server, testToken } from "./Server.ts"

export interface Answer<A> {
  readonly status: number
  readonly headers: Headers
  /** The body's very bytes, as text. */
  readonly text: string
  readonly body: A
}

export interface Upload {
  readonly id: string
  readonly status: string
  readonly rows: number | null
  readonly sha256: string | null
  readonly upload_url: string
}

export interface Version {
  readonly id: string
  readonly status: string
  readonly rows: number
  readonly train_rows: number
  readonly holdout_rows: number
  readonly content_sha256: string | null
}

export interface Run {
  readonly id: string
  readonly status: string
  readonly report: string | null
  readonly updated_at: string
  readonly stages: ReadonlyArray<{ readonly kind: string; readonly status: string; readonly attempt: number }>
}

export interface Event {
  readonly id: string
  readonly type: string
  readonly data: { readonly object: { readonly id: string } }
}

export interface StreamEvent {
  readonly id: string
  readonly event: string
  readonly data: string
}

export interface Endpoint {
  readonly id: string
  readonly secret: string
}

export interface Refusal {
  readonly error: { readonly code: string }
}

interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly has_more: boolean
  readonly next_cursor: string | null
}

interface Request {
  readonly body?: unknown
  readonly key?: string
}

export const isOver = ({ status }: { readonly status: string }): boolean =>
  ["succeeded", "failed", "canceled"].includes(status)

export class Api {
  readonly server: Server
  readonly #token: string

  constructor(server: Server, token = testToken) {
    this.server = server
    this.#token = token
  }

  /** One request; rejects when no answer comes. */
  async call<A>(method: string, path: string, { body, key }: Request = {}): Promise<Answer<A>> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#token}` }
    if (body !== undefined) headers["content-type"] = "application/json"
    if (key !== undefined) headers["idempotency-key"] = key
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    const response = await fetch(this.server.origin + path, init)
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: text === "" ? null : JSON.parse(text) }
  }

  /** Asks with the same key until the answer is a 2xx: the server may be down, or still at the first request. */
  persist<A>(method: string, path: string, request: Request = {}): Promise<Answer<A>> {
    return eventually(`a 2xx from ${method} ${path}`, async () => {
      const answer = await this.call<A & Partial<Refusal>>(method, path, request).catch(() => undefined)
      if (answer === undefined || answer.status >= 500) return undefined
      if (answer.body.error?.code === "idempotency_key_in_flight") return undefined
      if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
      return answer
    })
  }

  async get<A>(path: string): Promise<A> {
    return (await this.persist<A>("GET", path)).body
  }

  async create<A>(path: string, body: unknown, key: string = randomUUID()): Promise<A> {
    return (await this.persist<A>("POST", path, { body, key })).body
  }

  /** A body that is no JSON. */
  async text(path: string): Promise<string> {
    const response = await fetch(this.server.origin + path, { headers: { authorization: `Bearer ${this.#token}` } })
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`)
    return response.text()
  }

  /** Events of a run after a given one: to the stream's end, or at most `most`. */
  async stream(run: string, after = "", most = Number.POSITIVE_INFINITY) {
    const headers = { authorization: `Bearer ${this.#token}`, "last-event-id": after }
    const response = await fetch(`${this.server.origin}/v1/distill/runs/${run}/stream`, { headers })
    if (response.body === null || !response.ok) throw new Error(`the stream of ${run} answered ${response.status}`)
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let text = ""
    while (true) {
      const { done, value } = await reader.read()
      text += value ?? ""
      const events = [...text.matchAll(/^id: (.*)\nevent: (.*)\ndata: (.*)\n\n/gm)].map(
        ([, id = "", event = "", data = ""]): StreamEvent => ({ id, event, data })
      )
      if (done) return { events, ended: true }
      if (events.length >= most) {
        await reader.cancel()
        return { events: events.slice(0, most), ended: false }
      }
    }
  }

  /** Every entry of a list. */
  async list<A>(path: string): Promise<ReadonlyArray<A>> {
    const walk = new Walk<A>(this, path)
    do await walk.step()
    while (walk.hasMore)
    return walk.seen
  }

  /** All events, as they were committed. A walk in this order meets one only when nothing that began before is under way. */
  async events(): Promise<ReadonlyArray<Event>> {
    const { length } = await this.list<Event>("/v1/events")
    return eventually("a forward walk meets every event", async () => {
      const events = await this.list<Event>("/v1/events?order=asc")
      return events.length >= length ? events : undefined
    })
  }

  send(upload: Upload, content: string): Promise<Response> {
    return fetch(this.server.origin + new URL(upload.upload_url).pathname + new URL(upload.upload_url).search, {
      method: "PUT",
      body: content
    })
  }

  /** An upload that waits for its content. */
  announce(): Promise<Upload> {
    return this.create("/v1/distill/uploads", { filename: "rows.jsonl", format: "chat_jsonl" })
  }

  /** An upload whose content the server has. */
  async upload(content: string): Promise<Upload> {
    const upload = await this.announce()
    const { status } = await this.send(upload, content)
    if (status !== 202) throw new Error(`The content of an upload was answered ${status}`)
    return upload
  }

  /** A version under construction. */
  async build(upload: Upload): Promise<Version> {
    const dataset = await this.create<{ id: string }>("/v1/distill/datasets", { name: "tickets" })
    return this.create(`/v1/distill/datasets/${dataset.id}/versions`, { from: { upload: upload.id } })
  }

  finished<A extends { readonly status: string }>(path: string, unfinished: string): Promise<A> {
    return eventually(`${path} is no longer ${unfinished}`, async () => {
      const found = await this.get<A>(path)
      return found.status === unfinished ? undefined : found
    })
  }

  uploaded({ id }: { readonly id: string }): Promise<Upload> {
    return this.finished(`/v1/distill/uploads/${id}`, "processing")
  }

  built({ id }: { readonly id: string }): Promise<Version> {
    return this.finished(`/v1/distill/dataset_versions/${id}`, "building")
  }

  /** The request of a dry run. */
  async plan(): Promise<unknown> {
    const upload = await this.upload(rows(30))
    await this.uploaded(upload)
    const version = await this.built(await this.build(upload))
    return {
      dataset_version: version.id,
      recipe: {
        student_model: "builtin/text-classifier",
        stages: [
          { kind: "sft", config: {} },
          { kind: "eval", config: { rewards: [], sample: 3 } },
          { kind: "publish", config: {} }
        ],
        rewards: []
      },
      budget: { max_cost_usd: 1 },
      compute: { profile: "local" },
      dry_run: true
    }
  }

  run(id: string): Promise<Run> {
    return this.get(`/v1/distill/runs/${id}`)
  }

  /** Creates `count` runs of the plan. */
  runs(plan: unknown, count: number): Promise<ReadonlyArray<Run>> {
    return Promise.all(Array.from({ length: count }, () => this.create<Run>("/v1/distill/runs", plan)))
  }

  /** The runs, all over. */
  whenOver(runs: ReadonlyArray<Run>): Promise<ReadonlyArray<Run>> {
    return eventually("every run is over", async () => {
      const found = await Promise.all(runs.map(({ id }) => this.run(id)))
      return found.every(isOver) ? found : undefined
    })
  }
}

/** Walks a list page by page, from where it stands. */
export class Walk<A> {
  readonly seen: Array<A> = []
  hasMore = true
  readonly #api: Api
  readonly #path: string
  #cursor: string | null = null

  constructor(api: Api, path: string) {
    this.#api = api
    this.#path = path
  }

  async step(): Promise<void> {
    const query = `${this.#path.includes("?") ? "&" : "?"}limit=100`
    const place = this.#cursor === null ? "" : `&cursor=${encodeURIComponent(this.#cursor)}`
    const page = await this.#api.get<Page<A>>(this.#path + query + place)
    this.seen.push(...page.data)
    this.hasMore = page.has_more
    this.#cursor = page.next_cursor
  }
}

/** JSON Lines of that many different rows. */
export const rows = (count: number): string =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({ messages: [{ role: "user", content: `ticket ${index}` }], completion: `label ${index % 3}` })
  ).join("\n")

/** How many there are of each. */
export const countBy = <A>(all: ReadonlyArray<A>, name: (one: A) => string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const one of all) counts.set(name(one), (counts.get(name(one)) ?? 0) + 1)
  return counts
}
