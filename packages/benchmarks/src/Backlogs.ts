/**
 * The cost of one delivery from a backlog, including Postgres: ours, a hand-written one, and those with other libraries.
 * Each has its own Postgres and receiver, signs every request, and keeps a row per attempt.
 */
import * as Child from "./Child.ts"
import * as Peers from "./Peers.ts"
import * as PostgresUsage from "./PostgresUsage.ts"
import * as Publisher from "./Publisher.ts"
import type { Command } from "./plain-sender.ts"
import type { Contestant } from "./Rounds.ts"
import * as Stage from "./Stage.ts"

/** Each with its file, and the program that sends with it. */
const peers: ReadonlyArray<readonly [peer: Peers.Peer, file: string, sender: URL]> = [
  [{ from: "npm", name: "pg-boss", version: "12.38.0" }, "dist/index.js", new URL("boss-sender.ts", import.meta.url)],
  [
    { from: "npm", name: "graphile-worker", version: "0.18.0" },
    "dist/index.js",
    new URL("graphile-sender.ts", import.meta.url)
  ]
]

/** CPU microseconds per operation. */
export interface Cost {
  readonly process: number
  readonly postgres: number
  readonly perSecond: number
}

export interface BacklogSetup {
  readonly name: string
  readonly isOurs: boolean
  /** Sends so many deliveries; a third of them warms up. */
  readonly drain: (deliveries: number) => Promise<Cost>
}

export const total = ({ postgres, process }: Pick<Cost, "postgres" | "process">): number => process + postgres

/** The CPU of a process and of Postgres during `work`, per returned operation. */
export const costOf = async (url: string, child: Child.Child, work: () => Promise<number>): Promise<Cost> => {
  const [before, startedAt] = [(await PostgresUsage.cpuMicros(url)) ?? 0, performance.now()]
  const { cpuMicros, done } = await Child.spending(child, work)
  const perSecond = (done * 1000) / (performance.now() - startedAt)
  return {
    process: cpuMicros / done,
    postgres: (((await PostgresUsage.cpuMicros(url)) ?? 0) - before) / done,
    perSecond
  }
}

const drained = async (stage: Stage.Stage, sender: Child.Child, deliveries: number): Promise<Cost> => {
  await stage.awaitCount("ok", Math.round(deliveries / 3))
  return costOf(stage.url, sender, async () => {
    const before = await stage.count("ok")
    await stage.awaitCount("ok", deliveries)
    return deliveries - before
  })
}

const ours: BacklogSetup = {
  name: "limbeck",
  isOurs: true,
  drain: (deliveries) =>
    Stage.use(async (stage) => {
      const publisher = await stage.start("none")
      await publisher.subscribe("ok", 1)
      await publisher.fill({ types: [Publisher.tick], events: deliveries })
      await publisher.stop()
      return drained(stage, await stage.start("webhooks"), deliveries)
    })
}

const sender = (name: string, file: URL, args: ReadonlyArray<string>): BacklogSetup => ({
  name,
  isOurs: false,
  drain: (deliveries) =>
    Stage.use(async (stage) => {
      const child = await Child.start(file, [stage.url, stage.receiver.origin, ...args])
      const perform = (command: Command) => child.ask(command)
      await perform({ kind: "fill", jobs: deliveries })
      await perform({ kind: "work" })
      const cost = await drained(stage, child, deliveries)
      await child.stop()
      return cost
    })
})

/** Hand-written, with installable other libraries, and ours. */
export const ways = async (): Promise<ReadonlyArray<BacklogSetup>> => {
  const found: Array<BacklogSetup> = []
  for (const [peer, file, program] of peers) {
    const library = await Peers.find(peer, file)
    if (library !== null) found.push(sender(`${Peers.nameOf(peer)} and undici, by hand`, program, [library]))
  }
  return [sender("a table and undici, by hand", new URL("plain-sender.ts", import.meta.url), []), ...found, ours]
}

/** The same as lines of a table, with the hand-written table-based one as the bare line. */
export const contestants = async (deliveries: number): Promise<ReadonlyArray<Contestant>> =>
  (await ways()).map((way, place) => ({
    name: `deliver out of a backlog, ${way.name}`,
    group: "backlogs",
    isBare: place === 0,
    measure: async () => {
      const cost = await way.drain(deliveries)
      return { perSecond: cost.perSecond, cpuMicrosEach: total(cost) }
    }
  }))
