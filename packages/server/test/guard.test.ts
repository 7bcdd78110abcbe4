/** What a student must have shown before it answers in its teacher's place (contract 15.15). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Report } from "@limbeck/api/ReportsApi"
import type { StudentModel } from "@limbeck/api/StudentModelsApi"
import * as AgreementCurve from "@limbeck/distill/report/AgreementCurve"
import { tickets } from "@limbeck/testing/fixtures/Tickets"
import {
  create,
  type DeploymentDetail,
  type DeploymentView,
  deployAndWait,
  endpoint,
  get,
  path,
  post,
  scene
} from "@limbeck/testing/http/DeploymentSteps"
import { readUntil } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { assertInvalid, assertRefused, type Client, expectStatus } from "./support/Client.ts"
import { type House, onOneStorage } from "./support/House.ts"
import { evaluated } from "./support/LiveRuns.ts"
import { answered, call, fallbackTo, serving } from "./support/Serving.ts"

const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

/** On: absent by default, but the tests' steps set null. */
const guard = {}

type ShownReport = Pick<typeof Report.Type, "agreement_at" | "evaluated_rows"> & {
  readonly accuracy: { readonly correct: number; readonly interval: { readonly low: number } }
}

const reportOf = async (live: Client, student: string) => {
  const { report } = expectStatus(
    await live.get<{ readonly report: string }>(`/v1/distill/student_models/${student}`),
    200
  )
  return expectStatus(await live.get<ShownReport>(`/v1/distill/reports/${report}`), 200)
}

const studentOf = async (live: Client, id: string) =>
  expectStatus(await live.get<typeof StudentModel.Type>(`/v1/distill/student_models/${id}`), 200)

const patch = (caller: Client, id: string, body: object) => caller.patch<DeploymentView>(`${path}/${id}`, body)

const rows = tickets({ rows: 200, seed: 1 })

/** Labels that nothing in the text tells. */
const coins = rows.map((row, index) => ({ ...row, completion: (index * 2_654_435_761) % 97 < 48 ? "heads" : "tails" }))
/** One label is right nine times in ten. */
const constant = rows.map((row, index) => ({ ...row, completion: index % 10 === 3 ? "corn" : "other" }))

const assertLacks = (answer: Awaited<ReturnType<typeof patch>>, words: RegExp) => {
  assertRefused(answer, 409, "conflict_error", "guard")
  assert.match(answer.text, words)
}

const begin = async (house: House) => {
  const workspace = await house.workspace()
  const { live } = workspace
  const [good, coin, constantly] = await Promise.all([rows, coins, constant].map((of) => evaluated(live, of)))
  return { workspace, live, good: good!, coin: coin!, constantly: constantly! }
}

