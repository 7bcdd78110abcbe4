/** Whether a student pays: what a report says beside its agreement with the teacher (contract 5, 14.24). */
import { assert, it } from "@effect/vitest"
import type { Report } from "@limbeck/api/ReportsApi"
import { savingPer1000 } from "@limbeck/api/report/ThresholdSaving"
import * as BuiltinExecutor from "@limbeck/executors/builtin/BuiltinExecutor"
import { createRun, endedRun, versionOf } from "@limbeck/testing/http/Steps"
import { asked, capture, versionOfCalls } from "./support/Captured.ts"
import { expectStatus } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"
import { planOf } from "./support/LiveRuns.ts"

const labelOf = (index: number): string => (index % 4 === 0 ? "refund" : "delivery")
const textOf = (index: number): string =>
  index % 4 === 0 ? `I want my money back for number ${index}` : `where is the parcel number ${index}`

onOneStorage(
  "a report",
  (house) => {
    it("of captured rows says what teacher and student cost, from when on the run pays, and which threshold does (P208, P209)", async () => {
      const workspace = await house.workspace()
      const { live } = workspace
      const took = { costMicros: 250, latencyMillis: 640 }
      await capture(
        house,
        workspace,
        Array.from({ length: 400 }, (_, index) => asked(house, textOf(index), labelOf(index), took))
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
      const { recommendation } = report
      assert.deepInclude(recommendation, { target: 0.98, target_is: "one", error: 0.1 })
      assert.strictEqual(advice?.cascade?.recommended_threshold, recommendation?.threshold)
      const { high = 0, low = 0, value = 0 } = recommendation?.saving_usd_per_1000 ?? {}
      assert.isTrue(0 < low && low <= value && value <= high && high < 0.25)
      assert.closeTo(recommendation?.saving_usd_per_month?.value ?? 0, (value * 400) / 1_000, 1e-6)
      const point = report.agreement_at.find(({ threshold }) => threshold === recommendation?.threshold)
      assert.closeTo(savingPer1000(point?.share ?? 0, report.cost_per_1000_calls_usd) ?? 0, value, 1e-5)
      assert.include(report.summary, report.recommendation_reason)
      assert.isAbove(advice?.saving?.per_1000_calls_usd ?? 0, 0)
      assert.isAbove(advice?.saving?.break_even_calls ?? 0, 0)
      assert.match(report.summary, /With below_confidence .* the student answers/)
      const shared = expectStatus(
        await live.post<{ readonly url: string }>(`/v1/distill/reports/${report.id}/share`),
        200
      )
      const page = await live.send<string>("GET", new URL(shared.url).pathname, { headers: { accept: "text/html" } })
      for (const said of [
        "Does it pay?",
        "By label",
        "(recommended)",
        "Saved per month",
        "Target (one, less 2 points)"
      ])
        assert.include(page.text, said)
    })

    it("counts the calls of the last 30 days that a deployment would answer, and none that checks or compares (P1314)", async () => {
      const workspace = await house.workspace()
      const { live } = workspace
      const took = { costMicros: 250, latencyMillis: 640, tags: ["desk"], model: "large" }
      const dayMillis = 86_400_000
      const deployment = "dep_01kaf3tn0e5v2b8w6xq4rj7mcd"
      const other = "dep_01kaf3tn0e5v2b8w6xq4rj7mce"
      const rows = Array.from({ length: 340 }, (_, index) => asked(house, textOf(index), labelOf(index), took))
      const byStudent = { ...took, servedBy: "student", source: null, model: "svc:desk", deployment } as const
      const students = Array.from({ length: 40 }, (_, index) => asked(house, textOf(index), labelOf(index), byStudent))
      await capture(house, workspace, [
        ...rows,
        ...students,
        asked(house, "fell back", "refund", { ...took, servedBy: "upstream_fallback", deployment }),
        asked(house, "old", "refund", { ...took, createdAt: house.now() - 31 * dayMillis }),
        asked(house, "verified", "refund", { ...took, verifies: { call: students[0]!.id, deployment } }),
        asked(house, "compared", "refund", { ...took, tags: ["desk", "candidate"] }),
        asked(house, "elsewhere", "refund", { ...byStudent, deployment: other })
      ])
      for (const [filter, calls] of [
        [{ tag: "desk" }, 382],
        [{ tag: "desk", model: "large" }, 381]
      ] as const) {
        const { id } = await versionOfCalls(live, { ...filter, weights: "none" }, { holdout_fraction: 0.5 })
        const made = expectStatus(await createRun(live, { ...planOf(id, { epochs: 3 }), dry_run: false }), 201)
        const run = await endedRun(live, made.id)
        assert.strictEqual(run.status, "succeeded", JSON.stringify(run.error))
        const report = expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${run.report}`), 200)
        const { saving_usd_per_1000: saving, saving_usd_per_month: month } = report.recommendation ?? {}
        assert.closeTo(month?.value ?? 0, ((saving?.value ?? 0) * calls) / 1_000, 1e-6)
        assert.include(report.recommendation_reason, `At the ${calls} calls of the last 30 days`)
      }
    })

    it("of a version whose rows stand for the traffic counts them by weight, and says as how many they tell (P1310)", async () => {
      const { live } = await house.workspace()
      const rows = Array.from({ length: 200 }, (_, index) => ({
        messages: [{ role: "user", content: textOf(index) }],
        completion: labelOf(index),
        ...(index % 4 === 0 ? { weight: 9 } : {})
      }))
      const { id } = await versionOf(live, rows, { holdout_fraction: 0.4 })
      const made = expectStatus(await createRun(live, { ...planOf(id, { epochs: 2 }), dry_run: false }), 201)
      const run = await endedRun(live, made.id)
      assert.strictEqual(run.status, "succeeded", JSON.stringify(run.error))
      const report = expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${run.report}`), 200)
      const { advice, agreement_at, effective_rows, evaluated_rows } = report
      const refunds = advice?.labels.find(({ label }) => label === "refund")?.support ?? 0
      const weights = evaluated_rows + 8 * refunds
      assert.closeTo(effective_rows, weights ** 2 / (evaluated_rows + 80 * refunds), 1e-9)
      assert.deepInclude(advice?.most_frequent, { answer: "refund", share: (9 * refunds) / weights })
      assert.strictEqual(agreement_at[0]?.share, 1)
      const shared = await live.post<{ readonly url: string }>(`/v1/distill/reports/${report.id}/share`)
      const { pathname } = new URL(expectStatus(shared, 200).url)
      const page = await live.send<string>("GET", pathname, { headers: { accept: "text/html" } })
      assert.include(page.text, `rows (as many as <data value="${effective_rows}">`)
    })

    it("where reviewers judged captured answers says how often student and teacher are right by them (P356)", async () => {
      const workspace = await house.workspace()
      const { live } = workspace
      const isWrong = (index: number) => index % 10 === 3
      const calls = Array.from({ length: 160 }, (_, index) =>
        asked(house, textOf(index), isWrong(index) ? "refund" : labelOf(index), { externalId: `ticket ${index}` })
      )
      await capture(house, workspace, calls)
      const { id } = await versionOfCalls(live, {}, { holdout_fraction: 0.4 })
      const say = async (fields: object) => expectStatus(await live.post("/v1/distill/feedback", fields), 201)
      for (const [index, { id: call_id }] of calls.entries()) {
        if (isWrong(index)) {
          // The newest word stands, and a comment of another name is none of a reviewer's.
          await say({ call_id, name: "correct", value: 1 })
          await say({ call_id, name: "correct", value: 0 })
          await say({ external_id: `ticket ${index}`, name: "correction", value: 0, comment: `${labelOf(index)}. ` })
        } else if (index % 3 === 0) await say({ call_id, name: "correct", value: 1 })
        else if (index % 3 === 1) await say({ call_id, name: "resolved", value: 0, comment: "no" })
      }
      const made = expectStatus(await createRun(live, { ...planOf(id, { epochs: 3 }), dry_run: false }), 201)
      const run = await endedRun(live, made.id)
      assert.strictEqual(run.status, "succeeded", JSON.stringify(run.error))
      const report = expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${run.report}`), 200)
      const { reviewed } = report
      assert.isTrue(reviewed !== null && reviewed.rows < report.evaluated_rows)
      assert.isAtLeast(reviewed?.student.value ?? 0, 0.9)
      assert.isBelow(reviewed?.teacher.value ?? 1, 0.9)
      assert.strictEqual((reviewed?.teacher.correct ?? 0) + (reviewed?.wins ?? 0), reviewed?.rows)
      assert.deepInclude(reviewed?.student, { undecided: 0 })
      for (const { interval, value } of reviewed === null ? [] : [reviewed.student, reviewed.teacher]) {
        assert.isTrue(interval !== null && interval.low <= value && value <= interval.high)
      }
      assert.match(report.summary, /rows that reviewers judged, the student is right in .* the teacher in/)
      const shared = await live.post<{ readonly url: string }>(`/v1/distill/reports/${report.id}/share`)
      const { pathname } = new URL(expectStatus(shared, 200).url)
      const page = await live.send<string>("GET", pathname, { headers: { accept: "text/html" } })
      for (const said of ["Right by reviewers", "By reviewers"]) assert.include(page.text, said)
    })
  },
  { builtin: BuiltinExecutor.executor }
)
