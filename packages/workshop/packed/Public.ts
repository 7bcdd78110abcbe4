/** The packages that are published: all but private workspaces. */
import * as fs from "node:fs"
import * as path from "node:path"

const manifestIn = (tree: string, folder: string) =>
  JSON.parse(fs.readFileSync(path.join(tree, "packages", folder, "package.json"), "utf8"))

/** The folders, below `packages`, of the public packages in a tree. */
export const publicPackages = (tree: string): ReadonlyArray<string> =>
  fs
    .readdirSync(path.join(tree, "packages"))
    .filter((folder) => fs.existsSync(path.join(tree, "packages", folder, "package.json")))
    .filter((folder) => manifestIn(tree, folder).private !== true)

/** The folder, below `packages`, of a public package in a tree. */
export const folderOf = (tree: string, name: string): string => {
  const folder = publicPackages(tree).find((folder) => manifestIn(tree, folder).name === name)
  if (folder === undefined) throw new Error(`No public package has the name ${name}`)
  return folder
}
