/**
 * Runs of hosted candidates, each killed when its provider has received a certain number of questions. The provider counts what it
 * charges, and charges every question that it received.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { assert } from "@effect/vitest"
import type { Report } from "@limbeck/api/ReportsApi"
import type { Run } from "@limbeck/api/RunsApi"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { sized } from "@limbeck/testing/Campaign"
import { openSchema } from "@limbeck/testing/database/Database"
import { url } from "@limbeck/testing/fixtures/Postgres"
import { type Client, client, expectStatus } from "@limbeck/testing/http/Client"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { createRun, endedRun, versionOf } from "@limbeck/testing/http/Steps"
import * as ProxyServers from "../support/ProxyServers.ts"

const kills = sized(2, 10)
const liveToken = ProxyServers.token.replace("test", "live")

/** Nearly what one question can cost at most: 1,024 tokens of output. */
const usage = { prompt_tokens: 10, completion_tokens: 1_000, total_tokens: 1_010 }
const price = { input_per_million: 1, output_per_million: 10 }
const microsOfCall = 10 * 1 + 1_000 * 10
const models = ["first", "second"]

const row = (index: number) => ({ messages: [{ role: "user", content: `ticket ${index}` }], completion: "refund" })

/** Answers every question after a while. */
const provider = async (atEnd: AtEnd) => {
  const received: Array<string> = []
  let onReceived: (count: number) => void = () => {}
  const server = createServer(async (request, response) => {
    onReceived(received.push((await request.toArray()).join("")))
    await sleep(40)
    const choices = [{ index: 0, message: { role: "assistant", content: "refund" }, finish_reason: "stop" }]
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ choices, usage }))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, // It listens on a port.
    received,
    /** Once the provider has received so many questions. */
    reached: (count: number) =>
      new Promise<void>((resolve) => {
        onReceived = (now) => {
          if (now >= count) resolve()
        }
      })
  }
}

interface Race {
  readonly id: string
  readonly provider: Awaited<ReturnType<typeof provider>>
  readonly budgetMicros: number
  readonly isTight: boolean
  /** Questions that the provider received before the kill, without the recorded answers. */
  readonly unrecorded: number
}

interface Metrics {
  readonly series: ReadonlyArray<{ readonly name: string; readonly points: ReadonlyArray<{ readonly value: number }> }>
}

const recordedOf = async (live: Client, id: string): Promise<number> => {
  const { series } = expectStatus(await live.get<Metrics>(`/v1/distill/runs/${id}/metrics`), 200)
  return series.find(({ name }) => name === "candidate_answers")?.points.at(-1)?.value ?? 0
}

const assertEnded = async (live: Client, { budgetMicros, id, isTight, provider }: Race, rows: number) => {
  const run: typeof Run.Type = await endedRun(live, id)
  const chargedMicros = provider.received.length * microsOfCall
  const totalMicros = Math.round(run.totals.cost_usd * 1e6)
  assert.isAtMost(chargedMicros, budgetMicros)
  assert.isAtMost(totalMicros, budgetMicros)
  assert.isAtLeast(totalMicros, chargedMicros)
  if (isTight) {
    assert.strictEqual(run.error?.code, "budget_exceeded")
    return
  }
  assert.strictEqual(run.status, "succeeded", JSON.stringify(run.error))
  const { candidates } = expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${run.report}`), 200)
  assert.deepStrictEqual(
    candidates.map(({ answered, failed }) => [answered, failed]),
    models.map(() => [rows, 0])
  )
  assert.strictEqual(new Set(provider.received).size, models.length * rows)
}

export const racesKilled = async (atEnd: AtEnd) => {
  const { schema } = await openSchema(atEnd)
  const directory = ProxyServers.temporaryFolder(atEnd, "journal")
  const servers = ProxyServers.open(atEnd, { url, schema, directory, token: ProxyServers.token, liveToken })
  let server = servers.start()
  let live = client(await server.origin, liveToken)
  const version = await versionOf(
    live,
    Array.from({ length: 240 }, (_, index) => row(index)),
    { holdout_fraction: 0.5 }
  )
  const rows = version.holdout_rows ?? 0
  const questions = models.length * rows

  const races: Array<Race> = []
  for (let kill = 0; kill < kills; kill++) {
    const isTight = kill % 2 === 1
    const ownProvider = await provider(atEnd)
    const source = await createSource(live, {
      base_url: ownProvider.base_url,
      models: models.map((id) => ({ id, ...price }))
    })
    const candidates = models.map((model) => ({ source: source.name, model }))
    const budgetMicros = (isTight ? 0.5 : 3) * questions * microsOfCall
    // The points are spread over most of the questions that the budget holds.
    const share = (Math.floor(kill / 2) + 0.5) / Math.ceil(kills / 2)
    const reached = ownProvider.reached(Math.ceil(share * (isTight ? 0.4 : 0.9) * questions))
    const body = {
      dataset_version: version.id,
      recipe: { student_model: "none", stages: [{ kind: "eval", config: { candidates } }], rewards: [] },
      budget: { max_cost_usd: budgetMicros / 1e6 },
      dry_run: false
    }
    const { id } = expectStatus(await createRun(live, body), 201)
    await reached
    const recorded = await recordedOf(live, id)
    await server.end()
    races.push({ id, provider: ownProvider, budgetMicros, isTight, unrecorded: ownProvider.received.length - recorded })
    server = servers.start()
    live = client(await server.origin, liveToken)
  }
  for (const race of races) await assertEnded(live, race, rows)
  // The last was killed once: recorded answers are not asked again.
  const { provider: lastProvider, unrecorded } = races[kills - 1]!
  assert.isAtMost(lastProvider.received.length - new Set(lastProvider.received).size, unrecorded)
}
