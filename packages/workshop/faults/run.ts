/**
 * `npm run faults -- [NAME…] [--write]`: causes each kind of fault under load, with two servers on one Postgres, and prints
 * acknowledged, lost and duplicated operations, and the clients' view. Without names it runs all kinds but `kills`.
 * `--write` puts the table into docs/faults.md. Fails if an acknowledged operation is lost or duplicated. Everything runs
 * on this machine, in a temporary folder.
 */
import * as Campaign from "./Campaign.ts"
import { kinds } from "./kinds.ts"
import * as Report from "./Report.ts"

const given = process.argv.slice(2)
const isWritten = given.includes("--write")
const wanted = given.filter((name) => name !== "--write")
const usual = Object.keys(kinds).filter((name) => kinds[name]?.onlyByName !== true)
const names = wanted.length === 0 ? usual : wanted
const unknown = names.find((name) => kinds[name] === undefined)
if (unknown !== undefined) {
  process.stderr.write(`There is no fault "${unknown}". There are: ${Object.keys(kinds).join(", ")}\n`)
  process.exit(2)
}
if (isWritten && wanted.length > 0) {
  process.stderr.write("--write needs all kinds of fault: name none\n")
  process.exit(2)
}

const say = (text: string) => process.stdout.write(`${text}\n`)
const rows: Array<ReadonlyArray<string>> = []
let isBroken = false
for (const name of names) {
  const fault = kinds[name]!
  const reason = await fault.impossible?.()
  if (reason !== undefined) {
    say(`${name}: SKIPPED, ${reason}`)
    rows.push(Report.skipped(fault.title, reason))
    continue
  }
  const result = await Campaign.run(fault).catch((error: unknown) => String(error))
  if (typeof result === "string") {
    say(`${name}: BROKE OFF, ${result}`)
    rows.push(Report.skipped(fault.title, "it broke off"))
    isBroken = true
    continue
  }
  say(`${name}: ${result.seconds.toFixed(0)} s; ${result.broken.join("; ") || "nothing lost, nothing doubled"}`)
  isBroken ||= result.broken.length > 0
  rows.push(Report.row(fault.title, result))
}
const table = Report.table(rows)
say(`\n${table}`)
// A table with holes is no measurement.
if (isWritten && !isBroken) await Report.write(table)
process.exit(isBroken ? 1 : 0)
