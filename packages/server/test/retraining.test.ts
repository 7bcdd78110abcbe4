/** A deployment's student is trained again on the deployment's calls, and becomes a challenger in shadow (contract 16.39). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { tickets } from "@limbeck/testing/fixtures/Tickets"
import { type DeploymentView, deployAndWait, get, path } from "@limbeck/testing/http/DeploymentSteps"
import { endedRun, freshKey, readUntil } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"
import { evaluated } from "./support/LiveRuns.ts"
import { answered, asked, call, fallbackTo, serving } from "./support/Serving.ts"

const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

interface RunView {
  readonly id: string
  readonly status: string
  readonly dry_run: boolean
  readonly retrains: string | null
  readonly dataset_version: string
  readonly student_model: string | null
  readonly plan_hash: string
  readonly recipe: unknown
}

const budget = { max_cost_usd: 1 }

const retrain = (live: Client, id: string, body: unknown = { budget }, key = freshKey()) =>
  live.post<RunView>(`${path}/${id}/retrain`, body, key)

const challengerOf = (live: Client, student: string | null) =>
  readUntil(
    () => live.get<ListOf<DeploymentView>>(`${path}?alias=desk&mode=shadow`),
    ({ data }) => data.some(({ status, student_model }) => status === "ready" && student_model === student)
  )

onOneStorage(
  "the retraining of a deployment's student",
  (house) => {
    it("learns the deployment's calls and its own rows, and puts the result into the shadow in place of another (P1332, P1333)", async () => {
      const workspace = await house.workspace()
      const { live } = workspace
      const student_model = await evaluated(live, tickets({ rows: 200, seed: 1 }))
      const fallback = await fallbackTo(live, models.speaking("billing"))
      const { id } = await deployAndWait(live, {
        alias: "desk",
        student_model,
        mode: "active",
        fallback,
        traffic_percent: 0,
        timeout_ms: 9_000
      })
      for (let nth = 0; nth < 12; nth++) {
        const { servedBy } = await answered(await call(house, workspace, asked("desk", `Where is invoice ${nth}?`)))
        assert.strictEqual(servedBy, "upstream")
      }
      await readUntil(
        () => live.get<{ readonly drift: { readonly calls: number } }>(`${path}/${id}`),
        ({ drift }) => drift.calls === 12
      )
      const own = expectStatus(
        await live.get<{ readonly dataset_version: string }>(`/v1/distill/student_models/${student_model}`),
        200
      )

      const key = freshKey()
      const run = expectStatus(await retrain(live, id, { budget }, key), 202)
      assert.deepInclude(run, { dry_run: false, retrains: id, status: "queued" })
      assert.strictEqual(expectStatus(await retrain(live, id, { budget }, key), 202).id, run.id)
      const ended: RunView = await endedRun(live, run.id)
      assert.strictEqual(ended.status, "succeeded")
      assert.notStrictEqual(ended.plan_hash, run.plan_hash)
      const version = expectStatus(
        await live.get<{ readonly from: unknown; readonly made_of: unknown }>(
          `/v1/distill/dataset_versions/${run.dataset_version}`
        ),
        200
      )
      assert.deepStrictEqual(version.from, { calls: { deployment: id }, versions: [own.dataset_version] })
      assert.deepInclude(version.made_of, { upstream: 12, fallback: 0, verified: 0 })

      const { data } = await challengerOf(live, ended.student_model)
      assert.lengthOf(data, 1)
      assert.deepInclude(data[0], { timeout_ms: 9_000, traffic_percent: 0 })
      assert.deepInclude(await get(live, id), { mode: "active", status: "ready", student_model })

      const second: RunView = await endedRun(live, expectStatus(await retrain(live, id), 202).id)
      const { data: after } = await challengerOf(live, second.student_model)
      assert.deepStrictEqual(
        after.map(({ status }) => status),
        ["ready", "retired"]
      )

      const rehearsal: RunView = await endedRun(
        live,
        expectStatus(await retrain(live, id, { budget, dry_run: true }), 202).id
      )
      assert.deepInclude(rehearsal, { status: "succeeded", dry_run: true, student_model: null })
      assert.deepStrictEqual((await challengerOf(live, second.student_model)).data.length, 2)
    })

    it("is refused without a key, a budget, a run that made the student, or a deployment that lives (P1332)", async () => {
      const { live, test } = await house.workspace()
      const student_model = await evaluated(live, tickets({ rows: 100, seed: 1 }))
      const { id } = await deployAndWait(live, { alias: "desk", student_model, mode: "shadow" })
      assertRefused(
        await live.post(`${path}/${id}/retrain`, { budget }),
        400,
        "invalid_request_error",
        "Idempotency-Key"
      )
      assertRefused(await retrain(live, id, {}), 400, "invalid_request_error", "budget")
      assertRefused(
        await retrain(live, id, { budget: { max_cost_usd: 0 } }),
        400,
        "invalid_request_error",
        "budget.max_cost_usd"
      )
      assertRefused(await retrain(live, "dep_00000000000000000000000000"), 404, "not_found_error")
      assertRefused(await retrain(test, id), 404, "not_found_error")
      expectStatus(await live.post<DeploymentView>(`${path}/${id}/retire`), 200)
      assertRefused(await retrain(live, id), 409, "conflict_error")
    })
  },
  serving
)
