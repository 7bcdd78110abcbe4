/**
 * The cost of a full database: reads and creations next to those of an empty one, on the same server, in turns. Full means
 * BENCH_GROWTH events, deliveries with an attempt each, and captured calls (1,000,000), and a tenth as many runs. Then
 * lists slower statements, by Postgres's counts, including workers'.
 */
import { randomUUID } from "node:crypto"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fetch } from "undici"
import * as Contestants from "./Contestants.ts"
import * as Copies from "./Copies.ts"
import * as Gateways from "./Gateways.ts"
import * as Load from "./Load.ts"
import * as Postgres from "./Postgres.ts"
import * as PostgresUsage from "./PostgresUsage.ts"
import { prepareVersion } from "./Prepare.ts"
import { creation, get, headers } from "./Requests.ts"
import * as Rounds from "./Rounds.ts"
import * as Table from "./Table.ts"

const size = Number(process.env["BENCH_GROWTH"] ?? 1_000_000)
const seconds = Number(process.env["BENCH_SECONDS"] ?? 3)
const clients = Number(process.env["BENCH_CLIENTS"] ?? 16)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3)

/** Rows of each kind in the empty database. One page makes the lists of both databases equally long. */
const page = 25

/** Maximum cost of a full database relative to an empty one. */
const growthMax = 1.3

/** A server with one of each kind, and its requests. */
interface Place {
  readonly way: Gateways.GatewaySetup
  readonly url: string
  readonly run: string
  readonly endpoint: string
}

const ask = async (origin: string, method: string, route: string, body?: object) => {
  const response = await fetch(origin + route, {
    method,
    headers: { ...headers, "idempotency-key": randomUUID() },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}

const prepared = async (way: Gateways.GatewaySetup, url: string): Promise<Place> => {
  const { origin } = way.child
  const endpoint = await ask(origin, "POST", "/v1/webhook_endpoints", {
    url: "https://127.0.0.1:1/",
    enabled_events: ["distill.upload.succeeded"]
  })
  const run = JSON.parse(await prepareVersion(origin, headers))
  await ask(origin, "POST", "/v1/distill/runs", run)
  await Gateways.load(way, 1, 200, false)
  await way.settle?.()
  const attempts = "SELECT count(*)::int AS number FROM limbeck.attempts"
  while ((await PostgresUsage.number(url, attempts)) === 0) await sleep(100)
  await ask(origin, "PATCH", `/v1/webhook_endpoints/${endpoint["id"]}`, { status: "disabled" })
  for (let set = 0; set < 25; set++) await ask(origin, "POST", "/v1/distill/datasets", { name: `set ${set}` })
  return { way, url, run: JSON.stringify(run), endpoint: String(endpoint["id"]) }
}

type Requests = Pick<Load.LoadOptions, "request" | "expectedStatus">

const requestsOf = ({ endpoint, run }: Place): Readonly<Record<string, Requests>> => ({
  whoami: get("/v1/whoami"),
  "list 20 events": get("/v1/events?limit=20"),
  "list 20 runs": get("/v1/distill/runs?limit=20"),
  "list 20 datasets": get("/v1/distill/datasets?limit=20"),
  "list 20 calls": get("/v1/distill/calls?limit=20"),
  "list 20 calls of a model": get(`/v1/distill/calls?limit=20&model=${Gateways.model}`),
  "list 20 deliveries": get(`/v1/webhook_endpoints/${endpoint}/deliveries?limit=20`),
  "list 20 deliveries that succeeded": get(`/v1/webhook_endpoints/${endpoint}/deliveries?limit=20&status=succeeded`),
  "create a run": creation(run)
})

const contestantsOf = (place: Place, isEmpty: boolean): ReadonlyArray<Rounds.Contestant> => {
  const { url, way } = place
  const contestant = (group: string, work: () => Promise<{ operations: number; perSecond: number }>) => ({
    group,
    name: `${group}, ${isEmpty ? "empty" : "full"}`,
    isBare: isEmpty,
    measure: () => Contestants.takeSample(way.child, url, work)
  })
  const asked = Object.entries(requestsOf(place)).map(([group, load]) =>
    contestant(group, async () => {
      const { perSecond, requests } = await Load.run({ ...load, origin: way.child.origin, clients, seconds })
      return { operations: requests, perSecond }
    })
  )
  const captured = contestant("captured call", async () => {
    const { calls, perSecond } = await Gateways.load(way, clients, seconds * 1_000, false)
    await way.settle?.()
    return { operations: calls, perSecond }
  })
  return [...asked, captured]
}

const printLines = (lines: ReadonlyArray<Rounds.Line>) => {
  const full = lines.filter(({ name }) => name.endsWith(", full"))
  const title = `\na full database beside an empty one: ${size} events, deliveries and calls, ${size / 10} runs; ${rounds} rounds of ${seconds} s, ${clients} clients, load ${Table.figure(os.loadavg()[0], 1)}`
  Table.print(
    title,
    ["operation", "CPU µs each, with Postgres", "of an empty one's", "rate of an empty one's", "asked"],
    full.map(({ cpuMicrosEach, cpuToBare, group, rateToBare }) => [
      group,
      Table.figure(cpuMicrosEach.median),
      `${Table.figure(cpuToBare.median, 2)} (${Table.figure(cpuToBare.least, 2)}–${Table.figure(cpuToBare.most, 2)})`,
      Table.figure(rateToBare.median, 2),
      `≤ ${growthMax}`
    ])
  )
}

/** Smaller slowdowns are ignored. */
const slowerMillis = 0.05
const callsMin = 5

const printStatements = async (empty: string, full: string) => {
  const before = new Map((await PostgresUsage.statements(empty)).map((one) => [one.text, one.millis / one.calls]))
  const slower = (await PostgresUsage.statements(full)).flatMap(({ calls, millis, text }) => {
    const [was, is] = [before.get(text), millis / calls]
    if (was === undefined || calls < callsMin || is - was < slowerMillis || is / was < growthMax) return []
    return [[text.trim().slice(0, 150), Table.figure(calls), Table.figure(was, 3), Table.figure(is, 3)]]
  })
  Table.print("\nstatements that take longer in the full one", ["statement", "calls", "ms, empty", "ms, full"], slower)
}

export const main = async (): Promise<void> => {
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), "limbeck-bench-journal-"))
  const upstream = await Gateways.start("model.ts", [String(Gateways.frames)])
  const opened = async (url: string, name: string) =>
    prepared(await Gateways.ours(upstream, url, path.join(directory, name)), url)
  await Postgres.use(
    (emptyUrl) =>
      Postgres.use(async (fullUrl) => {
        const places = [await opened(emptyUrl, "empty"), await opened(fullUrl, "full")] as const
        await Copies.make(emptyUrl, { runs: page, deliveries: page, events: page, calls: page })
        await Copies.make(fullUrl, { runs: size / 10, deliveries: size, events: size, calls: size })
        await Promise.all([emptyUrl, fullUrl].map(PostgresUsage.begin))
        const contestants = places.flatMap((place, index) => contestantsOf(place, index === 0))
        const samples = await Rounds.run(contestants, { rounds, roundsMax: rounds })
        printLines(Rounds.linesOf(samples))
        await printStatements(emptyUrl, fullUrl)
        for (const { way } of places) await way.child.stop()
      }, PostgresUsage.settings),
    PostgresUsage.settings
  )
  await upstream.stop()
  await fs.rm(directory, { recursive: true, force: true })
}
