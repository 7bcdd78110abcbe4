/** The packages that are published: all but private workspaces. */
import * as fs from "node:fs"
import * as path from "node:path"

/** The folders, below `packages`, of the public packages in a tree. */
export const publicPackages = (tree: string): ReadonlyArray<string> =>
  fs.readdirSync(path.join(tree, "packages")).filter((name) => {
    const file = path.join(tree, "packages", name, "package.json")
    return fs.existsSync(file) && JSON.parse(fs.readFileSync(file, "utf8")).private !== true
  })
