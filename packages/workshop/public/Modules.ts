/**
 * The modules that packages export. `publicModules` of a package.json names the modules for users: documented, and stable between
 * major versions. The others are for sibling packages, which always have the same version, and may change in any release.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { publicPackages } from "../packed/Public.ts"

export interface Module {
  /** As it is imported, such as `@limbeck/client/webhooks/verify`. */
  readonly specifier: string
  /** The folder of its package below `packages`. */
  readonly folder: string
  /** Its source, relative to the repository. */
  readonly source: string
  readonly isPublic: boolean
  /** The comment at the head of its source; empty when it has none. */
  readonly about: string
}

interface Manifest {
  readonly name: string
  readonly publicModules?: ReadonlyArray<string>
  readonly exports: Readonly<Record<string, { readonly "@limbeck/source": string }>>
}

const aboutOf = (text: string): string => {
  const [, comment = ""] = /^(?:\/\/.*\n)*\/\*\*(.*?)\*\/\n(?:\n|import|export (?:\*|const))/s.exec(text) ?? []
  return comment.replace(/^\s*\* ?/gm, "").trim()
}

const manifestIn = (root: string, folder: string): Manifest =>
  JSON.parse(fs.readFileSync(path.join(root, "packages", folder, "package.json"), "utf8"))

/** Every module that a public package exports, in the order of its package.json. */
export const modulesOf = (root: string): ReadonlyArray<Module> =>
  publicPackages(root).flatMap((folder) => {
    const { exports, name, publicModules = [] } = manifestIn(root, folder)
    return Object.entries(exports).map(([key, { "@limbeck/source": file }]) => {
      const source = path.join("packages", folder, file)
      const about = aboutOf(fs.readFileSync(path.join(root, source), "utf8"))
      return { specifier: path.posix.join(name, key), folder, source, isPublic: publicModules.includes(key), about }
    })
  })

/** Names in `publicModules` that their package does not export. */
export const unknownNames = (root: string): ReadonlyArray<string> =>
  publicPackages(root).flatMap((folder) => {
    const { exports, name, publicModules = [] } = manifestIn(root, folder)
    return publicModules.filter((key) => !Object.hasOwn(exports, key)).map((key) => path.posix.join(name, key))
  })
