/** An active student under a guard: verified by its upstream, and taken out when it disagrees (contract 15.15). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { CapturedCall, CapturedCallDetail } from "@limbeck/api/CallsApi"
import { tickets } from "@limbeck/testing/fixtures/Tickets"
import {
  type DeploymentDetail,
  type DeploymentView,
  deployAndWait,
  deploymentEvents,
  get,
  path
} from "@limbeck/testing/http/DeploymentSteps"
import { readUntil } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { type House, onOneStorage, type Workspace } from "./support/House.ts"
import { evaluated } from "./support/LiveRuns.ts"
import { aboutMoney, answered, asked, call, fallbackTo, saidIn, serving } from "./support/Serving.ts"

const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

const begin = async (house: House) => {
  const workspace = await house.workspace()
  const { live } = workspace
  const student_model = await evaluated(live, tickets({ rows: 200, seed: 1 }))
  return { workspace, live, student_model, contrary: await fallbackTo(live, models.speaking("never")) }
}

/** Every answer of the student is verified. */
const guard = { min_agreement: 0.5, verify_percent: 100 }

const patch = async (live: Client, id: string, body: object) =>
  expectStatus(await live.patch<DeploymentView>(`${path}/${id}`, body), 200)

const shown = (live: Client, id: string, so: (deployment: DeploymentDetail) => boolean) =>
  readUntil(() => live.get<DeploymentDetail>(`${path}/${id}`), so)

/** Of a student that is not found below its floor: of another, no more would ever be compared. */
const compared = (live: Client, id: string, count: number) =>
  shown(live, id, ({ agreement, guard, guarded_at }) => {
    assert.isNull(guarded_at, JSON.stringify(guard))
    return (agreement?.comparisons ?? 0) >= count
  })

/** Every comparison tells against the student, so a few are enough. */
const enough = 30

