import type { StageKind } from "@limbeck/distill/recipe/Recipe"
import { currentStage, type Run } from "@limbeck/distill/run/Run"
import { RunEvent, transition } from "@limbeck/distill/run/RunMachine"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Plans from "@limbeck/testing/fixtures/Plans"
import * as Result from "effect/Result"
import { checkRetry } from "../../src/run/internal/RunRules.ts"

const report = Fresh.id("rpt")

export const newRun = (kinds: ReadonlyArray<StageKind>): Run =>
  Plans.newRun(Plans.version(), { recipeAsSent: Plans.recipe(kinds) }, { now: 1, executor: "scripted" })

const ended = (outcome: "succeeded" | "skipped") =>
  RunEvent.StageEnded({ outcome, result: { made: outcome }, report, studentModel: null })

const failed = (retryable: boolean) => RunEvent.StageFailed({ code: "oom", message: "Out of memory", retryable })

/** Every event that may happen to a run; a retry names only stages that the rules let it name. */
export const eventsFor = (run: Run): ReadonlyArray<RunEvent> => [
  RunEvent.Claimed(),
  ended("succeeded"),
  ended("skipped"),
  RunEvent.HandedBack(),
  failed(true),
  failed(false),
  RunEvent.BudgetExceeded(),
  RunEvent.CancelRequested(),
  RunEvent.PlanRefused({ code: "dataset_version_failed", message: "It failed" }),
  ...run.stages
    .filter(({ seq }) => Result.isSuccess(checkRetry(run, seq)))
    .map(({ seq }) => RunEvent.Retried({ fromStage: seq }))
]

export interface Step {
  readonly before: Run
  readonly event: RunEvent
  readonly after: Run
}

/** Attempts go on counting over retries, and those of stages before decide nothing; without them there are finitely many runs. */
const shapeOf = (run: Run): string => {
  const { attemptsOfStart, lostOfStart = 0 } = currentStage(run)
  const counts = [attemptsOfStart - lostOfStart, lostOfStart, (run.dueAt ?? null) === null]
  return JSON.stringify([run.status, run.stages.map(({ status }) => status), counts])
}

/** Every run reachable from one with these stages, up to times and counts, and every step between. */
const explore = (kinds: ReadonlyArray<StageKind>) => {
  const first = newRun(kinds)
  const found = [first]
  const shapes = new Set([shapeOf(first)])
  const steps: Array<Step> = []
  for (const before of found) {
    for (const event of eventsFor(before)) {
      const result = transition(before, event, before.updatedAt + 1)
      if (Result.isFailure(result)) continue
      const after = result.success
      steps.push({ before, event, after })
      const shape = shapeOf(after)
      if (!shapes.has(shape)) found.push(after)
      shapes.add(shape)
    }
  }
  return { found, steps }
}

/**
 * Recipes that cover every edge, including rare ones. Two stages at most: each further stage multiplies the runs by eight.
 */
const recipes: ReadonlyArray<ReadonlyArray<StageKind>> = [
  ["sft"],
  ["grpo", "eval"],
  ["sft", "grpo"],
  ["eval", "publish"],
  []
]

const explored = recipes.map(explore)
/** One of every shape. */
export const runs: ReadonlyArray<Run> = explored.flatMap(({ found }) => found)
export const steps: ReadonlyArray<Step> = explored.flatMap(({ steps }) => steps)
