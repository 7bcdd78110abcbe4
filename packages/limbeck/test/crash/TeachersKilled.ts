/**
 * Runs that request second answers from the teacher, each killed when the teacher has received a certain number of these requests. The
 * teacher counts what it charges, and charges every request that it received.
 */
import { assert } from "@effect/vitest"
import type { Dataset, DatasetVersion } from "@limbeck/api/DatasetsApi"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { caseCount } from "@limbeck/testing/Campaign"
import { type Client, client, expectStatus, type ListOf } from "@limbeck/testing/http/Client"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { createRun, endedRun, readUntil } from "@limbeck/testing/http/Steps"
import * as ChargingProvider from "./ChargingProvider.ts"

const kills = caseCount(1, 10)
const captured = 260
const capturedAtOnce = 20
const repeats = 100
/** The questions that the teacher received again. */
const askedAgain = (received: ReadonlyArray<ChargingProvider.Received>) =>
  received.filter(({ model }) => model === "teacher").slice(captured)

/** Of calls that the teacher answered through the proxy. */
const versionOfTraffic = async (live: Client, source: string) => {
  const ask = async (index: number) => {
    const body = { model: "teacher", messages: [{ role: "user", content: `ticket ${index}` }] }
    expectStatus(await live.post("/v1/proxy/chat/completions", body, { "x-service-source": source }), 200)
  }
  for (let first = 0; first < captured; first += capturedAtOnce) {
    await Promise.all(Array.from({ length: capturedAtOnce }, (_, index) => ask(first + index)))
  }
  const dataset = expectStatus(await live.post<typeof Dataset.Type>("/v1/distill/datasets", { name: "calls" }), 201)
  const path = `/v1/distill/datasets/${dataset.id}/versions`
  // Calls wait in the journal for a moment.
  for (;;) {
    const from = { calls: { source } }
    const made = expectStatus(await live.post<typeof DatasetVersion.Type>(path, { from, holdout_fraction: 0.5 }), 201)
    const version = await readUntil(
      () => live.get<typeof DatasetVersion.Type>(`/v1/distill/dataset_versions/${made.id}`),
      ({ status }) => status !== "building"
    )
    if (version.rows === captured) return version
  }
}

const recordedOf = (live: Client, id: string) => ChargingProvider.lastMetric(live, id, "teacher_repeats")

export const teachersKilled = async (atEnd: AtEnd) => {
  const servers = await ChargingProvider.openServers(atEnd)
  for (let kill = 0; kill < kills; kill++) {
    let server = servers.start()
    let live = client(await server.origin, ChargingProvider.liveToken)
    const teacher = await ChargingProvider.open(atEnd, { answerMillis: 60 })
    const models = ["teacher", "other"].map((id) => ({ id, ...ChargingProvider.price }))
    const { name } = await createSource(live, { base_url: teacher.base_url, models })
    const version = await versionOfTraffic(live, name)
    assert.isAtLeast(version.holdout_rows ?? 0, repeats)
    const config = { candidates: [{ source: name, model: "other" }], teacher_repeats: repeats, sample: repeats }
    const recipe = { student_model: "none", stages: [{ kind: "eval", config }], rewards: [] }
    const body = { dataset_version: version.id, recipe, budget: { max_cost_usd: 20 }, dry_run: false }
    const wanted = Math.ceil(((kill + 0.5) / kills) * 0.9 * repeats)
    const reached = teacher.reached((received) => askedAgain(received).length >= wanted)
    const { id } = expectStatus(await createRun(live, body), 201)
    await reached
    const recorded = await recordedOf(live, id)
    await server.end()
    await teacher.idle()
    const unrecorded = askedAgain(teacher.received).length - recorded
    server = servers.start()
    live = client(await server.origin, ChargingProvider.liveToken)
    const run = await endedRun(live, id)
    assert.strictEqual(run.status, "succeeded", JSON.stringify(run.error))
    const questions = askedAgain(teacher.received).map(({ question }) => question)
    assert.strictEqual(new Set(questions).size, repeats)
    assert.isAtMost(questions.length - repeats, unrecorded)
    assert.strictEqual(await recordedOf(live, id), repeats)
    const charged = (teacher.received.length - captured) * ChargingProvider.microsOfCall
    assert.isAtLeast(Math.round(run.totals.cost_usd * 1e6), charged)
    // Second answers are no calls of anybody: the teacher's captured calls are the caller's alone.
    const calls = await live.get<ListOf<object>>(`/v1/distill/calls?model=teacher&limit=100&tag=teacher_repeat`)
    assert.lengthOf(expectStatus(calls, 200).data, 0)
    await server.end()
  }
}
