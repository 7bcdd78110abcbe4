/** Models of this machine: a folder of folders, by their names. */
import path from "node:path"
import { exists } from "../process/internal/Files.ts"

/** A model name may come from a caller: neither a path nor a command option passes. */
export const isName = (name: string): boolean => /^[A-Za-z0-9][\w.-]*(?:\/[A-Za-z0-9][\w.-]*)?$/.test(name)

/** The folder of a model; null where there is none. */
export const folderOf = async (modelsDir: string | null, name: string): Promise<string | null> => {
  const folder = modelsDir === null || !isName(name) ? null : path.join(modelsDir, name)
  return folder !== null && (await exists(folder)) ? folder : null
}
