/** The file that Node starts: checks its version before it loads anything that an older Node cannot run. */
import { refusalOf } from "./NodeVersion.ts"

const refusal = refusalOf(process.versions.node)
if (refusal === undefined) {
  if (process.argv.some((word) => word === "serve" || word === "up"))
    (await import("@limbeck/node/ProcessFlags")).relaunch()
  const { load } = await import("./DotEnv.ts")
  const { enable } = await import("./CompileCache.ts")
  const given = { ...process.env }
  load()
  // `.env` may turn the cache off, but not name a folder whose code is executed.
  enable({ ...given, COMPILE_CACHE: process.env["COMPILE_CACHE"] })
  await import("./Program.ts")
} else {
  const error = { code: "node_version", message: refusal, request_id: null }
  process.stderr.write(`${process.argv.includes("--json") ? JSON.stringify({ error }) : refusal}\n`)
  process.exitCode = 2
}
