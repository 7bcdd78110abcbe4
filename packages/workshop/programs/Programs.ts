/** Bundles programs into files: a frequently started program starts in a third of the time. */
import { createHash, randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { Plugin } from "rolldown"
import { bundle } from "./Bundle.ts"

/** Names the folder of this test run's programs. Without it, programs start from their sources. */
export const folderVariable = "TEST_PROGRAMS"

/** Modules find workers, pages and packages beside their sources. */
const places: Plugin = {
  name: "keep-places",
  transform: {
    filter: { code: "import.meta." },
    handler: (code, id) =>
      code
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
        .replaceAll("import.meta.dirname", JSON.stringify(path.dirname(id)))
  }
}

/**
 * The path of a bundled program, equivalent to this source file run with `--conditions=@limbeck/source`. Bundles its
 * modules and all imported packages once per test run.
 *
 * @example
 * const main = await Programs.made(new URL("../src/main.ts", import.meta.url))
 */
export const made = async (source: URL): Promise<string> => {
  const file = fileURLToPath(source)
  const all = process.env[folderVariable]
  if (all === undefined) return file
  const folder = path.join(all, createHash("sha256").update(file).digest("hex").slice(0, 16))
  if (!fs.existsSync(folder)) {
    const own = `${folder}.${randomUUID()}`
    await bundle({ name: "main", source: file, folder: own, conditions: ["@limbeck/source"], places })
    // Another worker may have been first: its program is the same.
    if (!fs.existsSync(folder)) fs.renameSync(own, folder)
  }
  return path.join(folder, "main.mjs")
}
