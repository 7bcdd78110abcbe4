/**
 * Settings for pnpm. Overrides: pnpm otherwise looks up the dependencies of local packs in a registry. Build scripts that this
 * repository does without: pnpm otherwise fails an installation until its user has decided about each.
 */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { root } from "./Release.ts"

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
  const { allowScripts } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"))
  const builds = Object.entries(allowScripts).filter(([, isAllowed]) => isAllowed === false)
  const skipped = builds.map(([name]) => `  ${JSON.stringify(name)}: false`)
  return ["overrides:", ...lines, "allowBuilds:", ...skipped, ""].join("\n")
}
