/** Which artifacts are adapters, and where the base models lie that they need. */
import path from "node:path"
import { ModelServerFailed } from "@limbeck/distill/student/ModelServers"
import * as Effect from "effect/Effect"
import { exists } from "../../process/internal/Files.ts"

const failed = (message: string) => new ModelServerFailed({ message })

/** As PEFT saves them, and most servers read them. */
export const isAdapter = (artifact: string): Promise<boolean> => exists(path.join(artifact, "adapter_config.json"))

/** A caller names the base of a student that was trained elsewhere: it is a name, no path and no option of a command. */
const name = /^[A-Za-z0-9][\w.-]*(?:\/[A-Za-z0-9][\w.-]*)?$/

/** The folder of a base model. */
export const locate = Effect.fnUntraced(function* (modelsDir: string | null, base: string) {
  const folder = modelsDir === null || !name.test(base) ? null : path.join(modelsDir, base)
  if (folder !== null && (yield* Effect.promise(() => exists(folder)))) return folder
  return yield* failed(`it is an adapter of ${JSON.stringify(base)}, which is no model of MODELS_DIR`)
})
