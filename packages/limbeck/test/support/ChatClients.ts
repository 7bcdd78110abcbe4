/** Clients of a chat that persist: each asks under a key, again and again, until a server answers it. */
import { setTimeout as sleep } from "node:timers/promises"
import { Pool } from "undici"
import { token } from "./ProxyServers.ts"

const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }

export interface TakenQuestion {
  /** What only this question asks. */
  readonly mark: string
  /** How it was asked. */
  readonly kind: "callback" | "in_place" | "stream"
  /** Of the answer. */
  readonly id: string
  readonly conversation: string
  /** The client's received text; null for a callback. */
  readonly text: string | null
}

const kinds = ["callback", "in_place", "callback", "stream"] as const

/** Questions per conversation. */
const questionsEach = 3

const retryMillis = 50

interface MessageView {
  readonly id: string
  readonly conversation: string
  readonly text?: string
}

/** The message of the last event; undefined where the stream broke off, or ended without an answer. */
const lastOf = (stream: string): MessageView | undefined => {
  const [, data] = /event: message\.completed\n(?:.*\n)*?data: (.*)\n/.exec(stream) ?? []
  return data === undefined ? undefined : JSON.parse(data)
}

export class ChatClients {
  readonly taken: Array<TakenQuestion> = []
  /** Refusals that no kill explains. */
  readonly refused: Array<string> = []
  readonly #webhook: string
  readonly #origin: () => string
  readonly #pools = new Map<string, Pool>()
  #count = 0

  /** `origin`: of a server that lives, or lived a moment ago. */
  constructor(webhook: string, origin: () => string) {
    this.#webhook = webhook
    this.#origin = origin
  }

  /** Ends when it has begun no question since `isOver`, and has an answer to each. */
  async run(clients: number, isOver: () => boolean): Promise<void> {
    const client = async (_: unknown, number: number) => {
      for (let asked = 0; !isOver(); asked++) {
        await this.#ask(`client ${number} at ${Math.floor(asked / questionsEach)}`, kinds[asked % kinds.length]!)
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()))
  }

  async #ask(session: string, kind: TakenQuestion["kind"]): Promise<void> {
    const index = ++this.#count
    const mark = `question ${index} of ${session}`
    const how = { callback: { webhook: this.#webhook }, in_place: {}, stream: { stream: true } }[kind]
    const body = JSON.stringify({ text: mark, session, ...how })
    for (;;) {
      const shown = await this.#once(`key-${index}`, body)
      if (shown !== undefined) {
        const { conversation, id, text = null } = shown
        this.taken.push({ mark, kind, id, conversation, text })
        return
      }
      await sleep(retryMillis)
    }
  }

  /** Undefined: again, with the same key. */
  async #once(key: string, body: string): Promise<MessageView | undefined> {
    const origin = this.#origin()
    const pool = this.#pools.get(origin) ?? new Pool(origin)
    this.#pools.set(origin, pool)
    try {
      const answer = await pool.request({
        method: "POST",
        path: "/v1/chat",
        headers: { ...headers, "idempotency-key": key },
        body
      })
      const text = await answer.body.text()
      if (String(answer.headers["content-type"]).startsWith("text/event-stream")) return lastOf(text)
      if (answer.statusCode < 300) return JSON.parse(text)
      if (answer.statusCode < 500 && !text.includes("idempotency_key_in_flight")) this.refused.push(text)
    } catch {
      // The server is gone.
    }
    return undefined
  }
}

export interface ChatMessage {
  readonly id: string
  readonly role: string
  readonly status: string
  readonly text: string
  readonly question: string | null
  readonly error: { readonly code: string } | null
  readonly callback: { readonly status: string; readonly status_code: number | null } | null
}

/** All conversations with their messages, oldest message first. */
export const conversationsAt = async (origin: string): Promise<ReadonlyMap<string, ReadonlyArray<ChatMessage>>> => {
  const pool = new Pool(origin)
  const all = async <A>(path: string): Promise<ReadonlyArray<A>> => {
    const found: Array<A> = []
    for (let cursor: string | null = ""; cursor !== null; ) {
      const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
      const answer = await pool.request({ method: "GET", path: `${path}?limit=100${query}`, headers })
      const page = (await answer.body.json()) as { data: ReadonlyArray<A>; next_cursor: string | null } // Our own list.
      found.push(...page.data)
      cursor = page.next_cursor
    }
    return found
  }
  const found = new Map<string, ReadonlyArray<ChatMessage>>()
  for (const { id } of await all<{ readonly id: string }>("/v1/conversations")) {
    found.set(id, (await all<ChatMessage>(`/v1/conversations/${id}/messages`)).toReversed())
  }
  await pool.close()
  return found
}
