/** A run's failures, and the start of its retry (service-api 3.1; contract 5, 14.23). */
import { assert, it } from "@effect/vitest"
import type { Event } from "@limbeck/api/EventsApi"
import type { Run } from "@limbeck/api/RunsApi"
import { StageFailure } from "@limbeck/distill/run/Executor"
import { createRun, endedRun, readUntil, ticketsVersion } from "@limbeck/testing/http/Steps"
import * as Stream from "effect/Stream"
import { assertInvalid, assertRefused, type Client, expectStatus, firstOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"
import { planOf, wholeList } from "./support/LiveRuns.ts"
import { done, ScriptedExecutor } from "./support/ScriptedExecutor.ts"

type RunView = typeof Run.Type

const runs = "/v1/distill/runs"
const scripted = new ScriptedExecutor()

const failing = (retryable: boolean) => () =>
  Stream.fail(new StageFailure({ code: "broken", message: "It broke", retryable }))

const begun = async (caller: Client) => {
  const { id: version } = await ticketsVersion(caller)
  return expectStatus(await createRun(caller, { ...planOf(version), dry_run: false }), 201)
}

const read = async (caller: Client, id: string) => expectStatus(await caller.get<RunView>(`${runs}/${id}`), 200)
const retry = (caller: Client, { id }: RunView, body?: unknown) => caller.post<RunView>(`${runs}/${id}/retry`, body)
const cancel = (caller: Client, { id }: RunView) => caller.post<RunView>(`${runs}/${id}/cancel`)

const statusesOf = ({ stages }: RunView) => stages.map(({ status }) => status)
const attemptsOf = ({ stages }: RunView) => stages.map(({ attempt }) => attempt)

/** A run's events, in order. */
const eventsOf = async (caller: Client, { id }: RunView) => {
  const all = await wholeList<typeof Event.Type>(caller, "/v1/events?type=distill.run.*")
  return all.toReversed().filter(({ data }) => data.object["id"] === id)
}

/** The types of a run's events without their common prefix, in order. */
const toldOf = async (caller: Client, run: RunView) =>
  (await eventsOf(caller, run)).map(({ type }) => type.replace("distill.run.", ""))

onEachStorage(
  "a run whose evaluation fails",
  (house) => {
    const failed = async (caller: Client) => {
      scripted.stages.set("eval", failing(false))
      const run = await endedRun(caller, (await begun(caller)).id)
      scripted.stages.delete("eval")
      return run
    }

    it("says why and at which stage, and keeps what it had", async () => {
      const { live } = await house.workspace()
      const run = await failed(live)
      const why = { code: "broken", message: "It broke" }
      assert.deepInclude(run, { status: "failed", report: null, student_model: null })
      assert.deepStrictEqual(run.error, { ...why, stage: 4 })
      assert.deepStrictEqual(run.stages[3]?.error, why)
      assert.deepStrictEqual(statusesOf(run), ["succeeded", "succeeded", "skipped", "failed", "pending"])
      assert.deepStrictEqual(run.current_stage, { seq: 4, kind: "eval", status: "failed" })
      assert.isString(run.finished_at)
      assert.deepStrictEqual(await toldOf(live, run), [
        "created",
        "started",
        "stage_succeeded",
        "stage_succeeded",
        "failed"
      ])
      assertRefused(await cancel(live, run), 409, "conflict_error")
    })

    it("is not retried from a stage that is none, is skipped, or comes after one without a result", async () => {
      const { live } = await house.workspace()
      const run = await failed(live)
      for (const from_stage of [0, -1, 6, 1.5, "4", 3, 5]) {
        assertInvalid(await retry(live, run, { from_stage }), "from_stage")
      }
      assertInvalid(await retry(live, run, { stage: 4 }), "stage")
      assertInvalid(await retry(live, run, { budget: {} }), "budget.max_cost_usd")
      assert.deepStrictEqual(await read(live, run.id), run)
    })

    it("is retried from the first open stage by default, and succeeds with earlier results kept", async () => {
      const { live } = await house.workspace()
      const run = await failed(live)
      const retried = expectStatus(await retry(live, run), 200)
      assert.deepInclude(retried, { id: run.id, status: "queued", error: null, finished_at: null })
      assert.deepStrictEqual(statusesOf(retried), ["succeeded", "succeeded", "skipped", "pending", "pending"])
      assert.deepStrictEqual(retried.current_stage, { seq: 4, kind: "eval", status: "pending" })
      assert.deepStrictEqual([retried.plan_hash, retried.budget], [run.plan_hash, run.budget])
      const ended = await endedRun(live, run.id)
      assert.strictEqual(ended.status, "succeeded")
      assert.deepStrictEqual(attemptsOf(ended), [1, 1, 0, 2, 1])
      assert.deepStrictEqual((await toldOf(live, run)).slice(5), [
        "retried",
        "started",
        "stage_succeeded",
        "stage_succeeded",
        "succeeded"
      ])
      const started = (await eventsOf(live, run)).filter(({ type }) => type === "distill.run.started")
      assert.deepStrictEqual(
        started.map(({ data }) => data.object["status"]),
        ["validating", "evaluating"]
      )
      assertRefused(await retry(live, run), 409, "conflict_error")
    })

    it("is retried from an earlier stage on request, whose attempts go on counting", async () => {
      const { live } = await house.workspace()
      for (const [from_stage, attempts] of [
        [1, [2, 2, 0, 2, 1]],
        [2, [1, 2, 0, 2, 1]]
      ] as const) {
        const run = await failed(live)
        const retried = expectStatus(await retry(live, run, { from_stage }), 200)
        assert.deepInclude(retried.current_stage, { seq: from_stage, status: "pending" })
        assert.deepStrictEqual(attemptsOf(await endedRun(live, run.id)), [...attempts])
      }
    })
  },
  { builtin: scripted.executor }
)

onEachStorage(
  "a run whose training may fare better another time",
  (house) => {
    it("is tried again after 5 and after 30 seconds, stays what it was meanwhile, and then fails", async () => {
      const { live } = await house.workspace()
      scripted.stages.set("sft", failing(true))
      const { id } = await begun(live)
      for (const [attempt, wait] of [
        [1, 5_000],
        [2, 30_000]
      ] as const) {
        const waiting = await readUntil(
          () => live.get<RunView>(`${runs}/${id}`),
          ({ stages }) => stages[1]?.attempt === attempt && stages[1].error !== null
        )
        assert.deepInclude(waiting, { status: "running", error: null })
        assert.deepInclude(waiting.current_stage, { seq: 2, status: "running" })
        house.passTime(wait - 2_000)
        assert.strictEqual((await read(live, id)).stages[1]?.attempt, attempt)
        house.passTime(2_000)
      }
      const run = await endedRun(live, id)
      assert.strictEqual(run.status, "failed")
      assert.deepInclude(run.stages[1], { status: "failed", attempt: 3 })
      assert.strictEqual((await toldOf(live, run)).filter((type) => type === "failed").length, 1)
      scripted.stages.delete("sft")
      expectStatus(await retry(live, run), 200)
      assert.deepStrictEqual(attemptsOf(await endedRun(live, id)), [1, 4, 0, 1, 1])
    })
  },
  { builtin: scripted.executor }
)

onEachStorage(
  "a run that is canceled",
  (house) => {
    it("while it trains, ends at once; what comes late is dropped; a retry makes it whole (P33)", async () => {
      const { live } = await house.workspace()
      scripted.stages.set("sft", () => Stream.never)
      const { id } = await begun(live)
      const running = await readUntil(
        () => live.get<RunView>(`${runs}/${id}`),
        ({ stages }) => stages[1]?.status === "running"
      )
      assert.deepInclude(running, { status: "running", finished_at: null })
      assertRefused(await retry(live, running), 409, "conflict_error")
      const canceled = expectStatus(await cancel(live, running), 200)
      assert.deepInclude(canceled, { status: "canceled", error: null, report: null })
      assert.deepStrictEqual(statusesOf(canceled), ["succeeded", "canceled", "skipped", "pending", "pending"])
      assert.deepStrictEqual(canceled.current_stage, { seq: 2, kind: "sft", status: "canceled" })
      assertRefused(await cancel(live, running), 409, "conflict_error")
      scripted.stages.set("sft", () => done("late"))
      assert.deepStrictEqual(await read(live, id), canceled)
      expectStatus(await retry(live, running, {}), 200)
      const ended = await endedRun(live, id)
      assert.strictEqual(ended.status, "succeeded")
      assert.deepStrictEqual(attemptsOf(ended), [1, 2, 0, 1, 1])
      const { data } = expectStatus(await live.get<{ data: Array<{ run: string }> }>("/v1/distill/reports"), 200)
      assert.strictEqual(firstOf({ data }).run, id)
    })
  },
  { builtin: scripted.executor }
)
