/** The text that a builtin student reads, and its fallbacks (contract 5, 7). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { CapturedCallDetail } from "@limbeck/api/CallsApi"
import type { Report } from "@limbeck/api/ReportsApi"
import { tickets } from "@limbeck/testing/fixtures/Tickets"
import { deployAndWait } from "@limbeck/testing/http/DeploymentSteps"
import { endedRun, versionOf } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { type Client, expectStatus } from "./support/Client.ts"
import { onPostgres } from "./support/House.ts"
import { createLive, planOf, rehearsed } from "./support/LiveRuns.ts"
import { answered, call, fallbackTo, saidIn, serving } from "./support/Serving.ts"
import { publish, studentsOfBefore, system } from "./support/StudentsOfBefore.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const rules = `You sort tickets. Answer with one of these labels: ${Array.from({ length: 50 }, (_, index) => `label_${index}`).join(", ")}.`
const wrapped = (text: string) => [{ role: "user", content: `${rules.repeat(12)}\n\nTicket: ${text}\n\nThe label is:` }]
const rows = tickets({ rows: 900, seed: 3 }).map(({ completion, messages }) => ({
  text: messages.at(-1)?.content ?? "",
  completion
}))

const lived = async (live: Client) => {
  const own = rows.slice(0, 800).map(({ completion, text }) => ({ messages: wrapped(text), completion }))
  const { id } = await versionOf(live, own, { holdout_fraction: 0.2, seed: 1 })
  const plan = planOf(id, { epochs: 10 })
  const made = expectStatus(await createLive(live, plan, await rehearsed(live, plan)), 201)
  const run = await endedRun(live, made.id)
  assert.strictEqual(run.status, "succeeded", JSON.stringify(run.error))
  const report = expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${run.report}`), 200)
  return { student: run.student_model ?? "", report }
}

onPostgres(
  "a builtin student",
  (house) => {
    it("reads the text behind a long instruction, and leaves what it was not made for to its fallback (P204, P206, P253, P1335)", async () => {
      const workspace = await house.workspace()
      const { live } = workspace
      const { report, student } = await lived(live)
      assert.isAtLeast(report.accuracy?.value ?? 0, 0.7)
      const { templates } = expectStatus(
        await live.get<{ readonly templates: ReadonlyArray<{ readonly agreement: { readonly value: number } }> }>(
          `/v1/distill/student_models/${student}`
        ),
        200
      )
      assert.deepStrictEqual(
        templates.map(({ agreement }) => agreement.value),
        [report.accuracy?.value]
      )
      const fallback = await fallbackTo(live, upstream.speaking("from above"))
      await deployAndWait(live, { alias: "desk", guard: null, student_model: student, mode: "active", fallback })
      const ask = async (messages: unknown) => answered(await call(house, workspace, { model: "svc:desk", messages }))
      for (const { text } of rows.slice(800, 810)) assert.strictEqual((await ask(wrapped(text))).servedBy, "student")
      const others = [
        [
          { role: "system", content: "Translate the text into French." },
          { role: "user", content: rows[801]?.text }
        ],
        [{ role: "user", content: "" }],
        [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }] }],
        wrapped("Was kostet die Fahrt von Hamburg nach München, und wie lange dauert sie ungefähr?")
      ]
      const reasons = ["unknown_template", "out_of_distribution", "unsupported", "out_of_distribution"]
      for (const [at, messages] of others.entries()) {
        const answer = await ask(messages)
        assert.strictEqual(answer.servedBy, "upstream_fallback", JSON.stringify(messages))
        const { fallback_reason } = expectStatus(
          await live.get<typeof CapturedCallDetail.Type>(`/v1/distill/calls/${answer.call}`),
          200
        )
        assert.strictEqual(fallback_reason, reasons[at])
      }
      const task = { role: "system", content: "Translate the text into French." }
      let byStudent = 0
      for (const { text } of rows.slice(800, 860)) {
        const { servedBy } = await ask([task, { role: "user", content: text }])
        if (servedBy === "student") byStudent++
      }
      assert.isAtMost(byStudent, 3)
    })

    it("of a file that an earlier version wrote answers as that version did (P207)", async () => {
      const workspace = await house.workspace()
      const fallback = await fallbackTo(workspace.live, upstream.speaking("from above"))
      for (const [index, before] of studentsOfBefore.entries()) {
        const student_model = await publish(house, workspace, before)
        const alias = `before-${index}`
        await deployAndWait(workspace.live, { alias, guard: null, student_model, mode: "active", fallback })
        for (const { confidence, content, isNew, text } of before.answers) {
          const messages = [
            { role: "system", content: system },
            { role: "user", content }
          ]
          const answer = await answered(await call(house, workspace, { model: `svc:${alias}`, messages }))
          if (isNew) assert.strictEqual(answer.servedBy, "upstream_fallback", content)
          else {
            assert.strictEqual(saidIn(answer), text)
            assert.closeTo(answer.body.service.confidence, confidence, 1e-9)
          }
        }
      }
      assert.deepStrictEqual(
        studentsOfBefore.map(({ format }) => format),
        ["limbeck-text-classifier/1", "limbeck-text-classifier/2"]
      )
    })
  },
  serving
)
