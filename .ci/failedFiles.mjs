/**
 * Prints the test files that failed, one per line, from Vitest's JSON report.
 * Exits 1 when a second run of single files cannot settle the result: no report, an error outside of tests, or many failed files.
 */
import { readFileSync } from "node:fs"
import { relative } from "node:path"

/** More failed files than this are a defect of the change, not tests that fail by chance. */
const filesMax = 5

const report = JSON.parse(readFileSync(process.argv[2], "utf8"))
const files = report.testResults.filter(({ status }) => status === "failed").map(({ name }) => relative(".", name))
if (files.length === 0 || files.length > filesMax) process.exit(1)
process.stdout.write(`${files.join("\n")}\n`)
