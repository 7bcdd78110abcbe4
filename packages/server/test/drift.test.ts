/** How the last calls of a deployment differ from its first ones (contract 16.38). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { tickets } from "@limbeck/testing/fixtures/Tickets"
import {
  type DeploymentDetail,
  type DeploymentView,
  deployAndWait,
  deploymentEvents,
  get,
  path
} from "@limbeck/testing/http/DeploymentSteps"
import { freshKey, readUntil } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { assertRefused, type Client, expectStatus } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"
import { evaluated } from "./support/LiveRuns.ts"
import { aboutMoney, answered, asked, call, fallbackTo, serving } from "./support/Serving.ts"

const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

const unknown = "zxq vlorp 77 brrk ümläut qqq"
const none = { calls: 0, fallback_share: null, reasons: {}, confidence: null, labels: null, new_templates: null }

const accept = (live: Client, id: string, key = freshKey()) =>
  live.post<DeploymentDetail>(`${path}/${id}/accept_drift`, undefined, key)

onOneStorage(
  "the drift of a deployment",
  (house) => {
    it("compares its last calls with the first ones, until it is accepted or the threshold changes, and is told once (P1152, P1153, P1331, P1532)", async () => {
      const workspace = await house.workspace()
      const { live } = workspace
      const student_model = await evaluated(live, tickets({ rows: 200, seed: 1 }))
      const base = models.speaking("never")
      const fallback = { ...(await fallbackTo(live, base)), below_confidence: 0 }
      const made = await deployAndWait(live, { alias: "desk", student_model, mode: "active", fallback })
      const { id } = made
      assert.deepStrictEqual<unknown>(made.drift, { ...none, since: made.created_at })
      const patch = async (body: object) => expectStatus(await live.patch<DeploymentView>(`${path}/${id}`, body), 200)
      const confidenceOf = async (content: string) =>
        (await answered(await call(house, workspace, asked("desk", content)))).body.service.confidence
      const [sure, unsure] = [await confidenceOf(aboutMoney), await confidenceOf(unknown)]
      assert.isBelow(unsure, sure)
      const between = { ...fallback, below_confidence: (sure + unsure) / 2 }
      const since = (await patch({ fallback: between })).updated_at
      const ask = async (content: string, servedBy: string) =>
        assert.strictEqual((await answered(await call(house, workspace, asked("desk", content)))).servedBy, servedBy)
      for (let nth = 0; nth < 500; nth++) await ask(aboutMoney, "student")
      for (let nth = 0; nth < 50; nth++) await ask(aboutMoney, "student")
      for (let nth = 0; nth < 50; nth++) await ask(unknown, "upstream_fallback")
      const { drift } = await readUntil(
        () => live.get<DeploymentDetail>(`${path}/${id}`),
        ({ drift }) => drift.calls === 600
      )
      assert.strictEqual(drift.since, since)
      assert.deepInclude(drift.fallback_share, { before: 0, now: 0.5 })
      assert.isBelow(drift.fallback_share!.by_chance, 1e-9)
      assert.deepStrictEqual(drift.reasons, { confidence: 0.5 })
      assert.closeTo(drift.confidence!.before, sure, 1e-9)
      assert.closeTo(drift.confidence!.now, (sure + unsure) / 2, 1e-9)

      const drifted = await readUntil(
        () => live.get<DeploymentDetail>(`${path}/${id}`),
        ({ drifted_at }) => drifted_at !== null
      )
      // Half of the last calls have a label that no first call has.
      assert.closeTo(drifted.drift.labels!.distance, 0.5, 1e-9)
      assert.isBelow(drifted.drift.labels!.by_chance, 0.1)
      const events = (await deploymentEvents(live)).filter(({ type }) => type === "distill.deployment.drifted")
      assert.deepStrictEqual<unknown>(
        events.map(({ object }) => object),
        [drifted]
      )

      const key = freshKey()
      const accepted = expectStatus(await accept(live, id, key), 200)
      assert.deepStrictEqual<unknown>(accepted.drift, { ...none, since: accepted.updated_at })
      assert.isNull(accepted.drifted_at)
      assert.strictEqual(expectStatus(await accept(live, id, key), 200).updated_at, accepted.updated_at)
      assert.strictEqual((await get(live, id)).drift.since, accepted.updated_at)

      await patch({ timeout_ms: 5_000 })
      assert.strictEqual((await get(live, id)).drift.since, accepted.updated_at)
      const changed = await patch({ fallback: { ...fallback, below_confidence: 0.01 } })
      assert.strictEqual((await get(live, id)).drift.since, changed.updated_at)

      expectStatus(await live.post<DeploymentView>(`${path}/${id}/retire`), 200)
      assertRefused(await accept(live, id), 409, "conflict_error")
    })
  },
  serving
)
