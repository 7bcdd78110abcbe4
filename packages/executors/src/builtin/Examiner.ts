/** Examines the rows of a version for wrong answers, by trainings in a thread that hold back each part of the rows in turn. */
import { DistillLimits } from "@limbeck/distill/Limits"
import type { StageRow } from "@limbeck/distill/run/Executor"
import type { Examination, Unexaminable } from "@limbeck/distill/suspects/Examination"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { SessionEnd } from "./internal/Session.ts"
import { exampleOf, isRead } from "./RowReading.ts"
import * as Settings from "./Settings.ts"
import * as TrainingThread from "./TrainingThread.ts"

const few: Unexaminable = { reason: "The rows are too few, or their answers too rare, to hold some of them back" }

const resultOf = (ending: SessionEnd | undefined): Examination | Unexaminable => {
  if (ending?.type === "examined") return ending.examination ?? few
  return { reason: ending?.type === "refused" ? ending.message : "The examination ended without a result" }
}

/** The same rows and seed give the same suspects. A thread that broke down is a reason. */
export const examine = <E>(
  rows: Stream.Stream<StageRow["row"], E>,
  seed: number
): Effect.Effect<Examination | Unexaminable, E> =>
  TrainingThread.train({
    plan: {
      settings: {
        ...Settings.defaults,
        seed,
        tries: true,
        isExamination: true,
        // Each part holds its whole share, so that every row is held back once.
        validationMax: DistillLimits.builtinRowsMax,
        rowsMax: DistillLimits.builtinRowsMax,
        featuresMax: DistillLimits.builtinFeaturesMax
      },
      checkpoint: null,
      spentSeconds: 0,
      quantumSeconds: Number.MAX_SAFE_INTEGER,
      checkpointSeconds: Number.MAX_SAFE_INTEGER
    },
    examples: rows.pipe(
      Stream.zipWithIndex,
      Stream.filter(([row]) => isRead(row)),
      Stream.map(([row, position]) => ({ ...exampleOf(row), position }))
    ),
    grant: () => Effect.succeed(true)
  }).pipe(
    Stream.runFold(
      (): SessionEnd | undefined => undefined,
      (ending, message) => (message.type === "ended" ? message.ending : ending)
    ),
    Effect.map(resultOf),
    Effect.catchIf(
      (error): error is TrainingThread.ThreadLost => error instanceof TrainingThread.ThreadLost,
      ({ message }) => Effect.succeed<Unexaminable>({ reason: message })
    )
  )
