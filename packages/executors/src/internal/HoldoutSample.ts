/** The rows of the holdout that an evaluation asks about: the same ones, whoever evaluates. */
import * as Recipe from "@limbeck/distill/recipe/Recipe"
import type { StageContext, StageFailure, StageRow } from "@limbeck/distill/run/Executor"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { sampleOf } from "../builtin/internal/Evaluation.ts"

const decodeEval = Schema.decodeUnknownOption(Recipe.EvalConfig)

export const sample = ({ rows, stage, version }: StageContext): Stream.Stream<StageRow, StageFailure> => {
  const config = Option.getOrElse(decodeEval(stage.config), () => ({}))
  const asked = Recipe.evaluatedRows(config, version.holdoutRows)
  const isSampled = sampleOf(version.holdoutRows, asked, version.seed)
  return rows("holdout").pipe(
    Stream.zipWithIndex,
    Stream.filter(([, index]) => isSampled(index)),
    Stream.map(([row]) => row)
  )
}
