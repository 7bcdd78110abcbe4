/** The program at an earlier version, from the repository's history. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../../..")
const git = (...args: ReadonlyArray<string>) =>
  execFileSync("git", args, { cwd: root, stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1024 ** 3 })

/** Whether the history contains the commit, unlike a shallow clone. */
export const isKnown = (commit: string): boolean => {
  try {
    git("cat-file", "-e", `${commit}^{commit}`)
    return true
  } catch {
    return false
  }
}

/** Links its packages beside the installed third-party ones. */
const linkModules = (folder: string) => {
  const [theirs, modules] = [path.join(root, "node_modules"), path.join(folder, "node_modules")]
  fs.mkdirSync(path.join(modules, "@limbeck"), { recursive: true })
  for (const name of fs.readdirSync(theirs).filter((name) => !/^(?:\.|@limbeck)/.test(name))) {
    fs.symlinkSync(path.join(theirs, name), path.join(modules, name))
  }
  for (const name of fs.readdirSync(path.join(folder, "packages"))) {
    fs.symlinkSync(path.join(folder, "packages", name), path.join(modules, "@limbeck", name))
  }
}

/** Puts it into `folder`; the file to start. */
export const programOf = (commit: string, folder: string): string => {
  execFileSync("tar", ["-x", "-C", folder], { input: git("archive", commit, "packages") })
  linkModules(folder)
  return path.join(folder, "packages/cli/src/main.ts")
}
