/** An alias that moves while two servers of one database answer for it under load (contract 7). */
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Limits } from "@limbeck/core/Limits"
import { type AtEnd, fromHooks } from "@limbeck/testing/AtEnd"
import * as Database from "@limbeck/testing/database/Database"
import { patienceMillis } from "@limbeck/testing/Eventually"
import { url } from "@limbeck/testing/fixtures/Postgres"
import { client, expectStatus } from "@limbeck/testing/http/Client"
import { type DeploymentView, deployAndWait, llm, path, studentOf } from "@limbeck/testing/http/DeploymentSteps"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { ticketsVersion } from "@limbeck/testing/http/Steps"
import { Signal } from "@limbeck/testing/Signal"
import { key, Models } from "@limbeck/testing/upstream/Models"
import { Pool } from "undici"
import * as ProxyServers from "./support/ProxyServers.ts"

const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

const liveToken = ProxyServers.token.replace("test", "live")
const clientsEach = 4

interface Heard {
  readonly startedAt: number
  readonly server: number
  /** Who answered; what came instead, where nobody did. */
  readonly by: string
}

/** Calls the alias at each server again and again, until it is told to end. */
class Load {
  readonly heard: Array<Heard> = []
  /** Rings after each answer. */
  readonly changes = new Signal()
  readonly #alias: string
  #isOver = false
  readonly #clients: ReadonlyArray<Promise<void>>

  constructor(origins: ReadonlyArray<string>, alias: string) {
    this.#alias = alias
    this.#clients = origins.flatMap((origin, server) => {
      const pool = new Pool(origin, { connections: clientsEach })
      return Array.from({ length: clientsEach }, () => this.#client(pool, server))
    })
  }

  async #client(pool: Pool, server: number) {
    while (!this.#isOver) {
      const startedAt = performance.now()
      const answer = await pool.request({
        method: "POST",
        path: "/v1/proxy/chat/completions",
        headers: { authorization: `Bearer ${liveToken}`, "content-type": "application/json" },
        body: JSON.stringify({ model: `svc:${this.#alias}`, messages: [{ role: "user", content: "?" }] })
      })
      const text = await answer.body.text()
      const said: unknown = answer.statusCode === 200 ? JSON.parse(text).choices[0].message.content : text
      this.heard.push({ startedAt, server, by: String(said) })
      this.changes.ring()
      // A pause between calls: some hundred calls a second are load enough.
      await sleep(50)
    }
    await pool.close().catch(() => {})
  }

  async end() {
    this.#isOver = true
    await Promise.all(this.#clients)
  }

  /** The responders in this time, at each server. */
  between(from: number, to: number): ReadonlyArray<ReadonlyArray<string>> {
    const within = this.heard.filter(({ startedAt }) => startedAt > from && startedAt < to)
    return [0, 1].map((server) => [
      ...new Set(within.filter((heard) => heard.server === server).map(({ by }) => by)).values()
    ])
  }
}

const begin = async (atEnd: AtEnd) => {
  const { schema } = await Database.openSchema(atEnd)
  const directory = ProxyServers.temporaryFolder(atEnd, "journal")
  const servers = ProxyServers.open(atEnd, { url, schema, directory, token: ProxyServers.token, liveToken })
  const first = await servers.start().origin
  const origins = [first, await servers.start().origin] as const
  const [one, other] = origins.map((origin) => client(origin, liveToken)) as [Caller, Caller] // As many as origins.
  const { id: version } = await ticketsVersion(one)
  const source = await createSource(one, { base_url: models.speaking("upstream") })
  const endpointOf = (said: string) => ({ base_url: models.speaking(said), model: said, api_key: key })
  const students = [await studentOf(one, llm, version), await studentOf(one, llm, version)] as const
  const endpoints = [endpointOf("first"), endpointOf("second")] as const
  return { origins, one, other, students, endpoints, fallback: { source: source.name, model: "gpt" } }
}

type Caller = ReturnType<typeof client>

describe("an alias that moves, at two servers of one database under load,", () => {
  let world: Awaited<ReturnType<typeof begin>>
  const atEnd = fromHooks(afterAll)
  beforeAll(async () => {
    world = await begin(atEnd)
  })

  it("is answered without a gap, and by nobody else than the new one a second later at most (P104)", {
    timeout: patienceMillis
  }, async () => {
    const { endpoints, fallback, one, origins, other, students } = world
    const body = { alias: "desk", student_model: students[0], endpoint: endpoints[0], fallback }
    const { id } = await deployAndWait(one, { ...body, mode: "active" })
    const load = new Load(origins, "desk")
    await sleep(300)

    /** The time of the move, and the end of its exclusive period. */
    const moves: Array<{ readonly by: string; readonly madeAt: number; readonly until: number }> = []
    const move = async (by: string, change: Promise<{ readonly status: number; readonly text: string }>) => {
      const { status, text } = await change
      assert.isBelow(status, 300, text)
      const madeAt = performance.now()
      await sleep(Limits.recentMillis + 300)
      const answering = () => load.between(madeAt + Limits.recentMillis, performance.now())
      await load.changes.until("both servers answer after it", () => answering().every(({ length }) => length > 0))
      moves.push({ by, madeAt, until: performance.now() })
    }
    const patch = (caller: Caller, of: string, fields: object) => caller.patch<DeploymentView>(`${path}/${of}`, fields)
    // To another student, and back.
    await move("second", patch(one, id, { student_model: students[1], endpoint: endpoints[1] }))
    await move("first", other.post<DeploymentView>(`${path}/${id}/rollback`))
    // To another deployment, over the upstream that its student listens to.
    const next = await deployAndWait(other, {
      ...body,
      student_model: students[1],
      endpoint: endpoints[1],
      mode: "shadow"
    })
    await move("upstream", one.post<DeploymentView>(`${path}/${id}/retire`))
    await move("second", patch(other, next.id, { mode: "active" }))
    await move("upstream", patch(one, next.id, { mode: "shadow" }))
    await move("second", patch(other, next.id, { mode: "active" }))
    await load.changes.until("there was load", () => load.heard.length > 500)
    await load.end()

    assert.sameMembers([...new Set(load.heard.map(({ by }) => by))], ["first", "second", "upstream"])
    for (const { by, madeAt, until } of moves) {
      assert.deepStrictEqual(load.between(madeAt + Limits.recentMillis, until), [[by], [by]])
    }
    expectStatus(await one.get(`${path}/${next.id}`), 200)
  })

  it("changes its mode to and fro, and no call is refused (P104)", { timeout: patienceMillis }, async () => {
    const { endpoints, fallback, one, origins, other, students } = world
    const body = { alias: "counter", student_model: students[0], endpoint: endpoints[0], fallback }
    const { id } = await deployAndWait(one, { ...body, mode: "active" })
    const load = new Load(origins, "counter")
    for (let round = 0; round < 40; round++) {
      const caller = round % 2 === 0 ? one : other
      const mode = round % 2 === 0 ? "shadow" : "active"
      expectStatus(await caller.patch<DeploymentView>(`${path}/${id}`, { mode }), 200)
    }
    await load.end()
    assert.sameMembers([...new Set(load.heard.map(({ by }) => by))], ["first", "upstream"])
  })
})
