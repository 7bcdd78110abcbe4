import { assert, describe, it } from "@effect/vitest"
import { currentStage, type Run, RunStatus } from "@limbeck/distill/run/Run"
import {
  backoffSeconds,
  edges,
  isTerminal,
  lostPauseMillis,
  RunEvent,
  transition
} from "@limbeck/distill/run/RunMachine"
import * as Result from "effect/Result"
import { eventsFor, newRun, runs, steps } from "./MachineRuns.ts"

const table: Record<RunStatus, Partial<Record<RunEvent["_tag"], ReadonlyArray<RunStatus>>>> = edges
const eventOf = new Map(runs.flatMap(eventsFor).map((event) => [event._tag, event]))

const targetsOf = (from: RunStatus, tag: RunEvent["_tag"]) =>
  new Set(
    steps.filter(({ before, event }) => before.status === from && event._tag === tag).map(({ after }) => after.status)
  )

const apply = (run: Run, ...events: ReadonlyArray<RunEvent>): Run =>
  events.reduce((before, event) => Result.getOrThrow(transition(before, event, before.updatedAt + 1)), run)

const stageEnded = RunEvent.StageEnded({
  outcome: "succeeded",
  result: { weights: 1 },
  report: "rpt_00000000000000000000000000",
  studentModel: null
})
const failed = RunEvent.StageFailed({ code: "oom", message: "Out of memory", retryable: true })

