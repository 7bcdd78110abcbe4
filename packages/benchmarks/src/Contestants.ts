/** What `all` measures: reads and creations of the control plane, calls through gateways, deliveries out of a backlog, and runs. */
import { randomUUID } from "node:crypto"
import { fetch } from "undici"
import * as Backlogs from "./Backlogs.ts"
import * as BareTransaction from "./BareTransaction.ts"
import * as Child from "./Child.ts"
import * as FiveSteps from "./FiveSteps.ts"
import * as Gateways from "./Gateways.ts"
import * as Load from "./Load.ts"
import * as PostgresUsage from "./PostgresUsage.ts"
import { prepareVersion } from "./Prepare.ts"
import { creation, get, headers } from "./Requests.ts"
import type { Contestant, Sample } from "./Rounds.ts"

export interface Options {
  readonly clients: number
  /** Of each measurement. */
  readonly seconds: number
}

interface Done {
  readonly operations: number
  readonly perSecond: number
}

/** With the CPU of the process and of its Postgres, if any. */
export const takeSample = async (
  child: Child.Subject,
  url: string | null,
  work: () => Promise<Done>
): Promise<Sample> => {
  const postgres = async () => (url === null ? 0 : ((await PostgresUsage.cpuMicros(url)) ?? Number.NaN))
  const before = await postgres()
  const { cpuMicros, done } = await Child.spending(child, work)
  const spent = cpuMicros + (await postgres()) - before
  return { perSecond: done.perSecond, cpuMicrosEach: spent / done.operations }
}

