/** docs/coverage.md. `--check` fails where it is out of date or something has no test; `--routes FILE` takes in what tests have recorded. */
import * as fs from "node:fs"
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
if (!values.check) fs.writeFileSync(Coverage.page, Coverage.render())
else if (fs.readFileSync(Coverage.page, "utf8") !== Coverage.render()) {
  process.stderr.write("docs/coverage.md is out of date: run `npm run docs`\n")
  process.exit(1)
}
