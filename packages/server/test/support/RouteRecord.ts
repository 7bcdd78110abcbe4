/**
 * Records which test got a response of which operation: one line each in the file `RECORD_ROUTES`, for the page
 * coverage.md. Refusals do not count.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { expect } from "@effect/vitest"

const root = path.resolve(import.meta.dirname, "../../../..")
const target = process.env["RECORD_ROUTES"]
const seen = new Set<string>()

export const record = (operation: string | undefined, status: number): void => {
  if (target === undefined || operation === undefined || status >= 300) return
  const { currentTestName, testPath } = expect.getState()
  if (currentTestName === undefined || testPath === undefined) return
  const test = currentTestName.split(" > ").at(-1)
  const line = JSON.stringify({ operation, file: path.relative(root, testPath), test })
  if (!seen.has(line)) fs.appendFileSync(target, `${line}\n`)
  seen.add(line)
}