const write = async (origin: string, method: string, route: string, resource: object): Promise<string> => {
  const answer = await fetch(`${origin}${route}`, {
    method,
    headers: { ...headers, "idempotency-key": randomUUID() },
    body: JSON.stringify(resource)
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${route} was refused: ${text}`)
  return /"id":"(\w+)"/.exec(text)?.[1] ?? ""
}

/** An endpoint without subscribed events. */
const deaf = { enabled_events: ["distill.run.failed"] }

/** Nobody works in the server: what is measured is requests. Returns what there is to ask for. */
const server = async (url: string) => {
  const serve = new URL("serve.ts", import.meta.url)
  const preparing = await Child.start(serve, ["ours", url, "workers"])
  const { origin } = preparing
  const body = await prepareVersion(origin, headers)
  const version = /"dataset_version":"(\w+)"/.exec(body)?.[1]
  const endpoint = await write(origin, "POST", "/v1/webhook_endpoints", { url: "https://127.0.0.1:1/", ...deaf })
  // Deliveries of creations pile up here, without changing the figures of the measured endpoint.
  const receiver = await write(origin, "POST", "/v1/webhook_endpoints", { url: "https://127.0.0.1:2/", ...deaf })
  for (let made = 0; made < 25; made++) await write(origin, "POST", "/v1/distill/datasets", { name: `set ${made}` })
  if (url === "") return { child: preparing, body, version, endpoint, receiver }
  await preparing.stop()
  return { child: await Child.start(serve, ["ours", url, "no"]), body, version, endpoint, receiver }
}

/** Reads on memory and on Postgres beside a bare node:http server, and creations beside bare transactions. */
export const controlPlane = async (url: string, { clients, seconds }: Options) => {
  const bare = await Child.start(new URL("serve.ts", import.meta.url), ["bare"])
  const children = [bare]
  const asking = (
    name: string,
    group: string,
    child: Child.Child,
    database: string | null,
    load: Omit<Load.LoadOptions, "origin" | "clients" | "seconds">
  ): Contestant => ({
    name,
    group,
    isBare: child === bare,
    measure: () =>
      takeSample(child, database, async () => {
        const { perSecond, requests } = await Load.run({ ...load, origin: child.origin, clients, seconds })
        return { operations: requests, perSecond }
      })
  })
  const contestants = [asking("bare node:http", "reads", bare, null, get("/"))]
  for (const [storage, database] of [
    ["memory", null],
    ["Postgres", url]
  ] as const) {
    const { body, child, endpoint, receiver, version } = await server(database ?? "")
    children.push(child)
    const read = (name: string, path: string) =>
      contestants.push(asking(`${name}, ${storage}`, "reads", child, database, get(path)))
    read("whoami", "/v1/whoami")
    read("get a version", `/v1/distill/dataset_versions/${version}`)
    read("get a webhook endpoint", `/v1/webhook_endpoints/${endpoint}`)
    read("list 20 events", "/v1/events?limit=20")
    read("list 20 datasets", "/v1/distill/datasets?limit=20")
    if (database === null) continue
    contestants.push(bareTransactions(database, { clients, seconds }))
    const creating = (name: string, wanted: object): Contestant => {
      const asked = asking(name, "writes", child, database, creation(body))
      const measure = async () => {
        await write(child.origin, "PATCH", `/v1/webhook_endpoints/${receiver}`, wanted)
        return asked.measure()
      }
      return { ...asked, measure }
    }
    // No worker drives the runs or sends the deliveries: both are only written.
    contestants.push(creating("create a run, with its event", deaf))
    contestants.push(
      creating("create a run, with its event and a delivery", { enabled_events: ["distill.run.created"] })
    )
  }
  return { contestants, stop: () => Promise.all(children.map((child) => child.stop())) }
}

const bareTransactions = (url: string, { clients, seconds }: Options): Contestant => ({
  name: "bare Postgres transaction",
  group: "writes",
  isBare: true,
  measure: async () => {
    const before = await PostgresUsage.cpuMicros(url)
    const { cpuMicrosEach, perSecond } = await BareTransaction.measure(url, { clients, seconds, rows: 1 })
    const spent = ((await PostgresUsage.cpuMicros(url)) ?? Number.NaN) - (before ?? Number.NaN)
    return { perSecond: perSecond ?? 0, cpuMicrosEach: (cpuMicrosEach ?? 0) + spent / ((perSecond ?? 0) * seconds) }
  }
})

/** Unary calls and streams through a bare pass-through, gateways of others that keep nothing, and ours, which keeps all. */
export const gateways = async (url: string, directory: string, { clients, seconds }: Options) => {
  const upstream = await Gateways.start("model.ts", [String(Gateways.frames)])
  const passing = await Gateways.start("gateway.ts", ["bare", upstream.origin])
  const bare = { name: "bare pass-through", child: passing, ...Gateways.plain }
  const own = await Gateways.ours(upstream, url, directory)
  const ways = [bare, ...(await Gateways.ofOthers(upstream)), own]
  const calling = (way: Gateways.GatewaySetup, stream: boolean): Contestant => ({
    name: stream ? `${way.name}, streams of ${Gateways.frames} frames` : `${way.name}, unary`,
    group: stream ? "streams" : "calls",
    isBare: way === bare,
    measure: () =>
      takeSample(way.child, way === own ? url : null, async () => {
        const { calls, perSecond } = await Gateways.load(way, clients, seconds * 1_000, stream)
        await way.settle?.()
        return { operations: calls, perSecond }
      })
  })
  const contestants = [false, true].flatMap((stream) => ways.map((way) => calling(way, stream)))
  const stop = () => Promise.all([upstream, ...ways.map(({ child }) => child)].map((child) => child.stop()))
  return { contestants, stop }
}

/** About so many are delivered in a second on a slow machine. */
const deliveredPerSecond = 1_500

/** As many as end in a second on a slow machine. */
const runsPerSecond = 300

/** Each measurement has a Postgres of its own. */
export const runs = async ({ seconds }: Options) => ({
  contestants: await FiveSteps.contestants(seconds * runsPerSecond),
  stop: () => Promise.resolve([])
})

/** Each measurement has a Postgres and a receiver of its own. */
export const backlogs = async ({ seconds }: Options) => ({
  contestants: await Backlogs.contestants(seconds * deliveredPerSecond),
  stop: () => Promise.resolve([])
})
