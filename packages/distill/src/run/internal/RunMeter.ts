/** Counts written states of runs for metrics, and the seconds of their stages. */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { StageKind } from "../../recipe/Recipe.ts"
import type { Run, RunStage } from "../Run.ts"

const states = Metric.counter("limbeck_run_states_total", {
  description: "States that runs reached, by state and mode",
  incremental: true
})
const stages = Metric.counter("limbeck_run_stages_total", {
  description: "Finished attempts at stages of runs, by kind and outcome",
  incremental: true
})
const stageSeconds = Metric.counter("limbeck_run_stage_seconds_total", {
  description: "Time of finished attempts at stages of runs, by kind and outcome",
  incremental: true
})

type Counter = typeof states

const countedStates = ["running", "succeeded", "failed", "canceled"] as const
const modes = ["dry_run", "live"] as const
const outcomes = ["succeeded", "failed", "canceled"] as const

/** Shows each series from the start on: one that appears with its first value has no increase to alert on. */
const seriesOf = Effect.fnUntraced(function* (
  counter: Counter,
  labels: readonly [string, string],
  firsts: ReadonlyArray<string>,
  seconds: ReadonlyArray<string>
) {
  const series = new Map<string, Counter>()
  for (const first of firsts) {
    for (const second of seconds) {
      const own = Metric.withAttributes(counter, { [labels[0]]: first, [labels[1]]: second })
      yield* Metric.update(own, 0)
      series.set(`${first} ${second}`, own)
    }
  }
  return (first: string, second: string, by: number): Effect.Effect<void> => {
    const own = series.get(`${first} ${second}`)
    return own === undefined ? Effect.void : Metric.update(own, by)
  }
})

/** The finished attempt, if `after` ends one that `before` had not ended. */
const secondsOf = (before: RunStage | undefined, after: RunStage): number | null => {
  const { finishedAt, startedAt } = after
  if (startedAt === null || finishedAt === null || before?.finishedAt === finishedAt) return null
  return (finishedAt - startedAt) / 1_000
}

export const make = Effect.gen(function* () {
  const ofStates = yield* seriesOf(states, ["mode", "status"], modes, countedStates)
  const ofStages = yield* seriesOf(stages, ["kind", "outcome"], StageKind.literals, outcomes)
  const ofSeconds = yield* seriesOf(stageSeconds, ["kind", "outcome"], StageKind.literals, outcomes)
  /** `after` was written over `before`. */
  return Effect.fnUntraced(function* (before: Run, after: Run) {
    if (after.status !== before.status) yield* ofStates(after.dryRun ? "dry_run" : "live", after.status, 1)
    for (const [index, stage] of after.stages.entries()) {
      const seconds = secondsOf(before.stages[index], stage)
      if (seconds === null) continue
      yield* ofStages(stage.kind, stage.status, 1)
      yield* ofSeconds(stage.kind, stage.status, seconds)
    }
  })
})
