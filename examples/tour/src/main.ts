/**
 * The main job once, over HTTP, as an outsider does it: the real server with a Postgres of its own, a webhook receiver that
 * verifies what it gets, a file of tickets, a rehearsed run. Exits 0 only if every claim holds; leaves nothing behind.
 */
import * as Api from "./Api.ts"
import { claimEqual, count, given } from "./Claims.ts"
import { prepare } from "./Data.ts"
import * as Receiver from "./Receiver.ts"
import { rehearse } from "./Rehearsal.ts"
import { line, step, table, title } from "./Screen.ts"
import * as Server from "./Server.ts"
import * as Webhooks from "./Webhooks.ts"
import type { Whoami } from "./Wire.ts"

const stopping = new AbortController()
const aborted = new Promise<never>((_, reject) => {
  stopping.signal.addEventListener("abort", () => reject(stopping.signal.reason))
})
aborted.catch(() => {})

class Interrupted extends Error {
  readonly exitCode: number
  constructor(signal: string, exitCode: number) {
    super(`Stopped by ${signal}`)
    this.exitCode = exitCode
  }
}
// Not `once`: an impatient second Ctrl-C must not leave a server behind.
process.on("SIGINT", () => stopping.abort(new Interrupted("Ctrl-C", 130)))
process.on("SIGTERM", () => stopping.abort(new Interrupted("SIGTERM", 143)))

const whoami = (api: Api.Api) =>
  step("Ask who I am", async () => {
    const { api_version, credential, livemode, workspace } = await api.get<Whoami>("/v1/whoami")
    claimEqual([credential.environment, livemode], ["test", false], "The mode of the token")
    return [undefined, `workspace ${workspace.name}, ${credential.environment} mode, version ${api_version}`] as const
  })

const tour = async (started: Server.Started, receiver: Receiver.Receiver) => {
  const server = await step("Start the server", async () => {
    const listening = await Promise.race([started.listening, aborted])
    return [listening, `${listening.origin}, on a Postgres of its own`]
  })
  const api = Api.make(server.origin, server.testToken, stopping.signal)
  await whoami(api)
  const endpoint = await step("Create a webhook endpoint", async () => {
    const created = await Webhooks.subscribe(api, receiver)
    return [created, `distill.* to ${receiver.url}`]
  })
  const { upload, version } = await prepare(api)
  const { proposal, report, run } = await rehearse(api, version)
  const events = await Webhooks.check(api, receiver, endpoint)
  const exitCode = await step("Stop the server", async () => {
    const outcome = await server.stop()
    claimEqual(outcome, 0, "The exit code of the server")
    return [outcome, "SIGTERM, exit code 0"]
  })
  return [
    ["upload", `${upload.id}, ${upload.rows} rows`],
    ["dataset version", `${version.id}, ${version.rows} rows, ${version.dropped.duplicates} duplicates dropped`],
    ["plan", `${proposal.plan_hash.slice(0, 16)}…, estimated at $${proposal.estimate.cost_usd}`],
    ["rehearsal", `${run.id}, ${run.status}, spent $${run.totals.cost_usd}`],
    ["report", `${given(run.report, "The report")}, ${report.status}`],
    ["webhooks", `${events.length} events, ${receiver.received.length} deliveries, all verified`],
    ["server", `exit code ${exitCode}`]
  ] as const
}

title("The main job once: from a file of tickets to a rehearsed run, told by signed webhooks")
const receiver = await Receiver.start()
const started = await Server.start((reason) => stopping.abort(reason))
try {
  const facts = await tour(started, receiver)
  line()
  table([...facts, ["claims checked", `${count()}, all hold`], ["time", `${(performance.now() / 1000).toFixed(1)} s`]])
} catch (error) {
  const reason = stopping.signal.aborted ? stopping.signal.reason : error
  const expected = reason instanceof Interrupted || (reason instanceof Error && reason.name === "BrokenClaim")
  process.stderr.write(`\n${expected ? reason.message : ((reason as Error).stack ?? reason)}\n`)
  process.exitCode = reason instanceof Interrupted ? reason.exitCode : 1
} finally {
  await started.cleanUp()
  await receiver.close()
}
