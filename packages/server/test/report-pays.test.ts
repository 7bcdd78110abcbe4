/** Whether a student pays: what a report says beside its agreement with the teacher (contract 5, 14.24). */
import { assert, it } from "@effect/vitest"
import type { Report } from "@limbeck/api/ReportsApi"
import * as BuiltinExecutor from "@limbeck/executors/builtin/BuiltinExecutor"
import { createRun, endedRun } from "@limbeck/testing/http/Steps"
import { asked, capture, versionOfCalls } from "./support/Captured.ts"
import { expectStatus } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"
import { planOf } from "./support/LiveRuns.ts"

const labelOf = (index: number): string => (index % 4 === 0 ? "refund" : "delivery")
const textOf = (index: number): string =>
  index % 4 === 0 ? `I want my money back for number ${index}` : `where is the parcel number ${index}`

onEachStorage(
  "a report",
  (house) => {
    it("of captured rows says what teacher and student cost, from when on the run pays, and which threshold does (P208, P209)", async () => {
      const workspace = await house.workspace()
      const { live } = workspace
      const took = { costMicros: 250, latencyMillis: 640 }
      await capture(
        house,
        workspace,
        Array.from({ length: 160 }, (_, index) => asked(house, textOf(index), labelOf(index), took))
      )
      const { id } = await versionOfCalls(live, {}, { holdout_fraction: 0.4 })
      const made = expectStatus(await createRun(live, { ...planOf(id, { epochs: 3 }), dry_run: false }), 201)
      const run = await endedRun(live, made.id)
      assert.strictEqual(run.status, "succeeded", JSON.stringify(run.error))
      const report = expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${run.report}`), 200)
      assert.strictEqual(report.cost_per_1000_calls_usd?.teacher, 0.25)
      assert.deepInclude(report.latency_ms?.teacher, { p50: 640 })
      const { advice } = report
      assert.deepInclude(advice?.most_frequent, { answer: "delivery", beaten: true })
      assert.sameMembers(advice?.labels.map(({ label }) => label) ?? [], ["delivery", "refund"])
      assert.isNumber(advice?.cascade?.recommended_threshold)
      assert.isAbove(advice?.saving?.per_1000_calls_usd ?? 0, 0)
      assert.isAbove(advice?.saving?.break_even_calls ?? 0, 0)
      assert.match(report.summary, /With below_confidence .* the student answers/)
      const shared = expectStatus(
        await live.post<{ readonly url: string }>(`/v1/distill/reports/${report.id}/share`),
        200
      )
      const page = await live.send<string>("GET", new URL(shared.url).pathname, { headers: { accept: "text/html" } })
      for (const said of ["Does it pay?", "By label", "(recommended)"]) assert.include(page.text, said)
    })
  },
  { builtin: BuiltinExecutor.executor }
)
