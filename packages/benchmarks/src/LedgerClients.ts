// @effect-diagnostics globalFetch:off
/** Clients that call, run, cancel, retry, top up and read balances at random, at servers that may be killed meanwhile. */
import { setTimeout as sleep } from "node:timers/promises"
import { assert } from "@effect/vitest"
import { dryRun } from "@limbeck/testing/http/Steps"
import type { Generator } from "@limbeck/testing/random/Generator"
import type { LedgerServers } from "./LedgerServers.ts"

const operations = [
  ...Array.from({ length: 10 }, () => "call" as const),
  ...(["run", "run", "run", "cancel", "cancel", "retry", "retry", "topUp", "topUp", "balance", "balance"] as const)
]

interface Answer {
  readonly status: number
  readonly body: { readonly id?: string; readonly balance_usd?: number; readonly error?: { readonly code: string } }
}

const restMillis = 30

export class LedgerClients {
  /** Counts of outcomes by kind of operation and status. */
  readonly outcomes = new Map<string, number>()
  /** Micro-dollars of each top-up, by its reference; all were acknowledged in the end. */
  readonly topUps = new Map<string, number>()
  private readonly runs: Array<string> = []
  private readonly servers: LedgerServers
  private readonly random: Generator
  private readonly token: string
  private readonly version: string
  private keys = 0

  constructor(servers: LedgerServers, random: Generator, token: string, version: string) {
    this.servers = servers
    this.random = random
    this.token = token
    this.version = version
  }

  async perform(): Promise<void> {
    const operation = this.random.pick(operations)
    const outcome = await this[operation]()
    const name = `${operation} ${outcome}`
    this.outcomes.set(name, (this.outcomes.get(name) ?? 0) + 1)
  }

  /** Tops up once; if a server dies meanwhile, another one gets the same request. */
  async topUpOf(reference: string, micros: number): Promise<void> {
    this.topUps.set(reference, micros)
    for (let place = this.random.below(2); ; place++) {
      if (await this.servers.topUp(place, { amountUsd: micros / 1e6, reference })) return
      await sleep(restMillis)
    }
  }

  private async topUp(): Promise<string> {
    const known = [...this.topUps]
    const [reference, micros] =
      known.length > 0 && this.random.below(3) === 0
        ? this.random.pick(known)
        : [`payment ${this.topUps.size}`, 1 + this.random.below(4_000)]
    await this.topUpOf(reference, micros)
    return "done"
  }

  /** Calls are not repeated: after a server's death their outcome is unknown. */
  private async call(): Promise<string> {
    const body = {
      model: "gpt",
      max_tokens: 1 + this.random.below(40),
      messages: [{ role: "user", content: String(this.random.below(1_000_000)) }]
    }
    const answer = await this.sendOnce("POST", "/v1/proxy/chat/completions", body)
    if (answer !== null) assert.oneOf(answer.status, [200, 402, 500, 503], JSON.stringify(answer.body))
    return answer === null ? "cut" : String(answer.status)
  }

  private async run(): Promise<string> {
    const budget = { max_cost_usd: (1 + this.random.below(1_500)) / 1e6 }
    const answer = await this.sendUntilAnswered(
      "POST",
      "/v1/distill/runs",
      dryRun(this.version, { dry_run: false, budget })
    )
    assert.oneOf(answer.status, [201, 402], JSON.stringify(answer.body))
    if (answer.body.id !== undefined) this.runs.push(answer.body.id)
    return String(answer.status)
  }

  private async cancel(): Promise<string> {
    if (this.runs.length === 0) return "none"
    const answer = await this.sendUntilAnswered("POST", `/v1/distill/runs/${this.random.pick(this.runs)}/cancel`, {})
    assert.oneOf(answer.status, [200, 409], JSON.stringify(answer.body))
    return String(answer.status)
  }

  private async retry(): Promise<string> {
    if (this.runs.length === 0) return "none"
    const more = this.random.below(2) === 0 ? {} : { budget: { max_cost_usd: (1 + this.random.below(3_000)) / 1e6 } }
    const answer = await this.sendUntilAnswered("POST", `/v1/distill/runs/${this.random.pick(this.runs)}/retry`, more)
    // 400: the new budget is not above what the run has spent.
    assert.oneOf(answer.status, [200, 400, 402, 409], JSON.stringify(answer.body))
    return String(answer.status)
  }

  private async balance(): Promise<string> {
    const answer = await this.sendOnce("GET", "/v1/billing/balance")
    if (answer === null) return "cut"
    if (answer.status === 200) assert.isAtLeast(answer.body.balance_usd ?? -1, 0)
    return String(answer.status)
  }

  /** Repeats until a server returns the outcome. */
  private async sendUntilAnswered(method: string, path: string, body: unknown): Promise<Answer> {
    const headers = { "idempotency-key": `operation-${++this.keys}` }
    for (;;) {
      const answer = await this.sendOnce(method, path, body, headers)
      const isOpen = answer === null || answer.status === 503 || answer.body.error?.code === "idempotency_key_in_flight"
      if (!isOpen) return answer
      await sleep(restMillis)
    }
  }

  /** Null where the server died over it. */
  private async sendOnce(method: string, path: string, body?: unknown, headers = {}): Promise<Answer | null> {
    const { origin } = await this.servers.at(this.random.below(2))
    try {
      const response = await fetch(origin + path, {
        method,
        headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return { status: response.status, body: JSON.parse(await response.text()) }
    } catch {
      return null
    }
  }
}
