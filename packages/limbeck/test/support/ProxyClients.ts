/** Proxy clients, with each call whose whole answer they have. */
import { Signal } from "@limbeck/testing/Signal"
import { Pool } from "undici"
import { token } from "./ProxyServers.ts"

export interface ReceivedAnswer {
  readonly id: string
  /** What only this call asked. */
  readonly mark: string
}

const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }

export const post = async (origin: string, path: string, body: object): Promise<void> => {
  const pool = new Pool(origin)
  const answer = await pool.request({ method: "POST", path, headers, body: JSON.stringify(body) })
  const text = await answer.body.text()
  await pool.close()
  if (answer.statusCode > 299) throw new Error(`${path}: ${answer.statusCode} ${text}`)
}

export class ProxyClients {
  readonly received: Array<ReceivedAnswer> = []
  /** Rings after each answer. */
  readonly changes = new Signal()
  /** Answers that were no 200: who is killed answers nothing. */
  readonly refused: Array<string> = []
  #count = 0

  /** Asks again and again, until the server is gone or `signal` says so; every other call is a stream. */
  async load(origin: string, clients: number, signal: AbortSignal, onAnswer = () => {}): Promise<void> {
    const pool = new Pool(origin, { connections: clients })
    const client = async () => {
      while (!signal.aborted && (await this.#call(pool))) onAnswer()
    }
    await Promise.all(Array.from({ length: clients }, client))
    await pool.destroy()
  }

  /** Answers whether there was an answer. */
  async #call(pool: Pool): Promise<boolean> {
    const index = ++this.#count
    const mark = `call ${index} of ${process.pid}`
    const body = JSON.stringify({ model: "m", stream: index % 2 === 0, messages: [{ role: "user", content: mark }] })
    try {
      const answer = await pool.request({ method: "POST", path: "/v1/proxy/chat/completions", headers, body })
      const text = await answer.body.text()
      if (answer.statusCode === 200) this.received.push({ id: String(answer.headers["x-service-call-id"]), mark })
      else this.refused.push(text)
      this.changes.ring()
      return true
    } catch {
      return false
    }
  }
}
