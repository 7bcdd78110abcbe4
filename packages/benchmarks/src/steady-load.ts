/**
 * Normal requests at a steady rate, sent on time regardless of earlier responses. A latency counts from the planned moment,
 * so every request during a stall shows it. Started by `Child`, apart from the abuse.
 */
import { randomUUID } from "node:crypto"
import { performance } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"
import { Pool } from "undici"
import { report } from "./Child.ts"
import * as Latency from "./Latency.ts"
import type { Request } from "./Load.ts"
import { token } from "./Token.ts"

/** One phase: from `begin` to `end`. */
export type Command = { readonly kind: "begin"; readonly perSecond: number } | { readonly kind: "end" }

export interface SteadyLoad {
  readonly requests: number
  readonly latency: Latency.Latency
  /** Counts of each failure: a status other than 2xx, or an error code. */
  readonly failures: Readonly<Record<string, number>>
}

const [origin = ""] = process.argv.slice(2)
const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
/** A client's timeout. */
const patienceMillis = 30_000

const messages = [{ role: "user", content: "I was charged twice for order 4711 and nobody answers my mails." }]
const question = JSON.stringify({ model: "bench-model", messages })

const kinds: ReadonlyArray<() => Request> = [
  () => ({ method: "GET", path: "/v1/whoami", headers }),
  () => ({ method: "GET", path: "/v1/events?limit=20", headers }),
  () => ({
    method: "POST",
    path: "/v1/distill/datasets",
    headers: { ...headers, "idempotency-key": randomUUID() },
    body: '{"name":"tickets"}'
  }),
  () => ({ method: "POST", path: "/v1/proxy/chat/completions", headers, body: question })
]

const pool = new Pool(origin, { connections: 256, headersTimeout: patienceMillis, bodyTimeout: patienceMillis })

class Phase {
  readonly #latencies: Array<number> = []
  readonly #failures: Record<string, number> = {}
  readonly #underWay = new Set<Promise<void>>()
  readonly #sending: Promise<void>
  #isOpen = true

  constructor(perSecond: number) {
    this.#sending = this.#send(1_000 / perSecond)
  }

  async #send(gapMillis: number): Promise<void> {
    const startedAt = performance.now()
    for (let n = 0; this.#isOpen; n++) {
      const dueAt = startedAt + n * gapMillis
      const early = dueAt - performance.now()
      if (early > 0) await sleep(early)
      const sent = this.#request(n, dueAt).finally(() => this.#underWay.delete(sent))
      this.#underWay.add(sent)
    }
  }

  async #request(n: number, dueAt: number): Promise<void> {
    const { body = null, headers = {}, method, path } = kinds[n % kinds.length]!()
    const failure = await pool.request({ method, path, headers: { ...headers }, body }).then(
      async ({ body, statusCode }) => {
        await body.dump()
        return statusCode < 300 ? undefined : String(statusCode)
      },
      (error: NodeJS.ErrnoException) => error.code ?? error.name
    )
    this.#latencies.push(performance.now() - dueAt)
    if (failure !== undefined) this.#failures[failure] = (this.#failures[failure] ?? 0) + 1
  }

  async end(): Promise<SteadyLoad> {
    this.#isOpen = false
    await this.#sending
    await Promise.all(this.#underWay)
    return { requests: this.#latencies.length, latency: Latency.of(this.#latencies), failures: this.#failures }
  }
}

let phase: Phase | undefined

report("steady-load", (command) => {
  // Only the benchmark sends commands, and it sends these.
  const wanted = command as Command
  if (wanted.kind === "end") return phase?.end()
  phase = new Phase(wanted.perSecond)
  return null
})
