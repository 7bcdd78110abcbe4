/**
 * The executor of rehearsals: walks every stage with stub artifacts, spends nothing, and always says the same for the same
 * run (contract 5). A dry run on it never makes a student.
 */
import type { Executor, Progress as ProgressType, StageContext } from "@limbeck/distill/run/Executor"
import { Progress, stubName } from "@limbeck/distill/run/Executor"
import * as Duration from "effect/Duration"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"

const steps = 10

const log = (message: string) => Progress.Log({ level: "info", message })

/** A curve that falls like a loss does; no luck in it. */
const lossAt = (step: number): number => Math.round((0.2 + 2 / (step + 1)) * 1e4) / 1e4

const training = (name: string, unit: string, valueAt: (step: number) => number) =>
  Array.from({ length: steps }, (_, index) =>
    Progress.Metric({ name, unit, step: index + 1, value: valueAt(index + 1) })
  )

const script = ({ run, stage, version }: StageContext): ReadonlyArray<ProgressType> => {
  const done = (outcome: "succeeded" | "skipped") => Progress.Finished({ outcome, result: { stub: true } })
  switch (stage.kind) {
    case "materialize":
      return [
        log(
          `Checked dataset version ${version.id}: ${version.trainRows} train and ${version.holdoutRows} holdout rows`
        ),
        Progress.Metric({ name: "rows", unit: "rows", step: 1, value: version.rows }),
        done("succeeded")
      ]
    case "sft":
      return [
        log("Stub training: no weights are changed"),
        ...training("train_loss", "nats", lossAt),
        done("succeeded")
      ]
    case "grpo":
      return [
        log("Stub optimisation: no weights are changed"),
        ...training("reward_mean", "score", (step) => Math.round((1 - lossAt(step) / 2) * 1e4) / 1e4),
        done("succeeded")
      ]
    case "eval":
      return [
        log(`Stub evaluation over ${version.holdoutRows} holdout rows: nothing is scored`),
        Progress.Metric({ name: "holdout_rows", unit: "rows", step: 1, value: version.holdoutRows }),
        done("succeeded")
      ]
    case "publish":
      return run.dryRun
        ? [log("A dry run publishes no student"), done("skipped")]
        : [log("Stub publication: the artifact is empty"), done("succeeded")]
  }
}

/** `pace`: how long each thing it says takes; zero says all at once. */
export const make = ({ pace }: { readonly pace: Duration.Input }): Executor => {
  const isPaced = !Duration.isZero(Duration.fromInputUnsafe(pace))
  return {
    name: stubName,
    execute: (context) => {
      const said = Stream.fromIterable(script(context))
      return isPaced ? Stream.schedule(said, Schedule.spaced(pace)) : said
    }
  }
}
