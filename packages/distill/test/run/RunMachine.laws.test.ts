// Laws said a second time, in other words than the table's, so that a wrong table cannot agree with itself.
import { assert, describe, it } from "@effect/vitest"
import { currentStage, type Run, type RunStage } from "@limbeck/distill/run/Run"
import { transition } from "@limbeck/distill/run/RunMachine"
import { eventTypesOf } from "@limbeck/distill/run/RunResource"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { eventsFor, newRun, runs, type Step, steps } from "./MachineRuns.ts"

const working = ["validating", "running", "evaluating"]
const ends = ["succeeded", "failed", "canceled"]
const isWorking = (run: Run) => working.includes(run.status)
const isEnd = (run: Run) => ends.includes(run.status)

/** Attempts that count against the run. */
const counted = ({ attemptsOfStart, lostOfStart = 0 }: RunStage) => attemptsOfStart - lostOfStart
/** A worker holds the run. */
const isHeld = (run: Run) => isWorking(run) && run.dueAt === null

const attempts = (run: Run) => run.stages.map(({ attempt }) => attempt)
const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((a, b) => a + b, 0)
const left = (run: Run) => run.stages.filter(({ attempt, status }) => status === "skipped" && attempt === 0)

/** Laws of every run at any time. */
const states: Record<string, (run: Run) => void> = {
  "five rows in canonical order": (run) => {
    assert.deepStrictEqual(
      run.stages.map(({ kind, seq }) => [seq, kind]),
      [
        [1, "materialize"],
        [2, "sft"],
        [3, "grpo"],
        [4, "eval"],
        [5, "publish"]
      ]
    )
  },
  "one stage runs while the run works, and none otherwise": (run) => {
    assert.strictEqual(run.stages.filter(({ status }) => status === "running").length, isWorking(run) ? 1 : 0)
  },
  "the status says what kind of stage runs": (run) => {
    if (!isWorking(run)) return
    const { kind } = currentStage(run)
    assert.strictEqual(run.status, kind === "materialize" ? "validating" : kind === "eval" ? "evaluating" : "running")
  },
  "stages before the current one are done or left out; stages after it have not begun": (run) => {
    if (run.status === "succeeded") return
    const { seq } = currentStage(run)
    // A run canceled while waiting shows its last finished stage.
    for (const stage of run.stages) {
      if (stage.seq < seq) assert.include(["succeeded", "skipped"], stage.status)
      if (stage.seq > seq) assert.include(["pending", "skipped"], stage.status)
    }
  },
  "an error is there exactly when the run failed, and is that of its failed stage": (run) => {
    assert.strictEqual(run.error !== null, run.status === "failed")
    const failed = run.stages.filter(({ status }) => status === "failed")
    assert.deepStrictEqual(
      failed.map(({ error, seq }) => ({ ...error, stage: seq })),
      run.error === null ? [] : [{ ...run.error }]
    )
  },
  "a report is there exactly when the run succeeded, and then nothing is open": (run) => {
    assert.strictEqual(run.report !== null, run.status === "succeeded")
    if (run.status !== "succeeded") return
    for (const { status } of run.stages) assert.include(["succeeded", "skipped"], status)
  },
  "the end has a time, and nothing else has": (run) => {
    assert.strictEqual(run.finishedAt !== null, isEnd(run))
  },
  "a start has at most three attempts of a stage, beside ten that were lost with their workers": (run) => {
    for (const stage of run.stages) {
      assert.isAtMost(counted(stage), 3)
      assert.isAtMost(stage.lostOfStart ?? 0, 10)
      assert.isAtMost(stage.attemptsOfStart, stage.attempt)
    }
  },
  "the current stage of a waiting run is pending, of an ended one it was reached": (run) => {
    const { status } = currentStage(run)
    if (run.status === "queued") assert.strictEqual(status, "pending")
    if (run.status === "failed") assert.strictEqual(status, "failed")
    if (run.status === "succeeded") assert.include(["succeeded", "skipped"], status)
  }
}

