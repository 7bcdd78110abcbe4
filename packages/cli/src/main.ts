/** The file that Node starts: checks its version before it loads anything that an older Node cannot run. */
import { refusalOf } from "./NodeVersion.ts"

const refusal = refusalOf(process.versions.node)
if (refusal === undefined) {
  if (process.argv.some((word) => word === "serve" || word === "up"))
    (await import("@limbeck/node/ProcessFlags")).relaunch()
  await import("./Program.ts")
} else {
  const error = { code: "node_version", message: refusal, request_id: null }
  process.stderr.write(`${process.argv.includes("--json") ? JSON.stringify({ error }) : refusal}\n`)
  process.exitCode = 2
}
