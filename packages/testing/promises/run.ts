/** `npm run docs`: writes the pages of docs that are generated from the code. `--check` fails where one is out of date. */
import * as fs from "node:fs"
import { faults, page, render } from "./Promises.ts"

const found = faults()
for (const fault of found) process.stderr.write(`${fault}\n`)
if (found.length > 0) process.exit(1)
if (!process.argv.includes("--check")) fs.writeFileSync(page, render())
else if (fs.readFileSync(page, "utf8") !== render()) {
  process.stderr.write("docs/promises.md is out of date: run `npm run docs`\n")
  process.exit(1)
}