onOneStorage(
  "a student under a guard",
  (house) => {
    let begun: ReturnType<typeof begin> | undefined
    const story = () => {
      begun ??= begin(house)
      return begun
    }
    const ask = async (workspace: Workspace, alias: string) => answered(await call(house, workspace, asked(alias)))
    const askOften = async (workspace: Workspace, alias: string) => {
      for (let nth = 0; nth < enough; nth++) assert.strictEqual((await ask(workspace, alias)).status, 200)
    }

    it("is compared with its upstream after its client has the answer, in a call of the upstream's own (P214)", async () => {
      const { live, student_model, workspace } = await story()
      // Each call has 11 tokens in and 3 out.
      const priced = { id: "gpt", input_per_million: 1_000, output_per_million: 10_000 }
      const fallback = await fallbackTo(live, models.speaking("refund_request"), { kind: "managed", models: ["gpt"] })
      await house.price(workspace, fallback.source, [priced])
      const { id } = await deployAndWait(live, { alias: "calm", student_model, mode: "active", fallback, guard })
      assert.isNull((await get(live, id)).agreement)
      const answers = [await ask(workspace, "calm"), await ask(workspace, "calm"), await ask(workspace, "calm")]
      for (const answer of answers)
        assert.deepStrictEqual([answer.servedBy, saidIn(answer)], ["student", "refund_request"])
      const { agreement, figures, guarded_at } = await compared(live, id, 3)
      assert.deepInclude(agreement, { value: 1, comparisons: 3, high: 1, method: "betting_confidence_sequence" })
      assert.isNull(guarded_at)
      assert.deepInclude(figures.calls, { student: 3, upstream: 0 })
      assert.deepInclude(figures, { shadowed: 0, compared: 0, upstream_cost_usd: 0 })
      const detail = await live.get<typeof CapturedCallDetail.Type>(`/v1/distill/calls/${answers[0]?.call}`)
      const { shadow_results } = expectStatus(detail, 200)
      assert.lengthOf(shadow_results, 1)
      const message = { role: "assistant", content: "refund_request" }
      assert.deepInclude(shadow_results[0], { deployment: id, agrees: true, verifies: true, error: null, message })
      assert.isAbove(shadow_results[0]?.confidence ?? 0, 0)
      const calls = await live.get<ListOf<typeof CapturedCall.Type>>("/v1/distill/calls?verifies=true&tag=verification")
      const { data } = expectStatus(calls, 200)
      assert.lengthOf(data, 3)
      const shown = { served_by: "upstream", deployment: null, model: "gpt", outcome: "succeeded" } as const
      assert.deepInclude(data[0], { ...shown, billed: true, cost_usd: 0.041 })
    })

    it("shows how its latest verified calls differ from the first ones (P251)", async () => {
      const { live, student_model, workspace } = await story()
      let said = "refund_request"
      const fallback = await fallbackTo(
        live,
        models.speaking(() => said)
      )
      const tolerant = { ...guard, min_agreement: 0.01 }
      const { id } = await deployAndWait(live, {
        alias: "drift",
        student_model,
        mode: "active",
        fallback,
        guard: tolerant
      })
      assert.isNull((await get(live, id)).drift.labels)
      for (let nth = 1; nth <= 260; nth++) {
        if (nth > 200) said = "order_status"
        await call(house, workspace, asked("drift", nth > 200 ? "where is the parcel" : aboutMoney))
        // Paced by verification: the excess would be dropped.
        if (nth % 50 === 0) await compared(live, id, nth)
      }
      const { drift } = await compared(live, id, 260)
      assert.strictEqual(drift.labels?.distance, 1)
      assert.isBelow(drift.labels?.by_chance ?? 1, 0.1)
    })

    it("that disagrees is kept from its callers and told of, until a person makes it active again (P215)", async () => {
      const { contrary, live, student_model, workspace } = await story()
      const { id } = await deployAndWait(live, {
        alias: "gone",
        student_model,
        mode: "active",
        fallback: contrary,
        guard
      })
      assert.strictEqual((await ask(workspace, "gone")).servedBy, "student")
      await askOften(workspace, "gone")
      const guarded = await shown(live, id, ({ guarded_at }) => guarded_at !== null)
      assert.deepInclude(guarded, { mode: "active", status: "ready" })
      const { breach } = guarded.guard!
      assert.deepInclude(breach, { min_agreement: 0.5, value: 0, low: 0 })
      assert.isTrue(breach!.high < 0.5 && breach!.comparisons <= enough)
      assert.strictEqual(guarded.agreement?.comparisons, breach?.comparisons)
      const events = (await deploymentEvents(live)).filter(({ object }) => Object(object).id === id)
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        ["distill.deployment.ready", "distill.deployment.guarded"]
      )
      assert.deepInclude(Object(events[1]?.object), { guarded_at: guarded.guarded_at, guard: guarded.guard })

      const answer = await ask(workspace, "gone")
      assert.deepStrictEqual([answer.servedBy, saidIn(answer)], ["upstream_fallback", "never"])
      const detail = await live.get<typeof CapturedCallDetail.Type>(`/v1/distill/calls/${answer.call}`)
      assert.deepInclude(expectStatus(detail, 200), { fallback_reason: "guarded", confidence: null, deployment: id })

      // Another change leaves it as it is.
      assert.strictEqual((await patch(live, id, { timeout_ms: 5_000 })).guarded_at, guarded.guarded_at)
      const again = await patch(live, id, { mode: "active" })
      assert.isNull(again.guarded_at)
      assert.isNull(again.guard?.breach)
      assert.isNull((await get(live, id)).agreement)
      assert.strictEqual((await ask(workspace, "gone")).servedBy, "student")
      assert.strictEqual((await compared(live, id, 1)).agreement?.comparisons, 1)
    })

    it("that falls from its evidence is found by a few calls, where the floor is the bound of that evidence (P1144)", async () => {
      const { contrary, live, student_model, workspace } = await story()
      const fallen = {
        alias: "fallen",
        student_model,
        mode: "active",
        fallback: contrary,
        guard: { verify_percent: 100 }
      }
      const { guard, id } = await deployAndWait(live, fallen)
      await askOften(workspace, "fallen")
      const { breach } = (await shown(live, id, ({ guarded_at }) => guarded_at !== null)).guard!
      assert.deepInclude(breach, { min_agreement: guard?.min_agreement ?? Number.NaN, value: 0, low: 0 })
      // So few would not tell against a floor that was given.
      assert.isTrue(breach!.comparisons <= 6 && breach!.high > breach!.min_agreement, JSON.stringify(breach))
    })

    it("that is to be told of alone goes on answering (P215)", async () => {
      const { contrary, live, student_model, workspace } = await story()
      const told_ = { ...guard, on_breach: "notify" }
      const body = { alias: "told", student_model, mode: "active", fallback: contrary, guard: told_ }
      const { id } = await deployAndWait(live, body)
      await askOften(workspace, "told")
      await shown(live, id, ({ guarded_at }) => guarded_at !== null)
      assert.strictEqual((await ask(workspace, "told")).servedBy, "student")
      const off = await patch(live, id, { guard: null })
      assert.deepInclude(off, { guard: null, guarded_at: null })
    })

    it("is not verified where nothing is captured, nobody can be asked, or nobody wants it (P214)", async () => {
      const { live, student_model, workspace } = await story()
      // Only this test's: earlier tests' students may still be verified.
      const base = models.speaking("never")
      const contrary = await fallbackTo(live, base)
      const body = { student_model, mode: "active" }
      await deployAndWait(live, { ...body, alias: "quiet", fallback: contrary, guard: { ...guard, verify_percent: 0 } })
      await deployAndWait(live, { ...body, alias: "alone", guard })
      await deployAndWait(live, { ...body, alias: "off", fallback: contrary })
      for (const alias of ["quiet", "alone", "off"]) {
        const answer = await answered(await call(house, workspace, asked(alias, aboutMoney)))
        assert.strictEqual(answer.servedBy, "student")
      }
      // Earlier verifications have been made by now.
      const { id } = await deployAndWait(live, { ...body, alias: "last", fallback: contrary, guard })
      await ask(workspace, "last")
      await compared(live, id, 1)
      assert.lengthOf(models.at(base), 1)
    })
  },
  serving
)
