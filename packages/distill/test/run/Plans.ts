/** Versions, recipes and requests that tests of runs begin with. */
import type { DatasetVersion } from "@limbeck/distill/dataset/DatasetVersion"
import type { StageKind } from "@limbeck/distill/recipe/Recipe"
import * as Recipe from "@limbeck/distill/recipe/Recipe"
import type { RunRequest } from "@limbeck/distill/run/NewRun"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Schema from "effect/Schema"

/** A version that is ready, of a fresh id. */
export const version = (fields: Partial<DatasetVersion> = {}): DatasetVersion => ({
  id: Fresh.id("dsv"),
  dataset: Fresh.id("ds"),
  status: "ready",
  source: { upload: Fresh.id("upl") },
  holdoutFraction: 0.1,
  dedupe: "exact",
  seed: 0,
  rows: 100,
  trainRows: 90,
  holdoutRows: 10,
  tokens: 4_000,
  contentSha256: "ab".repeat(32),
  dropped: { duplicates: 0, invalid: 0, redactions: 0 },
  profile: null,
  error: null,
  createdAt: Fresh.start,
  updatedAt: Fresh.start,
  ...fields
})

export const builtin = "builtin/text-classifier"
export const llm = "Qwen/Qwen3-0.6B"

/** A recipe of these stages, without config. */
export const recipe = (kinds: ReadonlyArray<StageKind>, student = llm): Schema.JsonObject => ({
  student_model: student,
  stages: kinds.map((kind) => ({ kind, config: {} })),
  rewards: []
})

/** As the handler would make it of a body. */
export const request = (datasetVersion: string, fields: Partial<Omit<RunRequest, "recipe">> = {}): RunRequest => {
  const asked = {
    name: "nightly",
    studentModelName: "triage",
    datasetVersion,
    recipeAsSent: recipe(["sft", "eval", "publish"], builtin),
    maxCostUsd: 5,
    profile: "local",
    dryRun: true,
    validatedDryRun: null,
    planHash: null,
    loop: null,
    ...fields
  }
  return { ...asked, recipe: Schema.decodeUnknownSync(Recipe.Recipe)(asked.recipeAsSent) }
}
