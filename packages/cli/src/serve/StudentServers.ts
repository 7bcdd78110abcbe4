/** The processes of SERVING_COMMAND, and their files in the data folder. */
import path from "node:path"
import * as CommandServers from "@limbeck/executors/serving/CommandServers"
import type { AssemblyOptions } from "@limbeck/limbeck/Assembly"
import { childVariables } from "./Environment.ts"
import type { Settings } from "./Settings.ts"

/** The models folder for child programs: an absolute path, because they start in other folders. */
export const modelsOf = ({ modelsDir }: Settings): Readonly<Record<string, string>> =>
  modelsDir === null ? {} : { MODELS_DIR: path.resolve(modelsDir) }

/** They get no secret of our environment, and none by name. */
export const options = (settings: Settings): Pick<AssemblyOptions, "servers" | "modelsDir"> => {
  const { dataDir, servingCommand: command } = settings
  const models = modelsOf(settings)
  const { MODELS_DIR: modelsDir } = models
  const where = modelsDir === undefined ? {} : { modelsDir }
  if (command === null) return where
  const environment = { ...childVariables(process.env, []), ...models }
  const folder = path.resolve(dataDir, "served")
  return { ...where, servers: CommandServers.layer({ command, environment, folder, ...where }) }
}
