/** Which artifacts are adapters, and where their base models lie. */
import path from "node:path"
import { ModelServerFailed } from "@limbeck/distill/student/ModelServers"
import * as Effect from "effect/Effect"
import * as ModelsDir from "../../internal/ModelsDir.ts"
import { exists } from "../../process/internal/Files.ts"

const failed = (message: string) => new ModelServerFailed({ message })

/** The format of PEFT, which most servers read. */
export const isAdapter = (artifact: string): Promise<boolean> => exists(path.join(artifact, "adapter_config.json"))

/** The folder of a base model. */
export const locate = Effect.fnUntraced(function* (modelsDir: string | null, base: string) {
  const folder = yield* Effect.promise(() => ModelsDir.folderOf(modelsDir, base))
  if (folder !== null) return folder
  return yield* failed(`it is an adapter of ${JSON.stringify(base)}, which is no model of MODELS_DIR`)
})
