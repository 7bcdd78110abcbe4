/**
 * Runs of hosted candidates, each killed when its provider has received a certain number of questions. The provider counts what it
 * charges, and charges every question that it received.
 */
import { assert } from "@effect/vitest"
import type { Report } from "@limbeck/api/ReportsApi"
import type { Run } from "@limbeck/api/RunsApi"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { caseCount } from "@limbeck/testing/Campaign"
import { type Client, client, expectStatus } from "@limbeck/testing/http/Client"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { createRun, endedRun, versionOf } from "@limbeck/testing/http/Steps"
import * as ChargingProvider from "./ChargingProvider.ts"

const kills = caseCount(2, 10)
const models = ["first", "second"]

const row = (index: number) => ({ messages: [{ role: "user", content: `ticket ${index}` }], completion: "refund" })

/** A question to a model. */
const keyOf = ({ model, question }: ChargingProvider.Received) => `${model} ${question}`

interface Race {
  readonly id: string
  readonly provider: ChargingProvider.ChargingProvider
  readonly budgetMicros: number
  readonly isTight: boolean
  /** Questions that the provider received before the kill, without the recorded answers. */
  readonly unrecorded: number
}

const assertEnded = async (live: Client, { budgetMicros, id, isTight, provider }: Race, rows: number) => {
  const run: typeof Run.Type = await endedRun(live, id)
  const chargedMicros = provider.received.length * ChargingProvider.microsOfCall
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
  assert.strictEqual(new Set(provider.received.map(keyOf)).size, models.length * rows)
}

export const racesKilled = async (atEnd: AtEnd) => {
  const servers = await ChargingProvider.openServers(atEnd)
  let server = servers.start()
  let live = client(await server.origin, ChargingProvider.liveToken)
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
    const ownProvider = await ChargingProvider.open(atEnd, { answerMillis: 40 })
    const source = await createSource(live, {
      base_url: ownProvider.base_url,
      models: models.map((id) => ({ id, ...ChargingProvider.price }))
    })
    const candidates = models.map((model) => ({ source: source.name, model }))
    const budgetMicros = (isTight ? 0.5 : 3) * questions * ChargingProvider.microsOfCall
    // The points are spread over most of the questions that the budget holds.
    const share = (Math.floor(kill / 2) + 0.5) / Math.ceil(kills / 2)
    const wanted = Math.ceil(share * (isTight ? 0.4 : 0.9) * questions)
    const reached = ownProvider.reached(({ length }) => length >= wanted)
    const body = {
      dataset_version: version.id,
      recipe: { student_model: "none", stages: [{ kind: "eval", config: { candidates } }], rewards: [] },
      budget: { max_cost_usd: budgetMicros / 1e6 },
      dry_run: false
    }
    const { id } = expectStatus(await createRun(live, body), 201)
    await reached
    const recorded = await ChargingProvider.lastMetric(live, id, "candidate_answers")
    await server.end()
    races.push({ id, provider: ownProvider, budgetMicros, isTight, unrecorded: ownProvider.received.length - recorded })
    server = servers.start()
    live = client(await server.origin, ChargingProvider.liveToken)
  }
  for (const race of races) await assertEnded(live, race, rows)
  // The last was killed once: recorded answers are not asked again.
  const { provider: lastProvider, unrecorded } = races[kills - 1]!
  assert.isAtMost(lastProvider.received.length - new Set(lastProvider.received.map(keyOf)).size, unrecorded)
}
