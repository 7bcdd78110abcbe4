/** Clients that alternate between two servers, as behind a load balancer, and retry until a response. */
import { performance } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"
import type { Answer, Api, Refusal } from "../../cli/test/Api.ts"
import type { Kind, Ledger } from "./Ledger.ts"

const retryMillis = 50
/** Longer than any fault lasts. */
const patienceMillis = 180_000

const isAcknowledged = ({ status }: Answer<unknown>): boolean => status < 300

/** Worth another try with the same key; any other 4xx is the end. */
const mayBeRetried = ({ body, status }: Answer<unknown>): boolean =>
  status >= 500 || status === 429 || (body as Partial<Refusal> | null)?.error?.code === "idempotency_key_in_flight"

export class Clients {
  readonly ledger: Ledger
  readonly #apis: readonly [Api, Api]
  #turn = 0

  constructor(ledger: Ledger, apis: readonly [Api, Api]) {
    this.ledger = ledger
    this.#apis = apis
  }

  /** The acknowledged answer; undefined for a refusal that no client would try again. */
  async operate<A>(kind: Kind, send: (api: Api) => Promise<Answer<A>>): Promise<Answer<A> | undefined> {
    const account = this.ledger[kind]
    const beganAt = performance.now()
    while (performance.now() < beganAt + patienceMillis) {
      const answer = await send(this.#apis[this.#turn++ % 2 === 0 ? 0 : 1]).catch(() => undefined)
      const acknowledged = answer !== undefined && isAcknowledged(answer)
      account.tried(acknowledged ? null : String(answer?.status ?? "none"))
      account.longestMillis = Math.max(account.longestMillis, performance.now() - beganAt)
      if (acknowledged) return answer
      if (answer !== undefined && !mayBeRetried(answer)) return undefined
      await sleep(retryMillis)
    }
    throw new Error(`A client waited ${patienceMillis} ms in vain: ${kind}`)
  }
}
