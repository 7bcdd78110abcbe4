/** Builtin students of many labels, over HTTP: choice of pace, confidence, and answers. */
import { assert, it } from "@effect/vitest"
import type { Report } from "@limbeck/api/ReportsApi"
import type { RunLogs } from "@limbeck/api/RunsApi"
import { deployAndWait } from "@limbeck/testing/http/DeploymentSteps"
import { endedRun, proposalOf, versionOf } from "@limbeck/testing/http/Steps"
import { type Client, expectStatus } from "./support/Client.ts"
import { onPostgres } from "./support/House.ts"
import { createLive, planOf, rehearsed } from "./support/LiveRuns.ts"
import { answered, call, saidIn, serving } from "./support/Serving.ts"

/** Two words that identify a label, and a neutral one. */
const textOf = (label: number, index: number) => `part${label % 40} of shelf${Math.floor(label / 40)}, please ${index}`

const rowsOf = (labels: number, perLabel: number) =>
  Array.from({ length: labels * perLabel }, (_, index) => ({
    messages: [{ role: "user", content: textOf(index % labels, index) }],
    completion: `bin-${index % labels}`
  }))

/** A live run on these rows: its student, its report, and its training log. */
const trained = async (live: Client, rows: ReadonlyArray<unknown>, sft: unknown) => {
  const version = await versionOf(live, rows, { holdout_fraction: 0.1, seed: 1 })
  const plan = planOf(version.id, sft)
  const run = await endedRun(live, expectStatus(await createLive(live, plan, await rehearsed(live, plan)), 201).id)
  assert.strictEqual(run.status, "succeeded", JSON.stringify(run.error))
  const logs = await live.get<typeof RunLogs.Type>(`/v1/distill/runs/${run.id}/logs?stage=2`)
  const said = expectStatus(logs, 200).data.map(({ message }) => message)
  const report = expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${run.report}`), 200)
  return { version, student: run.student_model ?? "", report, said: said.join("\n") }
}

onPostgres(
  "a builtin student",
  (house) => {
    it("is proposed for a thousand labels, and no other for more (P200)", async () => {
      const { live } = await house.workspace()
      for (const [labels, expected] of [
        [1_000, "classification"],
        [1_100, "generation"]
      ] as const) {
        const version = await versionOf(live, rowsOf(labels, 5), { holdout_fraction: 0, seed: 1 })
        const proposal = await proposalOf(live, version.id)
        assert.strictEqual(proposal.case, expected, proposal.rationale.join(" "))
      }
    })

    it("of hundreds of labels is trained, evaluated, and answers with any of them (P200)", async () => {
      const workspace = await house.workspace()
      const { live } = workspace
      const labels = 200
      const { report, student } = await trained(live, rowsOf(labels, 6), { epochs: 20, learning_rate: 0.05 })
      assert.isAtLeast(report.accuracy?.value ?? 0, 0.8)
      await deployAndWait(live, { alias: "bins", guard: null, student_model: student, mode: "active" })
      const expected: Array<string> = []
      const given: Array<string | undefined> = []
      for (let label = 3; label < labels; label += 17) {
        const messages = [{ role: "user", content: textOf(label, 7_000 + label) }]
        expected.push(`bin-${label}`)
        given.push(saidIn(await answered(await call(house, workspace, { model: "svc:bins", messages }))))
      }
      const right = given.filter((label, index) => label === expected[index]).length
      assert.isAtLeast(right, expected.length - 1, JSON.stringify(given))
    })

    it("of fields of JSON learns each by itself, is told field by field, and answers combinations that no row has (P355)", async () => {
      const workspace = await house.workspace()
      const { live } = workspace
      const jsonOf = (shelf: number, part: number) => `{ "shelf": "s${shelf}", "part": { "number": ${part} }, "v": 1 }`
      const textOf = (shelf: number, part: number, index: number) => `part${part} of shelf${shelf}, please ${index}`
      const rows = Array.from({ length: 600 }, (_, index) => ({ index, shelf: index % 10, part: index % 9 }))
        .filter(({ part, shelf }) => part !== shelf)
        .map(({ index, part, shelf }) => ({
          messages: [{ role: "user", content: textOf(shelf, part, index) }],
          completion: jsonOf(shelf, part)
        }))
      const { report, said, student, version } = await trained(live, rows, {})
      const proposal = await proposalOf(live, version.id)
      assert.deepInclude(proposal, { case: "classification", student_model: "builtin/text-classifier" })
      const rationale = proposal.rationale.join(" ")
      assert.include(
        rationale,
        'JSON with 2 fields that are closed sets: "shelf" (10 labels), "part/number" (9 labels)'
      )
      assert.include(said, "Learns 19 labels of 2 fields")
      assert.isAtLeast(report.accuracy?.value ?? 0, 0.9)
      assert.deepStrictEqual(
        report.advice?.fields?.map(({ field, labels }) => [field, labels.length]),
        [
          ["shelf", 10],
          ["part/number", 9],
          ["v", 1]
        ]
      )
      for (const { agreement, interval } of report.advice?.fields ?? []) {
        assert.isTrue(interval !== null && interval.low <= agreement && agreement <= interval.high)
      }
      await deployAndWait(live, { alias: "shelves", guard: null, student_model: student, mode: "active" })
      for (const number of [1, 4, 7]) {
        const body = {
          model: "svc:shelves",
          messages: [{ role: "user", content: textOf(number, number, 7_000) }],
          response_format: { type: "json_object" }
        }
        const answer = await answered(await call(house, workspace, body))
        assert.deepInclude(answer, { status: 200, servedBy: "student" })
        assert.strictEqual(saidIn(answer), jsonOf(number, number))
      }
    })

    it("chooses its pace by rows that it holds back, is as sure as it is right, and learns from all in the end (P205)", async () => {
      const { live } = await house.workspace()
      const { report, said, version } = await trained(live, rowsOf(30, 30), {})
      assert.match(said, /Of [2-9] paces, \d+ epochs at a learning rate of [\d.]+ did best/)
      assert.isAtLeast(report.accuracy?.value ?? 0, 0.9)
      assert.isAtMost(report.calibration?.expected_error ?? 1, 0.1)
      // The rows held back are learnt too: the last pass is over all.
      const [, learnt = 0, kept = 0] = /from (\d+) rows .* (\d+) rows are kept/.exec(said)?.map(Number) ?? []
      assert.strictEqual(learnt + kept, version.train_rows)
    })
  },
  serving
)
