/**
 * Rehearsals of language models by their real trainer: the `sft` and `grpo` stages of a dry run are two steps on the real
 * rows, so that an unsuitable template, rows or memory size fail there. The stub does the other stages. A rehearsal spends
 * nothing, and its result is dropped.
 */
import { noUsage } from "@limbeck/distill/run/Budget"
import { type Executor, Progress, type StageContext } from "@limbeck/distill/run/Executor"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const decodeDetails = Schema.decodeUnknownOption(Schema.Struct({ details: Schema.Json }))

const isTraining = ({ run, stage }: StageContext): boolean =>
  run.dryRun &&
  (stage.kind === "sft" || stage.kind === "grpo") &&
  !String(run.recipe["student_model"]).startsWith("builtin/")

/** Free of charge, and without a limit on the time of two steps. */
const unpaid = (context: StageContext): StageContext => ({
  ...context,
  run: { ...context.run, prices: { microsPerGpuSecond: 0, microsPerMillionJudgeTokens: 0 } },
  meter: { start: noUsage, reserve: () => Effect.void }
})

/** The trainer's details, such as the estimated training time. */
const detailsOf = (result: Schema.Json): Schema.Json =>
  Option.match(decodeDetails(result), { onNone: () => ({}), onSome: ({ details }) => ({ details }) })

const isTold = (progress: Progress): boolean => progress._tag !== "Spend" && progress._tag !== "Checkpoint"

/** Named like the stub: a run with this executor was a rehearsal. The trainer receives `rehearsal` in its job. */
export const make = (options: { readonly stub: Executor; readonly trainer: Executor }): Executor => ({
  name: options.stub.name,
  execute: (context) =>
    isTraining(context)
      ? options.trainer.execute(unpaid(context)).pipe(
          Stream.filter(isTold),
          Stream.map((progress) =>
            progress._tag === "Finished"
              ? Progress.Finished({ ...progress, result: detailsOf(progress.result) })
              : progress
          )
        )
      : options.stub.execute(context)
})
