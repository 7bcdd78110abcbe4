/** Calls that verify a student's answer: labelled as the call that they belong to, and listed apart (contract 16.35). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { CapturedCall } from "@limbeck/api/CallsApi"
import type { CallMetricsList } from "@limbeck/api/MetricsApi"
import { toIso } from "@limbeck/core/time/Timestamp"
import { tickets } from "@limbeck/testing/fixtures/Tickets"
import { deployAndWait } from "@limbeck/testing/http/DeploymentSteps"
import { readUntil } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"
import { evaluated } from "./support/LiveRuns.ts"
import { answered, asked, call, fallbackTo, serving } from "./support/Serving.ts"

const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

type Calls = ListOf<typeof CapturedCall.Type>
type Metrics = typeof CallMetricsList.Type

const day = 24 * 3_600_000

const list = async (live: Client, query: string) =>
  expectStatus(await live.get<Calls>(`/v1/distill/calls?${query}`), 200).data

onEachStorage(
  "a call that verifies a student's answer",
  (house) => {
    it("has that call's tags and external id, and is in lists of verifying calls alone (P1147, P1300)", async () => {
      const workspace = await house.workspace()
      const { live } = workspace
      const student_model = await evaluated(live, tickets({ rows: 200, seed: 1 }))
      const fallback = await fallbackTo(live, models.speaking("refund_request"))
      const guard = { min_agreement: 0.5, verify_percent: 100 }
      await deployAndWait(live, { alias: "desk", student_model, mode: "active", fallback, guard })
      const headers = { "x-service-tags": "desk,mail", "x-service-external-id": "ticket 7" }
      const answer = await answered(await call(house, workspace, asked("desk"), { headers }))
      assert.strictEqual(answer.servedBy, "student")
      const verifying = await readUntil(
        () => live.get<Calls>("/v1/distill/calls?verifies=true"),
        ({ data }) => data.length === 1
      )
      const [verification] = verifying.data
      assert.deepInclude(verification, { verifies: answer.call, external_id: "ticket 7", served_by: "upstream" })
      assert.sameMembers([...(verification?.tags ?? [])], ["desk", "mail", "verification"])
      for (const filter of ["", "tag=desk&", "external_id=ticket%207&"]) {
        const plain = await list(live, `${filter}limit=10`)
        assert.deepStrictEqual(
          plain.map(({ id, verifies }) => [id, verifies]),
          [[answer.call, null]],
          filter
        )
        assert.deepStrictEqual(await list(live, `${filter}verifies=false`), plain)
        const ids = (await list(live, `${filter}verifies=true`)).map(({ id }) => id)
        assert.deepStrictEqual(ids, [verification?.id], filter)
      }
      const refused = await live.get(`/v1/distill/calls?verifies=yes`)
      assert.strictEqual(refused.status, 400)
      const [from, to] = [house.now() - day, house.now() + day].map(toIso)
      const { data } = expectStatus(
        await live.get<Metrics>(`/v1/distill/metrics?from=${from}&to=${to}&interval=day&group_by=served_by`),
        200
      )
      assert.deepStrictEqual(
        data.map(({ calls, group }) => [group, calls]),
        [["student", 1]]
      )
    })
  },
  serving
)
