/**
 * The whole loop once, over HTTP, from outside: the real server with its own Postgres; a teacher that costs time and money;
 * a program with the stock `openai` client that sorts tickets; and the path of these calls to a dataset, a rehearsal, a
 * trained student, and a deployment that answers the same program in the teacher's place; every step is announced by
 * webhooks that a receiver verifies. Exits 0 only if every claim holds; leaves nothing behind.
 */
import * as Api from "./Api.ts"
import { capture } from "./Capture.ts"
import { claimEqual, count } from "./Claims.ts"
import * as Comparison from "./Comparison.ts"
import { prepare } from "./Data.ts"
import { deploy } from "./Deploy.ts"
import * as Desk from "./Desk.ts"
import { live } from "./LiveRun.ts"
import * as Receiver from "./Receiver.ts"
import { rehearse } from "./Rehearsal.ts"
import { line, step, table, title } from "./Screen.ts"
import * as Server from "./Server.ts"
import * as Teacher from "./Teacher.ts"
import * as Tickets from "./Tickets.ts"
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
    claimEqual([credential.environment, livemode], ["live", true], "The mode of the token")
    return [undefined, `workspace ${workspace.name}, ${credential.environment} mode, version ${api_version}`] as const
  })

const tour = async (started: Server.StartedServer, receiver: Receiver.Receiver, teacher: Teacher.Teacher) => {
  const server = await step("Start the server", async () => {
    const listening = await Promise.race([started.listening, aborted])
    return [listening, `${listening.origin}, on a Postgres of its own`]
  })
  const api = Api.make(server.origin, server.liveToken, stopping.signal)
  const desk = Desk.make(server.origin, server.liveToken, stopping.signal)
  await whoami(api)
  const endpoint = await step("Create a webhook endpoint", async () => {
    const created = await Webhooks.subscribe(api, receiver)
    return [created, `distill.* to ${receiver.url}`]
  })
  const captured = await capture(api, desk, teacher, await Tickets.read("tickets"))
  const version = await prepare(api, captured)
  const rehearsed = await rehearse(api, version)
  const { report, run, student } = await live(api, version, rehearsed)
  const deployed = await deploy(api, desk, teacher, student, await Tickets.read("later"))
  const events = await Webhooks.check(api, receiver, endpoint)
  const exitCode = await step("Stop the server", async () => {
    const outcome = await server.stop()
    claimEqual(outcome, 0, "The exit code of the server")
    return [outcome, "SIGTERM, exit code 0"]
  })
  const facts = [
    ["captured calls", `${captured.calls.length} of ${captured.source.name}`],
    ["dataset version", `${version.id}, ${version.rows} rows, ${version.dropped.duplicates} duplicates dropped`],
    ["plan", `${rehearsed.proposal.plan_hash.slice(0, 16)}…, rehearsed by ${rehearsed.run.id}`],
    ["live run", `${run.id}, ${run.status}, spent $${run.totals.cost_usd}`],
    ["student", student],
    ["webhooks", `${events.length} events, ${receiver.received.length} deliveries, all verified`],
    ["server", `exit code ${exitCode}`]
  ]
  return { facts, comparison: Comparison.rows(deployed, report) }
}

title("The whole loop once: from calls of a costly teacher to a student that answers in its place")
const receiver = await Receiver.start()
const teacher = await Teacher.start()
const started = await Server.start(receiver.certificate, (reason) => stopping.abort(reason))
try {
  const { comparison, facts } = await tour(started, receiver, teacher)
  line()
  table(comparison)
  line()
  table([...facts, ["claims checked", `${count()}, all hold`], ["time", `${(performance.now() / 1000).toFixed(1)} s`]])
} catch (error) {
  const reason = stopping.signal.aborted ? stopping.signal.reason : error
  const expected = reason instanceof Interrupted || (reason instanceof Error && reason.name === "BrokenClaim")
  process.stderr.write(`\n${expected ? reason.message : ((reason as Error).stack ?? reason)}\n`)
  process.exitCode = reason instanceof Interrupted ? reason.exitCode : 1
} finally {
  await started.cleanUp()
  await teacher.switchOff()
  await receiver.close()
}