describe("RunMachine", () => {
  for (const from of RunStatus.literals) {
    for (const [tag, event] of eventOf) {
      const allowed = table[from][tag]
      it(`${from} by ${tag} leads to ${allowed?.join(" or ") ?? "a refusal"}`, () => {
        // The machine matches the table exactly.
        assert.deepStrictEqual([...targetsOf(from, tag)].sort(), [...(allowed ?? [])].sort())
        for (const run of runs.filter(({ status }) => status === from)) {
          assert.strictEqual(Result.isSuccess(transition(run, event, 9)), allowed !== undefined)
        }
      })
    }
  }

  it("the published diagram is this diagram (P30)", () =>
    assert.deepStrictEqual(
      RunStatus.literals.flatMap((from) =>
        Object.entries(table[from]).flatMap(([event, to]) => to.map((target) => `${from} --> ${target}: ${event}`))
      ),
      [
        "queued --> validating: Claimed",
        "queued --> running: Claimed",
        "queued --> evaluating: Claimed",
        "queued --> canceled: CancelRequested",
        "queued --> failed: PlanRefused",
        "validating --> validating: Claimed",
        "validating --> failed: Claimed",
        "validating --> running: StageEnded",
        "validating --> evaluating: StageEnded",
        "validating --> succeeded: StageEnded",
        "validating --> validating: HandedBack",
        "validating --> validating: StageFailed",
        "validating --> failed: StageFailed",
        "validating --> failed: BudgetExceeded",
        "validating --> canceled: CancelRequested",
        "running --> running: Claimed",
        "running --> failed: Claimed",
        "running --> running: StageEnded",
        "running --> evaluating: StageEnded",
        "running --> succeeded: StageEnded",
        "running --> running: HandedBack",
        "running --> running: StageFailed",
        "running --> failed: StageFailed",
        "running --> failed: BudgetExceeded",
        "running --> canceled: CancelRequested",
        "evaluating --> evaluating: Claimed",
        "evaluating --> failed: Claimed",
        "evaluating --> running: StageEnded",
        "evaluating --> succeeded: StageEnded",
        "evaluating --> evaluating: HandedBack",
        "evaluating --> evaluating: StageFailed",
        "evaluating --> failed: StageFailed",
        "evaluating --> failed: BudgetExceeded",
        "evaluating --> canceled: CancelRequested",
        "failed --> queued: Retried",
        "canceled --> queued: Retried"
      ]
    ))

  it("a run walks its stages in order, each beginning as the one before it ends", () => {
    const states = [RunEvent.Claimed(), stageEnded, stageEnded, stageEnded, stageEnded, stageEnded].map(
      (_, index, all) => {
        const run = apply(newRun(["sft", "grpo", "eval", "publish"]), ...all.slice(0, index + 1))
        return [run.status, ...run.stages.map(({ status }) => status)].join(" ")
      }
    )
    assert.deepStrictEqual(states, [
      "validating running pending pending pending pending",
      "running succeeded running pending pending pending",
      "running succeeded succeeded running pending pending",
      "evaluating succeeded succeeded succeeded running pending",
      "running succeeded succeeded succeeded succeeded running",
      "succeeded succeeded succeeded succeeded succeeded succeeded"
    ])
  })

  it("a budget that would be passed fails the run and says so at its stage", () => {
    const run = apply(newRun(["sft"]), RunEvent.Claimed(), stageEnded, RunEvent.BudgetExceeded())
    assert.deepInclude(run.error, { code: "budget_exceeded", stage: 2 })
    assert.deepInclude(run.stages[1], { status: "failed" })
    assert.strictEqual(run.stages[1]?.error?.code, "budget_exceeded")
  })

  it("a stage waits 5 seconds for its second attempt, 30 for its third, and has no fourth", () =>
    assert.deepStrictEqual([1, 2, 3, 4].map(backoffSeconds), [5, 30, null, null]))

  /** The worker dies, and the next one takes the due run up. */
  const loseOnce = (run: Run): Run => {
    const claim = RunEvent.Claimed()
    const next = apply(run, claim)
    return next.dueAt === null ? next : apply(next, claim)
  }

  it("attempts that are lost with their workers leave all three of its own to a stage (P925)", () => {
    const lost = loseOnce(loseOnce(loseOnce(apply(newRun(["sft"]), RunEvent.Claimed()))))
    assert.deepInclude(lost.stages[0], { status: "running", attempt: 4, lostOfStart: 3 })
    const second = apply(lost, failed, RunEvent.Claimed())
    const third = apply(loseOnce(second), failed, RunEvent.Claimed())
    assert.deepInclude(third.stages[0], { status: "running", attempt: 7, lostOfStart: 4 })
    assert.deepInclude(apply(third, failed), { status: "failed" })
  })

  it("a run that loses ten workers in one stage fails, since it may be the reason (P925)", () => {
    let run = apply(newRun(["sft"]), RunEvent.Claimed())
    for (let lost = 1; lost < 10; lost++) run = loseOnce(run)
    assert.deepInclude(run.stages[0], { status: "running", attempt: 10, lostOfStart: 9 })
    const last = apply(run, RunEvent.Claimed())
    assert.deepInclude(last.error, { code: "worker_lost", stage: 1 })
    assert.strictEqual(last.stages[0]?.attempt, 10)
  })

  it("each stage, and each retry, begins without lost attempts", () => {
    const lost = loseOnce(apply(newRun(["sft"]), RunEvent.Claimed()))
    const next = apply(lost, stageEnded)
    assert.strictEqual(next.stages[1]?.lostOfStart ?? 0, 0)
    const again = apply(lost, RunEvent.CancelRequested(), RunEvent.Retried({ fromStage: 1 }))
    assert.deepInclude(again.stages[0], { attemptsOfStart: 0, lostOfStart: 0 })
  })

  it("runs that are lost together come back at different times", () => {
    const pauses = Array.from({ length: 100 }, (_, index) => lostPauseMillis(`run_${index}`, 5) ?? 0)
    assert.isAtLeast(Math.min(...pauses), 20_000)
    assert.isAtMost(Math.max(...pauses), 60_000)
    assert.isAbove(new Set(pauses).size, 90)
  })

  it("an attempt begins without the error of the one before it; the first beginning stays", () => {
    const waiting = apply(newRun(["sft"]), RunEvent.Claimed(), failed)
    assert.deepStrictEqual(waiting.stages[0]?.error, { code: "oom", message: "Out of memory" })
    assert.isNull(waiting.error)
    const again = apply(waiting, RunEvent.Claimed())
    assert.deepInclude(again.stages[0], { error: null, attempt: 2, startedAt: 2 })
  })

  it("the current stage of an ended run is the last that it reached since its retry", () => {
    const atEval = apply(
      newRun(["sft", "eval"]),
      RunEvent.Claimed(),
      stageEnded,
      stageEnded,
      RunEvent.CancelRequested()
    )
    assert.deepInclude(currentStage(atEval), { seq: 4, status: "canceled" })
    const waiting = apply(atEval, RunEvent.Retried({ fromStage: 2 }))
    assert.deepInclude(currentStage(waiting), { seq: 2, status: "pending" })
    const ended = apply(waiting, RunEvent.Claimed(), RunEvent.CancelRequested())
    assert.deepInclude(currentStage(ended), { seq: 2, status: "canceled", attempt: 2 })
  })

  it("a retry goes on from the checkpoint of its stage, and from none that was made of results made anew", () => {
    const checkpoint = { state: { step: 7 }, usage: { gpuSeconds: 3, judgeTokens: 0 } }
    const withCheckpoints = (run: Run): Run => ({
      ...run,
      stages: run.stages.map((stage) => (stage.status === "running" ? { ...stage, checkpoint } : stage))
    })
    const atSft = withCheckpoints(apply(newRun(["sft", "eval"]), RunEvent.Claimed(), stageEnded))
    const atEval = withCheckpoints(apply(atSft, stageEnded))
    assert.isNull(atEval.stages[1]?.checkpoint, "a stage that is done needs none")
    const canceled = apply(atEval, RunEvent.CancelRequested())
    const checkpoints = (fromStage: number) =>
      apply(canceled, RunEvent.Retried({ fromStage })).stages.map(({ checkpoint }) => checkpoint)
    assert.deepStrictEqual(checkpoints(4), [null, null, null, checkpoint, null])
    assert.deepStrictEqual(checkpoints(2), [null, null, null, null, null])
  })
})

describe("isTerminal", () => {
  it("succeeded, failed and canceled are the only ends", () =>
    assert.deepStrictEqual(RunStatus.literals.filter(isTerminal), ["succeeded", "failed", "canceled"]))
})
