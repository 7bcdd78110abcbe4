/** Writes coverage.md to the folder of generated pages. `--check` only checks that every route and sentence has a test; `--routes FILE` merges the routes that tests recorded. */
import * as fs from "node:fs"
import * as path from "node:path"
import { parseArgs } from "node:util"
import * as Coverage from "./Coverage.ts"
import * as Routes from "./Routes.ts"

const { values } = parseArgs({ options: { check: { type: "boolean", default: false }, routes: { type: "string" } } })

if (values.routes !== undefined) {
  Routes.merge(values.routes)
  process.stdout.write("routes.json is new: now run `npm run docs`\n")
  process.exit(0)
}
const found = Coverage.faults()
for (const fault of found) process.stderr.write(`${fault}\n`)
if (found.length > 0) process.exit(1)
if (!values.check) {
  fs.mkdirSync(path.dirname(Coverage.page), { recursive: true })
  fs.writeFileSync(Coverage.page, Coverage.render())
}
