/** Overrides for pnpm, which otherwise looks up the dependencies of local packs in a registry. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

export const file = "pnpm-workspace.yaml"

const nameIn = (pack: string): string =>
  JSON.parse(execFileSync("tar", ["-xzOf", pack, "package/package.json"], { encoding: "utf8" })).name

/** The pnpm settings of a folder that installs packs from `packs`. */
export const of = (packs: string): string => {
  const files = fs.readdirSync(packs, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tgz"))
  const lines = files.toSorted().map((name) => {
    const pack = path.resolve(packs, name)
    return `  ${JSON.stringify(nameIn(pack))}: ${JSON.stringify(`file:${pack}`)}`
  })
  return ["overrides:", ...lines, ""].join("\n")
}
