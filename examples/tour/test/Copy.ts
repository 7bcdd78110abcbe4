/** A copy of the repository, for tests that change its sources. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../../../", import.meta.url))

/** The current packages, in a folder where only our own packages are copies. */
export const copyTo = (copy: string, wanted: (file: string) => boolean) => {
  const listing = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
  const files = execFileSync("git", listing, { cwd: root, encoding: "utf8" }).split("\0")
  for (const file of files.filter(wanted)) {
    if (!fs.existsSync(path.join(root, file))) continue
    fs.mkdirSync(path.dirname(path.join(copy, file)), { recursive: true })
    fs.copyFileSync(path.join(root, file), path.join(copy, file))
  }
  const modules = path.join(copy, "node_modules")
  const folders = fs.readdirSync(path.join(copy, "packages"))
  const names = folders.map((folder) => manifestOf(path.join(copy, "packages", folder)).name)
  fs.mkdirSync(path.join(modules, "@limbeck"), { recursive: true })
  for (const name of fs.readdirSync(path.join(root, "node_modules"))) {
    if (name !== "@limbeck" && !names.includes(name) && !name.startsWith(".")) {
      fs.symlinkSync(path.join(root, "node_modules", name), path.join(modules, name))
    }
  }
  for (const [at, folder] of folders.entries()) {
    fs.symlinkSync(path.join(copy, "packages", folder), path.join(modules, names[at] ?? folder))
    const own = path.join(root, "packages", folder, "node_modules")
    if (fs.existsSync(own)) fs.symlinkSync(own, path.join(copy, "packages", folder, "node_modules"))
  }
}

const manifestOf = (folder: string): { readonly name: string } =>
  JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"))
