/**
 * Links new workspaces into node_modules after a rebase or a change of branch, without `npm install`. Packages of npm that a new
 * workspace needs are not installed.
 */
import * as fs from "node:fs"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../../..")

for (const name of fs.readdirSync(path.join(root, "packages"))) {
  const file = path.join(root, "packages", name, "package.json")
  if (!fs.existsSync(file)) continue
  const link = path.join(root, "node_modules", JSON.parse(fs.readFileSync(file, "utf8")).name)
  if (fs.existsSync(link)) continue
  fs.rmSync(link, { force: true })
  fs.mkdirSync(path.dirname(link), { recursive: true })
  fs.symlinkSync(path.relative(path.dirname(link), path.dirname(file)), link)
}
