/**
 * Rehearsals of language models by the trainer that will train them: the `sft` and `grpo` stages of a dry run are two steps of it
 * on the real rows, so that a template, rows or a memory that cannot be fail there. All else is the stub's. It spends nothing, and
 * what it trained is thrown away.
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

/** Nobody pays: it may take as long as two steps take. */
const unpaid = (context: StageContext): StageContext => ({
  ...context,
  run: { ...context.run, prices: { microsPerGpuSecond: 0, microsPerMillionJudgeTokens: 0 } },
  meter: { start: noUsage, reserve: () => Effect.void }
})

/** What the trainer says of it, such as how long the training would take. */
const detailsOf = (result: Schema.Json): Schema.Json =>
  Option.match(decodeDetails(result), { onNone: () => ({}), onSome: ({ details }) => ({ details }) })

const isTold = (progress: Progress): boolean => progress._tag !== "Spend" && progress._tag !== "Checkpoint"

/** Named as the stub: a run that it drives was a rehearsal. The trainer is told by `rehearsal` of its job. */
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