onOneStorage(
  "a guard",
  (house) => {
    let begun: ReturnType<typeof begin> | undefined
    /** One workspace and its students for all tests of a storage; each test has aliases of its own. */
    const story = () => {
      begun ??= begin(house)
      return begun
    }

    it("keeps a student that nobody has evaluated from answering, and from nothing else (P210)", async () => {
      const { live } = await story()
      const { fallback, students } = await scene(live)
      const body = { student_model: students[0], endpoint, fallback, guard }
      assertLacks(await post(live, { ...body, alias: "none", mode: "active" }), /no evidence/)
      const { id } = await create(live, { ...body, alias: "listens", mode: "shadow" })
      assertLacks(await patch(live, id, { mode: "active" }), /no evidence/)
      assert.deepInclude(await get(live, id), { mode: "shadow", guarded_at: null, agreement: null })
      const off = expectStatus(await patch(live, id, { mode: "active", guard: null }), 200)
      assert.deepInclude(off, { mode: "active", guard: null })
      assertLacks(await patch(live, id, { guard }), /no evidence/)
      assert.isNull((await get(live, id)).guard)
      await create(live, { ...body, alias: "without", mode: "active", guard: null })
    })

    it("keeps out a student that is no better than the most frequent answer, a coin that is tossed too (P210)", async () => {
      const { coin, constantly, live } = await story()
      for (const student_model of [coin, constantly]) {
        const body = { alias: "chance", student_model, mode: "active", guard: { min_agreement: 0 } }
        assertLacks(await post(live, body), /most frequent answer/)
      }
    })

    it("lets a student go that is as good as it is asked to be, and no other in its place (P210)", async () => {
      const { coin, good: student_model, live } = await story()
      const body = { alias: "desk", student_model, mode: "active" }
      assertLacks(await post(live, { ...body, guard: { min_agreement: 0.99 } }), /below guard.min_agreement, 99.0 %/)
      for (const [fields, param] of [
        [{ min_agreement: 1.1 }, "guard.min_agreement"],
        [{ verify_percent: 101 }, "guard.verify_percent"],
        [{ on_breach: "panic" }, "guard.on_breach"],
        [{ percent: 2 }, "guard.percent"]
      ] as const) {
        assertInvalid(await post(live, { ...body, guard: fields }), param)
      }
      // The request of a client unaware of guards.
      const { id } = expectStatus(await live.post<DeploymentView>(path, body, { "idempotency-key": "desk" }), 201)
      const { low } = (await reportOf(live, student_model)).accuracy.interval
      const usual = { min_agreement: low, verify_percent: 2, on_breach: "fallback", breach: null } as const
      assert.deepStrictEqual<unknown>((await get(live, id)).guard, usual)
      const loose = expectStatus(await patch(live, id, { guard: { min_agreement: 0.5, on_breach: "notify" } }), 200)
      assert.deepStrictEqual(loose.guard, { ...usual, min_agreement: 0.5, on_breach: "notify" })
      const back = expectStatus(await patch(live, id, { guard: { min_agreement: null } }), 200)
      assert.deepStrictEqual<unknown>(back.guard, { ...usual, on_breach: "notify" })
      assertLacks(await patch(live, id, { guard: { min_agreement: 0.99 } }), /below guard.min_agreement/)
      assertRefused(await patch(live, id, { student_model: coin }), 409, "conflict_error", "student_model")
      assert.deepInclude(await get(live, id), { student_model, previous_student_model: null })
    })

    it("adds what the upstream says of a student in shadow to the holdout (P211)", async () => {
      const { good: student_model, live, workspace } = await story()
      const rightOf = new Map(rows.map(({ completion, messages }) => [messages.at(-1)?.content, completion]))
      const teacher = models.speaking((sent) => rightOf.get(sent.messages.at(-1)?.content) ?? "?")
      const contrary = models.speaking(() => "never")
      for (const [alias, base, isGood] of [
        ["good", teacher, true],
        ["bad", contrary, false]
      ] as const) {
        const fallback = await fallbackTo(live, base)
        const { id } = await deployAndWait(live, { alias, student_model, mode: "shadow", fallback, guard })
        for (const { messages } of rows.slice(0, 60)) {
          assert.strictEqual(
            (await answered(await call(house, workspace, { model: `svc:${alias}`, messages }))).status,
            200
          )
        }
        const { agreement, figures } = await readUntil(
          () => live.get<DeploymentDetail>(`${path}/${id}`),
          // The figures are read after the comparisons: one may be counted between the two.
          ({ agreement }) => agreement?.comparisons === 60
        )
        assert.deepInclude(agreement, {
          value: figures.agreed / 60,
          comparisons: 60,
          method: "betting_confidence_sequence"
        })
        const moved = await patch(live, id, { mode: "active" })
        if (!isGood) {
          assertLacks(moved, /Holdout and shadow together \(\d{3} compared\)/)
          continue
        }
        const { accuracy, evaluated_rows } = await reportOf(live, student_model)
        const together = AgreementCurve.intervalOf({
          answered: evaluated_rows + 60,
          agreed: accuracy.correct + figures.agreed
        })
        assert.strictEqual(expectStatus(moved, 200).guard?.min_agreement, together?.low)
      }
    })

    it("asks of a student under a threshold what its answered rows show, and anew when the threshold changes (P1143)", async () => {
      const { live } = await story()
      // Every fourth label is noise, which the student is unsure of.
      const noisy = rows.map((row, index) => (index % 4 === 3 ? { ...row, completion: `label ${index % 3}` } : row))
      const student_model = await evaluated(live, noisy)
      const { agreement_at } = await reportOf(live, student_model)
      assert.deepStrictEqual((await studentOf(live, student_model)).agreement_at, agreement_at)
      const all = agreement_at[0]
      const sure = agreement_at.toSorted((a, b) => (b.agreement?.low ?? 0) - (a.agreement?.low ?? 0))[0]
      assert.strictEqual(all?.threshold, 0)
      assert.isAbove(sure?.agreement?.low ?? 0, all?.agreement?.low ?? 1)
      const min_agreement = (sure?.agreement?.low ?? 0) - 0.0001
      const fallback = await fallbackTo(live, models.speaking("from above"))
      const body = { alias: "sure", student_model, mode: "active", guard: { min_agreement } }
      assertLacks(await post(live, { ...body, fallback }), /below guard.min_agreement/)
      const threshold = { ...fallback, below_confidence: sure?.threshold ?? null }
      const { id } = expectStatus(await post(live, { ...body, fallback: threshold }), 201)
      const usual = expectStatus(await patch(live, id, { guard: { min_agreement: null } }), 200)
      assert.strictEqual(usual.guard?.min_agreement, sure?.agreement?.low)
      const lower = expectStatus(await patch(live, id, { fallback: { ...threshold, below_confidence: 0 } }), 200)
      assert.strictEqual(lower.guard?.min_agreement, all?.agreement?.low)
      assertLacks(await patch(live, id, { guard: { min_agreement } }), /below guard.min_agreement/)
    })
  },
  serving
)
