/** The static embeddings that STATIC_EMBEDDINGS names; one instance for trainings and serving. Read when first needed. */
import path from "node:path"
import * as EmbeddingTables from "@limbeck/executors/builtin/EmbeddingTables"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Settings } from "./Settings.ts"

class EmbeddingsUnusable extends Data.TaggedError("EmbeddingsUnusable")<{ readonly message: string }> {}

/** Undefined without a folder of models. */
export const load = ({ modelsDir, staticEmbeddings: name }: Pick<Settings, "modelsDir" | "staticEmbeddings">) => {
  if (modelsDir !== null) return Effect.succeed(EmbeddingTables.make(path.resolve(modelsDir), name))
  return name === null
    ? Effect.undefined
    : Effect.fail(
        new EmbeddingsUnusable({ message: "STATIC_EMBEDDINGS names a folder of MODELS_DIR, which is not set" })
      )
}
