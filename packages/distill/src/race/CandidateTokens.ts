/** How many tokens the calls of candidates and of embeddings have, for estimates. Pure. */
import type { DatasetVersion } from "../dataset/DatasetVersion.ts"
import { bytesPerToken } from "../dataset/RowText.ts"
import { DistillLimits } from "../Limits.ts"
import * as Recipe from "../recipe/Recipe.ts"
import type { CallTokens } from "./Candidates.ts"

/** Averages of a version's rows; zero without knowledge of them. */
export const perCall = ({ profile }: Pick<DatasetVersion, "profile">): CallTokens =>
  profile === null || profile.rows === 0
    ? { prompt: 0, completion: 0 }
    : { prompt: profile.promptTokens / profile.rows, completion: profile.completionTokens / profile.rows }

export const withInstructions = (tokens: CallTokens, { instructions = "" }: Recipe.Candidate): CallTokens => ({
  ...tokens,
  prompt: tokens.prompt + Math.ceil(instructions.length / bytesPerToken)
})

/** Tokens of all embedded texts of a run: the train rows and the evaluated rows. */
export const embedded = (
  recipe: Recipe.Recipe,
  version: Pick<DatasetVersion, "holdoutRows" | "profile" | "trainRows">
): CallTokens => {
  const rows = Math.min(DistillLimits.embeddedRowsMax, version.trainRows) + rowsOf(recipe, version)
  return { prompt: rows * perCall(version).prompt, completion: 0 }
}

/** Rows that the evaluation of the recipe asks about. */
export const rowsOf = ({ stages }: Recipe.Recipe, { holdoutRows }: Pick<DatasetVersion, "holdoutRows">): number =>
  stages.reduce((rows, stage) => (stage.kind === "eval" ? Recipe.evaluatedRows(stage.config, holdoutRows) : rows), 0)
