/** Relabelled versions: a kill after a certain number of questions to the teacher, whose provider charges every question. */
import { assert } from "@effect/vitest"
import type { Dataset, DatasetVersion } from "@limbeck/api/DatasetsApi"
import { DistillLimits } from "@limbeck/distill/Limits"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { caseCount } from "@limbeck/testing/Campaign"
import { client, expectStatus } from "@limbeck/testing/http/Client"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { linesOf, readUntil, uploadOf } from "@limbeck/testing/http/Steps"
import * as ChargingProvider from "./ChargingProvider.ts"

const kills = caseCount(1, 10)
const tickets = 120
const every = 6
const budgetUsd = 5

/** Refunds and invoices in turn; every third refund is answered as an invoice. */
const rows = Array.from({ length: tickets }, (_, index) => {
  const isRefund = index % 2 === 0
  const text = isRefund ? `please give my money back, case ${index}` : `the bill shows a wrong sum, case ${index}`
  const completion = isRefund && index % every !== 0 ? "refund" : "invoice"
  return { messages: [{ role: "user", content: text }], completion }
})

export const relabelsKilled = async (atEnd: AtEnd) => {
  const servers = await ChargingProvider.openServers(atEnd)
  for (let kill = 0; kill < kills; kill++) {
    let server = servers.start()
    let live = client(await server.origin, ChargingProvider.liveToken)
    const teacher = await ChargingProvider.open(atEnd, { answerMillis: 60 })
    const models = [{ id: "teacher", ...ChargingProvider.price }]
    const { name } = await createSource(live, { base_url: teacher.base_url, models })
    const { id: upload } = await uploadOf(live, linesOf(rows))
    const dataset = expectStatus(await live.post<typeof Dataset.Type>("/v1/distill/datasets", { name: "tickets" }), 201)
    const wanted = 2 + Math.ceil(((kill + 0.5) / kills) * (tickets / every))
    const reached = teacher.reached((received) => received.length >= wanted)
    const relabel = { source: name, model: "teacher", budget: { max_cost_usd: budgetUsd } }
    const body = { from: { upload }, holdout_fraction: 0, clean: "relabel", relabel }
    const path = `/v1/distill/datasets/${dataset.id}/versions`
    const { id } = expectStatus(await live.post<typeof DatasetVersion.Type>(path, body), 201)
    await reached
    await server.end()
    await teacher.idle()
    server = servers.start()
    live = client(await server.origin, ChargingProvider.liveToken)
    const version = await readUntil(
      () => live.get<typeof DatasetVersion.Type>(`/v1/distill/dataset_versions/${id}`),
      ({ status }) => status !== "building"
    )
    const figures = version.cleaning?.relabel
    if (!figures) throw new Error(`The version was not relabelled: ${JSON.stringify(version)}`)
    const { asked, changed, confirmed, reason, spent_usd } = figures
    assert.isAtLeast(changed, tickets / every / 2)
    assert.deepStrictEqual([asked, reason], [version.cleaning?.suspects, null])
    const needed = 2 * (asked - confirmed) + confirmed
    assert.isAtLeast(teacher.received.length, needed)
    assert.isAtMost(teacher.received.length - needed, DistillLimits.relabelAskedMax)
    assert.isAtLeast(Math.round(spent_usd * 1e6), teacher.received.length * ChargingProvider.microsOfCall)
    assert.isAtMost(spent_usd, budgetUsd)
    await server.end()
  }
}
