/** The last step of `npm run build`: the program `limbeck` in a few files beside its modules, as the packs have it. */
import * as fs from "node:fs"
import { findPackageJSON } from "node:module"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import type { Plugin } from "rolldown"
import { bundle } from "./Bundle.ts"

const packages = path.resolve(import.meta.dirname, "../..")
const built = path.join(packages, "cli/dist")
const folder = path.join(built, "bundle")

const isOurs = (file: string): boolean => file.startsWith(packages + path.sep)

const rootOf = (file: string): string => {
  const manifest = findPackageJSON(pathToFileURL(file))
  if (manifest === undefined) throw new Error(`${file} is in no package`)
  return path.dirname(manifest)
}

/** An expression for the URL of a module of ours, wherever its package is installed: beside a module that the package exports. */
const urlOf = (file: string): string => {
  const root = rootOf(file)
  const { exports, name } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"))
  const [key, target] = Object.entries<{ readonly default?: string }>(exports)[0] ?? []
  if (key === undefined || target?.default === undefined) throw new Error(`${name} exports no module`)
  const beside = path.relative(path.dirname(path.join(root, target.default)), file).replaceAll(path.sep, "/")
  return `new URL(${JSON.stringify(beside)}, import.meta.resolve(${JSON.stringify(name + key.slice(1))})).href`
}

/** Modules of ours find workers, pages and packages beside their own files. */
const places: Plugin = {
  name: "places-in-packages",
  transform: {
    filter: { code: "import.meta.url" },
    handler: (code, file) => (isOurs(file) ? code.replaceAll("import.meta.url", urlOf(file)) : null)
  }
}

/** The licences of other projects hold for their code in the bundle. */
const licencesOf = (files: ReadonlyArray<string>): string => {
  const others = files.filter((file) => path.isAbsolute(file) && !isOurs(file))
  const texts = [...new Set(others.map(rootOf))].toSorted().map((root) => {
    const { name, version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"))
    return `${name} ${version}\n\n${fs.readFileSync(path.join(root, "LICENSE"), "utf8")}`
  })
  return texts.join(`\n${"-".repeat(80)}\n\n`)
}

fs.rmSync(folder, { recursive: true, force: true })
const files = await bundle({
  name: "Start",
  source: path.join(built, "Start.js"),
  folder,
  conditions: [],
  places,
  // An optional peer of @limbeck/node.
  external: [/^@aws-sdk\//]
})
fs.writeFileSync(path.join(folder, "LICENSES.txt"), licencesOf(files))
