/**
 * The executor of rehearsals: walks every stage with stub artifacts, spends nothing, and always says the same for the same
 * run (contract 5). A dry run on it never makes a student. Rows that the builtin student would refuse fail its rehearsal with
 * the same code and message.
 */
import * as AnswerCounter from "@limbeck/distill/dataset/AnswerCounter"
import * as LabelRules from "@limbeck/distill/dataset/LabelRules"
import * as Recipe from "@limbeck/distill/recipe/Recipe"
import type { Executor, Progress as ProgressType, StageContext } from "@limbeck/distill/run/Executor"
import { Progress, StageFailure, stubName } from "@limbeck/distill/run/Executor"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { partsOf } from "./builtin/internal/Text.ts"
import { exampleOf, isRead } from "./builtin/RowReading.ts"

const steps = 10

const log = (message: string, level: "info" | "warn" = "info") => Progress.Log({ level, message })

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
        ...(run.warnings ?? []).map((message) => log(message, "warn")),
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

const fail = (code: string, message: string) => new StageFailure({ code, message, retryable: false })

/** A student of decisions learns from rows with an answer; refusals are none. */
const decisionRefusal = Effect.fnUntraced(function* ({ rows }: StageContext) {
  const answered = Stream.filter(
    rows("train"),
    ({ row }) => isRead(row) && (row.decisions ?? []).some(({ probabilities }) => probabilities !== null)
  )
  const first = yield* Stream.runHead(answered)
  if (Option.isNone(first)) return yield* fail("no_training_rows", "No train row answers a question")
})

const decodeSft = Schema.decodeUnknownOption(Recipe.SftConfig)

/** The builtin student's reason to refuse the rows, if any. Only training rows decide. */
const labelRefusal = Effect.fnUntraced(function* ({ rows, stage, version }: StageContext) {
  const config = Option.getOrUndefined(decodeSft(stage.config))
  const counter = AnswerCounter.make(config?.fields)
  const read = Stream.filter(rows("train"), ({ row }) => isRead(row))
  yield* Stream.runForEach(read, ({ row }) =>
    Effect.sync(() => {
      const { label, turns } = exampleOf(row)
      counter.add(label, partsOf(turns).request)
    })
  )
  const count = counter.rows()
  if (count === 0 && version.trainRows > 0) {
    return yield* fail("no_training_rows", "Every train row has an image, audio or a file")
  }
  const closed = counter.close()
  return count > 0 && Result.isFailure(closed)
    ? yield* fail("labels_not_closed", LabelRules.openReason(closed.failure, count))
    : undefined
})

const isRehearsalOfBuiltin = ({ run }: StageContext): boolean =>
  run.dryRun && String(run.recipe["student_model"]).startsWith("builtin/")

/** Checks of a stage before its work. */
const checkStage = (context: StageContext): Effect.Effect<unknown, StageFailure> => {
  if (!isRehearsalOfBuiltin(context)) return Effect.void
  const { stage, version } = context
  if (stage.kind === "sft") {
    return (version.questions ?? []).length > 0 ? decisionRefusal(context) : labelRefusal(context)
  }
  return stage.kind === "materialize" && version.trainRows === 0
    ? fail("no_training_rows", "The version has no train rows")
    : Effect.void
}

/** `pace`: how long each thing it says takes; zero says all at once. */
export const make = ({ pace }: { readonly pace: Duration.Input }): Executor => {
  const isPaced = !Duration.isZero(Duration.fromInputUnsafe(pace))
  return {
    name: stubName,
    execute: (context) => {
      const said = Stream.fromIterable(script(context))
      const walked = isPaced ? Stream.schedule(said, Schedule.spaced(pace)) : said
      return Stream.concat(Stream.drain(Stream.fromEffect(checkStage(context))), walked)
    }
  }
}
