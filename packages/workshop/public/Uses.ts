/** Which files of the repository import a module of a package, and which show it to users. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

export interface Use {
  readonly specifier: string
  /** Relative to the repository. */
  readonly file: string
}

const quoted = /["'`](limbeck|@limbeck\/[\w-]+(?:\/[\w./-]+)?)["'`]/g

/** Every specifier that stands in quotes in a source, a page of the docs or a README. */
export const usesIn = (root: string): ReadonlyArray<Use> => {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 16 * 1024 ** 2
  })
  const isRead = (file: string) => /\.(?:tsx?|mjs|md)$/.test(file) && !/(?:^\.changeset\/|CHANGELOG\.md$)/.test(file)
  return listed
    .split("\n")
    .filter((file) => isRead(file) && fs.existsSync(path.join(root, file)))
    .flatMap((file) => {
      const found = fs.readFileSync(path.join(root, file), "utf8").matchAll(quoted)
      return [...new Set([...found].map(([, specifier = ""]) => specifier))].map((specifier) => ({ specifier, file }))
    })
}

/** Pages and programs that users copy from; CONTRIBUTING and the records of decisions are for those who change the packages. */
export const isShown = (file: string): boolean =>
  /^README\.md$|^docs\/(?!adr\/|architecture\.md).+\.md$|^packages\/[^/]+\/README\.md$|^examples\/[^/]+\/src\//.test(
    file
  )
