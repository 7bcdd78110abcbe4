/** How many tokens the calls of candidates have, for estimates. Pure. */
import type { DatasetVersion } from "../dataset/DatasetVersion.ts"
import { bytesPerToken } from "../dataset/RowText.ts"
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

/** Rows that the evaluation of the recipe asks about. */
export const rowsOf = ({ stages }: Recipe.Recipe, { holdoutRows }: Pick<DatasetVersion, "holdoutRows">): number =>
  stages.reduce((rows, stage) => (stage.kind === "eval" ? Recipe.evaluatedRows(stage.config, holdoutRows) : rows), 0)
