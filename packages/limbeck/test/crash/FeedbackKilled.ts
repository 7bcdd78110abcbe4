/** Feedback is given on calls right after their answers, under keys, while the receiving servers are killed. */
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises"
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { caseCount } from "@limbeck/testing/Campaign"
import { eventually } from "@limbeck/testing/Eventually"
import { url } from "@limbeck/testing/fixtures/Postgres"
import { luck } from "@limbeck/testing/random/Luck"
import { Pool } from "undici"
import * as CapturedCalls from "../support/CapturedCalls.ts"
import { post } from "../support/ProxyClients.ts"
import * as ProxyServers from "../support/ProxyServers.ts"

const kills = caseCount(3, 16)
const places = 2
const clients = 8
/** The most feedback that a server takes before it is killed. */
const takenMost = 24
/** Of a client between two calls: a server that starts meanwhile needs the processors too. */
const pauseMillis = 20

const headers = { authorization: `Bearer ${ProxyServers.token}`, "content-type": "application/json" }

interface SentFeedback {
  readonly path: string
  readonly body: object
  readonly key?: string
}

/** The answer; undefined where there was none. */
const send = async (pool: Pool, { body, key, path }: SentFeedback) => {
  try {
    const answer = await pool.request({
      method: "POST",
      path,
      headers: key === undefined ? headers : { ...headers, "idempotency-key": key },
      body: JSON.stringify(body)
    })
    await answer.body.dump()
    return { status: answer.statusCode, headers: answer.headers }
  } catch {
    return undefined
  }
}

const question = { model: "m", messages: [{ role: "user", content: "?" }] }

/** Successive servers, and the connection to the current one. */
class Places {
  readonly pools = new Set<Pool>()
  /** How much feedback is on its way to each, and how much each has taken. */
  readonly #giving = new Map<Pool, number>()
  readonly #taken = new Map<Pool, number>()
  #next = 0

  isGiven(pool: Pool): boolean {
    return (this.#giving.get(pool) ?? 0) > 0
  }

  hasTaken(pool: Pool): number {
    return this.#taken.get(pool) ?? 0
  }

  async give(sent: SentFeedback) {
    const pool = await this.up()
    const count = (of: Map<Pool, number>, more: number) => of.set(pool, (of.get(pool) ?? 0) + more)
    count(this.#giving, 1)
    const answer = await send(pool, sent)
    count(this.#giving, -1)
    if (answer?.status === 201) count(this.#taken, 1)
    return answer
  }

  async up(): Promise<Pool> {
    for (;;) {
      const pools = [...this.pools]
      if (pools.length > 0) return pools[this.#next++ % pools.length]!
      await sleep(20)
    }
  }
}

export const feedbackKilled = async (atEnd: AtEnd) => {
  const calls = await CapturedCalls.open(atEnd)
  const directory = ProxyServers.temporaryFolder(atEnd, "journal")
  const servers = ProxyServers.open(atEnd, { url, schema: calls.schema, directory, token: ProxyServers.token })
  const next = luck(20_261_121)
  const up = new Places()

  const first = servers.start()
  const base_url = await ProxyServers.model(atEnd)
  await post(await first.origin, "/v1/sources", {
    name: "m",
    kind: "byok",
    base_url,
    api_key: "sk-0123456789",
    default: true
  })

  let killed = 0
  let interrupted = 0
  /**
   * Each server is killed after it has taken some feedback, while more is on its way. Continues until enough kills have interrupted
   * feedback: feedback on its way may already have a response.
   */
  const place = async (begun = servers.start()) => {
    for (let server = begun; ; server = servers.start()) {
      const pool = new Pool(await server.origin, { connections: clients })
      up.pools.add(pool)
      const enough = 1 + Math.floor(next() * takenMost)
      await eventually("feedback is taken", () => up.hasTaken(pool) >= enough)
      if (killed >= kills && interrupted > kills / 3) return
      killed++
      while (!up.isGiven(pool)) await turn()
      await server.end()
      up.pools.delete(pool)
      await pool.destroy()
    }
  }

  const given: Array<string> = []
  let isOver = false
  /** One feedback at a time, each repeated until accepted. */
  const client = async (_: unknown, number: number) => {
    for (let count = 0; !isOver; count++) {
      const asked = await send(await up.up(), { path: "/v1/proxy/chat/completions", body: question })
      if (asked?.status !== 200) continue
      const key = `feedback-${number}-${count}`
      const body = { call_id: asked.headers["x-service-call-id"], name: key, value: 1 }
      given.push(key)
      for (;;) {
        const answer = await up.give({ path: "/v1/distill/feedback", body, key })
        if (answer?.status === 201) break
        if (answer === undefined) interrupted++
      }
      await sleep(pauseMillis)
    }
  }
  const giving = Promise.all(Array.from({ length: clients }, client))
  await Promise.all([place(first), ...Array.from({ length: places - 1 }, () => place())])
  isOver = true
  await giving

  assert.sameMembers(await calls.feedback(), given)
  assert.isAbove(given.length, kills)
  return { given: given.length, interrupted }
}