/** What is true of every step. */
const moves: Record<string, (step: Step) => void> = {
  "nothing leaves succeeded": ({ before }) => assert.notStrictEqual(before.status, "succeeded"),
  "only a claim starts work": ({ after, before, event }) => {
    if (!isWorking(before) && isWorking(after)) assert.strictEqual(event._tag, "Claimed")
  },
  "an end is left by a retry alone, to wait again": ({ after, before, event }) => {
    if (isEnd(before)) assert.deepStrictEqual([event._tag, after.status], ["Retried", "queued"])
  },
  "attempts only go up, one at a time": ({ after, before }) => {
    const [from, to] = [attempts(before), attempts(after)]
    for (const [index, attempt] of to.entries()) assert.isAtLeast(attempt, from[index] ?? 0)
    assert.isAtMost(sum(to) - sum(from), 1)
  },
  "an attempt begins by a claim, or as the stage before it ends": ({ after, before, event }) => {
    if (sum(attempts(after)) > sum(attempts(before))) assert.include(["Claimed", "StageEnded"], event._tag)
  },
  "a run that was handed back is as it was, but that the attempt is none of the three": ({ after, before, event }) => {
    if (event._tag !== "HandedBack") return
    const uncounted = (run: Run) => run.stages.map((stage) => ({ ...stage, attemptsOfStart: 0 }))
    assert.deepStrictEqual(
      { ...after, stages: uncounted(after) },
      { ...before, stages: uncounted(before), dueAt: after.updatedAt, updatedAt: after.updatedAt }
    )
    const [from, to] = [before, after].map((run) => currentStage(run).attemptsOfStart)
    assert.strictEqual(to, Math.max(0, from! - 1))
  },
  "a run is due again at once when it was handed back, after the backoff of a failed attempt, and else at no time of its own":
    ({ after, event }) => {
      if (event._tag === "Claimed") return
      const waits = !isEnd(after) && event._tag === "StageFailed"
      const backoff = [5_000, 30_000][counted(currentStage(after)) - 1]
      const expected = event._tag === "HandedBack" ? after.updatedAt : waits ? after.updatedAt + (backoff ?? 0) : null
      assert.strictEqual(after.dueAt, expected)
    },
  "a claim begins an attempt, but for the pause after a lost one and for the tenth that is lost": ({
    after,
    before,
    event
  }) => {
    if (event._tag !== "Claimed") return
    const { lostOfStart = 0, seq } = currentStage(after)
    assert.strictEqual(lostOfStart, (before.stages[seq - 1]?.lostOfStart ?? 0) + (isHeld(before) ? 1 : 0))
    const pause = [0, 5, 10, 20, 40, 80, 160, 300, 300][lostOfStart - 1]
    if (isHeld(before) && pause === undefined) return assert.strictEqual(after.status, "failed")
    const begins = !isHeld(before) || pause === 0
    assert.strictEqual(sum(attempts(after)) - sum(attempts(before)), begins ? 1 : 0)
    if (begins) return assert.isNull(after.dueAt)
    assert.isAtLeast(after.dueAt ?? 0, after.updatedAt + 500 * (pause ?? 0))
    assert.isAtMost(after.dueAt ?? 0, after.updatedAt + 1_500 * (pause ?? 0))
  },
  "a stage that the recipe leaves out never runs": ({ after, before }) => {
    assert.deepStrictEqual(left(after), left(before))
  },
  "a retry keeps the results before its stage, and every count of attempts": ({ after, before, event }) => {
    if (event._tag !== "Retried") return
    assert.deepStrictEqual(after.stages.slice(0, event.fromStage - 1), before.stages.slice(0, event.fromStage - 1))
    assert.deepStrictEqual(attempts(after), attempts(before))
    for (const stage of after.stages.slice(event.fromStage - 1)) assert.include(["pending", "skipped"], stage.status)
  },
  "a result goes by a retry alone": ({ after, before, event }) => {
    if (event._tag === "Retried") return
    for (const [index, stage] of before.stages.entries()) {
      if (stage.result !== null) assert.deepStrictEqual(after.stages[index]?.result, stage.result)
    }
  },
  "who asked for what never changes": ({ after, before }) => {
    const asked = ({ budgetMicros, compute, datasetVersion, dryRun, id, planHash, recipe }: Run) => ({
      budgetMicros,
      compute,
      datasetVersion,
      dryRun,
      id,
      planHash,
      recipe
    })
    assert.deepStrictEqual(asked(after), asked(before))
  },
  "an end tells exactly one event of that end, and nothing else tells one": ({ after, before }) => {
    const told = eventTypesOf(before, after).filter((type) => ends.some((end) => type === `distill.run.${end}`))
    assert.deepStrictEqual(told, isEnd(after) ? [`distill.run.${after.status}`] : [])
  },
  "a claim from the queue tells that the run started, and nothing else does": ({ after, before, event }) => {
    const started = eventTypesOf(before, after).includes("distill.run.started")
    assert.strictEqual(started, before.status === "queued" && event._tag === "Claimed")
  },
  "a stage that succeeded is told once, one that was skipped is not": ({ after, before, event }) => {
    const told = eventTypesOf(before, after).filter((type) => type === "distill.run.stage_succeeded").length
    assert.strictEqual(told, event._tag === "StageEnded" && event.outcome === "succeeded" ? 1 : 0)
  }
}

describe("RunMachine laws, over every run that can be reached", () => {
  it("there is something to check", () => {
    assert.isAbove(runs.length, 200)
    assert.isAbove(steps.length, 1_000)
  })

  for (const [law, holds] of Object.entries(states)) {
    it(law, () => {
      for (const run of runs) holds(run)
      for (const { after } of steps) holds(after)
    })
  }

  for (const [law, holds] of Object.entries(moves)) {
    it(law, () => {
      for (const step of steps) holds(step)
    })
  }

  it("every run that waits or works can still succeed, fail and be canceled (P30)", () => {
    const next = Map.groupBy(steps, ({ before }) => before.status)
    for (const from of ["queued", ...working] as const) {
      const seen = new Set<string>([from])
      for (const status of seen) {
        for (const { after, event } of next.get(status as Run["status"]) ?? []) {
          if (event._tag !== "Retried") seen.add(after.status)
        }
      }
      for (const end of ends) assert.isTrue(seen.has(end), `${from} to ${end}`)
    }
  })
})

describe("RunMachine laws, over random lives", () => {
  it.prop("they hold after any sequence of events", { luck: Schema.Array(Schema.Int) }, ({ luck }) => {
    let run = newRun(["sft", "grpo", "eval", "publish"])
    for (const [at, pick] of luck.entries()) {
      const events = eventsFor(run)
      const event = events[Math.abs(pick) % events.length]
      if (event === undefined) continue
      const result = transition(run, event, at + 2)
      if (Result.isFailure(result)) continue
      const step = { before: run, event, after: result.success }
      run = step.after
      for (const holds of Object.values(states)) holds(run)
      for (const holds of Object.values(moves)) holds(step)
    }
  })
})
