/**
 * The cost of a run of five steps, including Postgres: our dry run of five stages, a hand-written one, and one by DBOS.
 * Each has its own Postgres, with all runs waiting before the start.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { costOf, total } from "./Backlogs.ts"
import * as Child from "./Child.ts"
import * as Peers from "./Peers.ts"
import * as PlainSteps from "./PlainSteps.ts"
import * as Postgres from "./Postgres.ts"
import * as PostgresUsage from "./PostgresUsage.ts"
import type { Contestant, Sample } from "./Rounds.ts"
import type { Command } from "./runs-engine.ts"

const peer: Peers.Peer = { from: "npm", name: "@dbos-inc/dbos-sdk", version: "5.3.0" }

/** The work items of our unfinished runs. */
export const unfinishedRuns = "SELECT count(*)::int AS number FROM limbeck.work WHERE topic = 'run'"
const leftOfOthers = `SELECT count(*)::int AS number FROM plain_runs WHERE status <> 'step ${PlainSteps.steps}'`

const untilLeft = async (url: string, left: string, most: number): Promise<void> => {
  while ((await PostgresUsage.number(url, left)) > most) await sleep(100)
}

/** A third of the runs warms up. */
const driven = (program: URL, args: ReadonlyArray<string>, left: string, runs: number): Promise<Sample> =>
  Postgres.use(async (url) => {
    const child = await Child.start(program, [url, ...args])
    const perform = (command: Command) => child.ask(command)
    await perform({ kind: "create", runs })
    await perform({ kind: "work" })
    await untilLeft(url, left, Math.round((runs * 2) / 3))
    const cost = await costOf(url, child, async () => {
      const before = await PostgresUsage.number(url, left)
      await untilLeft(url, left, 0)
      return before
    })
    await child.stop()
    return { perSecond: cost.perSecond, cpuMicrosEach: total(cost) }
  })

const byHand = (runs: number): Promise<Sample> =>
  Postgres.use(async (url) => {
    const { cpuMicrosEach, perSecond, postgresMicrosEach } = await PlainSteps.measure(url, runs)
    return { perSecond, cpuMicrosEach: cpuMicrosEach + (postgresMicrosEach ?? Number.NaN) }
  })

export const contestants = async (runs: number): Promise<ReadonlyArray<Contestant>> => {
  const contestant = (name: string, measure: () => Promise<Sample>, isBare = false): Contestant => ({
    name: `run of five stages, ${name}`,
    group: "runs",
    isBare,
    measure
  })
  const dbos = await Peers.find(peer, "dist/src/index.js")
  return [
    contestant("five steps by hand", () => byHand(runs), true),
    ...(dbos === null
      ? []
      : [
          contestant(Peers.nameOf(peer), () =>
            driven(new URL("dbos-steps.ts", import.meta.url), [dbos], leftOfOthers, runs)
          )
        ]),
    contestant("limbeck, dry", () => driven(new URL("runs-engine.ts", import.meta.url), [], unfinishedRuns, runs))
  ]
}
