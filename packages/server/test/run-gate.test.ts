/** The live gate (service-api 4.1; contract 5, 14.22): a live run equals the rehearsed plan that it names. */
import { assert, it } from "@effect/vitest"
import type { Run } from "@limbeck/api/RunsApi"
import { createRun, endedRun, row, ticketsVersion, versionOf } from "@limbeck/testing/http/Steps"
import { assertRefused, type Client, expectStatus } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"
import { createLive, type Plan, planOf, rehearsed } from "./support/LiveRuns.ts"

type RunView = typeof Run.Type

/** One change in each part of a plan. */
const othersOf = (plan: Plan, otherVersion: string): ReadonlyArray<Plan> => [
  { ...plan, dataset_version: otherVersion },
  { ...plan, recipe: { ...plan.recipe, stages: plan.recipe.stages.slice(0, 1) } },
  {
    ...plan,
    recipe: { ...plan.recipe, stages: [{ kind: "sft", config: { epochs: 3 } }, ...plan.recipe.stages.slice(1)] }
  },
  { ...plan, budget: { max_cost_usd: 1.000001 } },
  { ...plan, compute: { profile: "l4" } }
]

onEachStorage(
  "a proved live run",
  (house) => {
    const setUp = async () => {
      const { live, test } = await house.workspace()
      const plan = planOf((await ticketsVersion(live)).id)
      return { live, test, plan, rehearsal: await rehearsed(live, plan) }
    }

    it("is taken, may be taken again, and names its rehearsal", async () => {
      const { live, plan, rehearsal } = await setUp()
      for (let turn = 0; turn < 2; turn++) {
        const run = expectStatus(await createLive(live, plan, rehearsal), 201)
        const { id: validated_dry_run, plan_hash } = rehearsal
        assert.deepInclude(run, { dry_run: false, validated_dry_run, plan_hash, livemode: true, status: "queued" })
        assert.strictEqual((await endedRun(live, run.id)).validated_dry_run, validated_dry_run)
      }
    })

    it("is refused with any other plan: its hash differs, and its own hash is that of no rehearsal (P31)", async () => {
      const { live, plan, rehearsal } = await setUp()
      const other = await versionOf(live, [row(0), row(1), row(2), { ...row(3), completion: "another" }])
      for (const changed of othersOf(plan, other.id)) {
        assertRefused(await createLive(live, changed, rehearsal), 409, "conflict_error", "plan_hash")
        const own = await rehearsed(live, changed)
        assert.notStrictEqual(own.plan_hash, rehearsal.plan_hash)
        const mixed = await createLive(live, changed, { ...rehearsal, plan_hash: own.plan_hash })
        assertRefused(mixed, 409, "conflict_error", "validated_dry_run")
      }
    })

    it("is refused on another version of the same rows, whose plan hash is the same (P941)", async () => {
      const { live, plan, rehearsal } = await setUp()
      const twin = { ...plan, dataset_version: (await ticketsVersion(live)).id }
      assert.notStrictEqual(twin.dataset_version, plan.dataset_version)
      assertRefused(await createLive(live, twin, rehearsal), 409, "conflict_error", "validated_dry_run")
      const own = await rehearsed(live, twin)
      assert.strictEqual(own.plan_hash, rehearsal.plan_hash)
      expectStatus(await createLive(live, twin, own), 201)
    })

    it("cannot name a rehearsal of another mode or workspace, or one that never was: it looks absent (P31)", async () => {
      const { live, plan, rehearsal, test } = await setUp()
      const [elsewhere, inTest] = [await setUp(), await rehearsed(test, planOf((await ticketsVersion(test)).id))]
      for (const { id } of [elsewhere.rehearsal, inTest, { id: "run_none" }]) {
        assertRefused(await createLive(live, plan, { ...rehearsal, id }), 404, "not_found_error", "validated_dry_run")
      }
    })

    it("cannot name a live run", async () => {
      const { live, plan, rehearsal } = await setUp()
      const { id } = expectStatus(await createLive(live, plan, rehearsal), 201)
      await endedRun(live, id)
      const answer = await createLive(live, plan, { ...rehearsal, id })
      assertRefused(answer, 409, "conflict_error", "validated_dry_run")
    })

    it("is a dry run with a test token, which needs no proof and shows none", async () => {
      const { test } = await house.workspace()
      const plan = planOf((await ticketsVersion(test)).id)
      const run = expectStatus(await createLive(test, plan, await rehearsed(test, plan)), 201)
      assert.deepInclude(run, { dry_run: true, validated_dry_run: null, executor: "stub", livemode: false })
      const { status, student_model, totals } = await endedRun(test, run.id)
      assert.deepStrictEqual([status, student_model, totals.cost_usd], ["succeeded", null, 0])
    })

    it("is rehearsed again under the same rules where a dry run expressly names a proof (P160)", async () => {
      const { live, plan, rehearsal, test } = await setUp()
      const again = (asked: Plan, proof: RunView) => createLive(live, asked, proof, { dry_run: true })
      const run = expectStatus(await again(plan, rehearsal), 201)
      assert.deepInclude(run, { dry_run: true, validated_dry_run: null, plan_hash: rehearsal.plan_hash })
      const other = { ...plan, budget: { max_cost_usd: 2 } }
      assertRefused(await again(other, rehearsal), 409, "conflict_error", "plan_hash")
      const { id: live_run } = expectStatus(await createLive(live, plan, rehearsal), 201)
      await endedRun(live, live_run)
      assertRefused(await again(plan, { ...rehearsal, id: live_run }), 409, "conflict_error", "validated_dry_run")
      const inTest = await rehearsed(test, planOf((await ticketsVersion(test)).id))
      for (const id of [inTest.id, "run_none"]) {
        assertRefused(await again(plan, { ...rehearsal, id }), 404, "not_found_error", "validated_dry_run")
      }
    })

    it("is taken from a test token whatever it names, for it is a dry run (P160)", async () => {
      const { rehearsal, test } = await setUp()
      const plan = planOf((await ticketsVersion(test)).id)
      for (const proof of [rehearsal, { ...rehearsal, id: "run_none", plan_hash: "0".repeat(64) }]) {
        for (const dry_run of [true, false]) {
          const run = expectStatus(await createLive(test, plan, proof, { dry_run }), 201)
          assert.deepInclude(run, { dry_run: true, validated_dry_run: null, livemode: false })
        }
      }
    })

    it("may leave the proof out altogether, and then has none", async () => {
      const { live, plan } = await setUp()
      const run = expectStatus(await createRun(live, { ...plan, dry_run: false }), 201)
      assert.deepInclude(run, { dry_run: false, validated_dry_run: null })
    })
  },
  { takesLiveRuns: true }
)

onEachStorage(
  "a proved live run, when the rehearsal is not done",
  (house) => {
    it("is refused while that is under way, and when it was canceled", async () => {
      const { live } = await house.workspace()
      const plan = planOf((await versionOf(live, [row(0), row(1)])).id)
      const rehearsal: RunView = expectStatus(await createRun(live, { ...plan, dry_run: true }), 201)
      const isRefused = async (caller: Client) =>
        assertRefused(await createLive(caller, plan, rehearsal), 409, "conflict_error", "validated_dry_run")
      await isRefused(live)
      expectStatus(await live.post(`/v1/distill/runs/${rehearsal.id}/cancel`), 200)
      await isRefused(live)
    })
  },
  { takesLiveRuns: true, pace: "10 seconds" }
)
