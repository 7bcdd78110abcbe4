/** What npm puts into an empty folder when somebody installs packages of ours. */
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import * as Overrides from "./Overrides.ts"
import type { Pack } from "./Release.ts"

/** Its own settings, and what npm has kept of other packages before. */
const options = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"]

/** How npm is asked for a package of ours: the registry of packs has the scope @limbeck, and the package `limbeck` is a file. */
export const specOf = (packed: string, packs: ReadonlyArray<Pack>, name: string): string => {
  const pack = packs.find((pack) => pack.name === name)
  return pack === undefined || name.startsWith("@limbeck/") ? name : path.join(packed, pack.filename)
}

/** Installs `packages` by their names in `folder`, which is made. */
export const install = async (folder: string, packages: ReadonlyArray<string>, registry: string): Promise<void> => {
  fs.mkdirSync(folder)
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module" }))
  fs.writeFileSync(path.join(folder, ".npmrc"), `@limbeck:registry=${registry}\n`)
  await promisify(execFile)("npm", ["install", ...options, ...packages], { cwd: folder })
}

/** The pnpm that is tried; `npx` gets it from npm. */
const pnpm = "pnpm@12.21.0"

/** Installs what `added` names by pnpm: packs of the folder `packed` by their files, and other packages by their names. */
export const installByPnpm = async (folder: string, packed: string, added: ReadonlyArray<string>): Promise<void> => {
  fs.mkdirSync(folder)
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module" }))
  fs.writeFileSync(path.join(folder, Overrides.file), Overrides.of(packed))
  await promisify(execFile)("npx", ["--yes", pnpm, "add", "--prefer-offline", ...added], { cwd: folder })
}

export interface Footprint {
  /** Their names. */
  readonly packages: ReadonlyArray<string>
  readonly megabytes: number
  /** Names of packages with an install script. */
  readonly withScripts: ReadonlyArray<string>
}

/** As the disk has them: small files take whole blocks. */
const bytesIn = (folder: string): number =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath, entry.name)).blocks * 512, 0)

export const footprintOf = (folder: string): Footprint => {
  const modules = path.join(folder, "node_modules")
  const lock: { readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>> } = JSON.parse(
    fs.readFileSync(path.join(modules, ".package-lock.json"), "utf8")
  )
  const installed = Object.entries(lock.packages).map(([place, { hasInstallScript = false }]) => ({
    name: place.slice(place.lastIndexOf("node_modules/") + 13),
    hasInstallScript
  }))
  return {
    packages: installed.map(({ name }) => name),
    megabytes: Math.round(bytesIn(modules) / 1e6),
    withScripts: installed.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name)
  }
}
