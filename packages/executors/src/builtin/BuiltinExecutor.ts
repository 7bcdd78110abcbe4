/** The executor that trains `builtin/text-classifier` in a thread of this process (contract 5). */
import {
  type Executor,
  Progress,
  type Progress as ProgressType,
  type StageContext,
  type StageFailure
} from "@limbeck/distill/run/Executor"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { evaluate } from "./internal/EvalStage.ts"
import { sft } from "./internal/SftStage.ts"
import { fail, log, metric, script, trainedModel } from "./internal/StageParts.ts"
import type { Model } from "./Model.ts"
import * as Stopwatch from "./Stopwatch.ts"
import * as Tables from "./tables/Tables.ts"

/** The `executor` name in runs. */
export const builtinName = "builtin"

const materialize = ({ version }: StageContext): Stream.Stream<ProgressType, StageFailure> =>
  version.trainRows === 0
    ? Stream.fail(fail("no_training_rows", "The version has no train rows"))
    : script(
        log(`Dataset version ${version.id}: ${version.trainRows} train and ${version.holdoutRows} holdout rows`),
        metric("rows", "rows", version.rows),
        Progress.Finished({ outcome: "succeeded", result: { rows: version.rows } })
      )

const answersOf = ({ about: { labels, questions } }: Pick<Model, "about">): string =>
  questions === undefined
    ? `The model answers with ${labels.length} labels`
    : `The model answers ${questions.length} questions, ${questions.filter(({ threshold }) => threshold !== null).length} of them alone`

/** As the student model shows them. */
const questionsOf = ({ about: { questions } }: Pick<Model, "about">) =>
  questions === undefined
    ? {}
    : {
        questions: questions.map(({ agreement, kind, name, options, question, threshold }) => ({
          question,
          name,
          kind,
          options,
          threshold,
          agreement
        }))
      }

/** The source that embeds the requests of the student. */
const embeddingsOf = ({ about: { embeddings } }: Pick<Model, "about">) =>
  embeddings === undefined ? {} : { embeddings: { source: embeddings.source, model: embeddings.model } }

const publish = Effect.fnUntraced(function* (context: StageContext, tables: Tables.Tables) {
  const { artifact, model } = yield* trainedModel(context, tables)
  return script(
    log(answersOf(model)),
    Progress.Finished({ outcome: "succeeded", result: { artifact, ...questionsOf(model), ...embeddingsOf(model) } })
  )
})

/** Meters a stage by its processor time, or by another stopwatch. `tables`: static embeddings; by default there are none. */
export const make = ({ stopwatch = Stopwatch.processor, tables = Tables.none } = {}): Executor => ({
  name: builtinName,
  execute: (context) => {
    switch (context.stage.kind) {
      case "materialize":
        return materialize(context)
      case "sft":
        return sft(context, stopwatch, tables)
      case "eval":
        return Stream.unwrap(evaluate(context, stopwatch, tables))
      case "publish":
        return context.run.dryRun
          ? script(log("A dry run publishes no student"), Progress.Finished({ outcome: "skipped", result: {} }))
          : Stream.unwrap(publish(context, tables))
      default:
        return Stream.fail(fail("stage_unsupported", `The builtin student takes no ${context.stage.kind}`))
    }
  }
})

/** The executor with its usual settings. */
export const executor: Executor = make()
