/** A family of abuse: an action repeated until stopped, with a count of responses. */
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { type Dispatcher, Pool } from "undici"
import { token } from "./Token.ts"

/** How often each answer came: a status, the status of a resource, or the code of an error. */
export class Answers {
  readonly #counts = new Map<string, number>()

  add(answer: string): void {
    this.#counts.set(answer, (this.#counts.get(answer) ?? 0) + 1)
  }

  toString(): string {
    return [...this.#counts].map(([answer, count]) => `${count} × ${answer}`).join(", ")
  }
}

export interface Target {
  readonly origin: string
  readonly answers: Answers
  readonly isOver: () => boolean
}

/** Returns after the end of all its work. */
export type Family = (target: Target) => Promise<void>

const patienceMillis = 120_000

export const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }

/** Requests to a server, of which each counts its answer. */
export class Client {
  readonly #pool: Pool
  readonly #answers: Answers

  constructor({ answers, origin }: Target) {
    this.#pool = new Pool(origin, { connections: 8, headersTimeout: patienceMillis, bodyTimeout: patienceMillis })
    this.#answers = answers
  }

  /** The body of the answer; empty if none came. */
  async send(
    label: string,
    method: Dispatcher.HttpMethod,
    path: string,
    body: string | Buffer | null = null,
    sent: Readonly<Record<string, string>> = headers
  ): Promise<string> {
    try {
      const answer = await this.#pool.request({ method, path, body, headers: { ...sent } })
      const text = await answer.body.text()
      this.#answers.add(`${label} ${answer.statusCode}`)
      return text
    } catch (error) {
      this.#answers.add(`${label} ${(error as NodeJS.ErrnoException).code ?? String(error)}`)
      return ""
    }
  }

  /** A created or read resource; empty for a refusal. */
  async json(label: string, method: "GET" | "POST", path: string, body?: object): Promise<Record<string, unknown>> {
    const sent = { ...headers, "idempotency-key": randomUUID() }
    const text = await this.send(label, method, path, body === undefined ? null : JSON.stringify(body), sent)
    // Our own server answers objects, refusals too.
    return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>)
  }

  /** The status of the resource at `path` once it is no longer `open`; the response's status without a resource. */
  async awaitSettled(path: string, open: string): Promise<unknown> {
    for (const patientUntil = performance.now() + patienceMillis; performance.now() < patientUntil; ) {
      const { body, statusCode } = await this.#pool.request({ method: "GET", path, headers: { ...headers } })
      const { status } = (await body.json()) as { readonly status?: unknown }
      if (statusCode >= 400 && statusCode < 500) return statusCode
      if (statusCode < 300 && status !== open) return status
      await sleep(100)
    }
    return `still ${open}`
  }

  close(): Promise<void> {
    return this.#pool.destroy()
  }
}
