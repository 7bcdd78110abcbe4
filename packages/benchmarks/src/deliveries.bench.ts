/**
 * The cost of one event with one delivery, including Postgres: from a backlog, and at 200 a second, where every event is
 * published, claimed, sent and settled by itself. The backlog delivery has hand-written ones beside it.
 */
import * as os from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import * as Backlogs from "./Backlogs.ts"
import * as PostgresUsage from "./PostgresUsage.ts"
import * as Publisher from "./Publisher.ts"
import * as Punctual from "./Punctual.ts"
import { spreadOf } from "./Rounds.ts"
import * as Stage from "./Stage.ts"
import * as Table from "./Table.ts"

/** Duration of the paced pass; a backlog holds that pass's events of two minutes per minute. */
const seconds = Number(process.env["BENCH_SECONDS"] ?? 30)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3)
const perSecond = 200
const backlog = seconds * 400

/** The cost of publishing, one event per transaction. */
const publishing = () =>
  Stage.use(async (stage) => {
    const publisher = await stage.start("none")
    await publisher.subscribe("ok", 1)
    const load = { batch: 1, publishers: 64, perSecond: null }
    await publisher.publish({ ...load, seconds: 2 })
    return Backlogs.costOf(
      stage.url,
      publisher,
      async () => (await publisher.publish({ ...load, seconds: 5 })).published
    )
  })

const paced = () =>
  Stage.use(async (stage) => {
    const engine = await stage.start("webhooks")
    await engine.subscribe("ok", 1)
    const options = { engine, way: "ok", fanout: 1, types: [Publisher.tick], perSecond }
    await Punctual.measure(stage, { ...options, warmUpSeconds: 2, seconds: 5 })
    await sleep(1_000)
    await PostgresUsage.begin(stage.url)
    let measured: Punctual.Punctual | undefined
    const cost = await Backlogs.costOf(stage.url, engine, async () => {
      measured = await Punctual.measure(stage, { ...options, warmUpSeconds: 0, seconds })
      return measured.ages.arrived
    })
    return { cost, ages: measured?.ages, statements: await PostgresUsage.statements(stage.url) }
  }, PostgresUsage.settings)

type Part = Pick<Backlogs.Cost, "postgres" | "process">

const row = (name: string, cost: Part, ratio: number | null, asked: string) => [
  name,
  Table.figure(cost.process),
  Table.figure(cost.postgres),
  Table.figure(Backlogs.total(cost)),
  Table.figure(ratio, 2),
  asked
]

const median = (costs: ReadonlyArray<Backlogs.Cost>, of: (cost: Backlogs.Cost) => number) =>
  spreadOf(costs.map(of)).median

/** The medians of the rounds, with every contestant in each round. */
const drain = async () => {
  const ways = await Backlogs.ways()
  const costs = new Map<Backlogs.BacklogSetup, Array<Backlogs.Cost>>(ways.map((way) => [way, []]))
  for (let round = 0; round < rounds; round++) for (const way of ways) costs.get(way)?.push(await way.drain(backlog))
  return [...costs].map(([{ isOurs, name }, all]) => ({
    name,
    isOurs,
    process: median(all, ({ process }) => process),
    postgres: median(all, ({ postgres }) => postgres),
    all
  }))
}

export const main = async (): Promise<void> => {
  const drained = await drain()
  const [published, pace] = [await publishing(), await paced()]
  const own = drained.find(({ isOurs }) => isOurs)!
  const whole: Part = {
    process: own.process + published.process,
    postgres: own.postgres + published.postgres
  }
  const toOurs = ({ all }: (typeof drained)[number]) =>
    spreadOf(own.all.map((cost, round) => Backlogs.total(cost) / Backlogs.total(all[round]!))).median
  Table.print(
    `\n${backlog} deliveries of a backlog, medians of ${rounds} rounds, ${perSecond} events a second for ${seconds} s, durable commits, Node ${process.version}, ${os.cpus().length} cores for all, load ${Table.figure(os.loadavg()[0], 1)}`,
    ["what, in CPU µs each", "process", "Postgres", "both", "ratio", "asked"],
    [
      ...drained.map((way) =>
        row(
          `a delivery out of a backlog, ${way.name}`,
          way,
          way.isOurs ? null : toOurs(way),
          way.isOurs ? "" : "ours < 1 × this"
        )
      ),
      row("one event, published flat out", published, null, ""),
      row("both, out of a backlog", whole, null, ""),
      row(
        `both, at ${perSecond} a second`,
        pace.cost,
        Backlogs.total(pace.cost) / Backlogs.total(whole),
        "≤ 3 × out of a backlog"
      )
    ]
  )
  const arrived = pace.ages?.arrived ?? 1
  Table.print(
    "at the pace",
    ["what", "value", "asked"],
    [
      ["commit to first byte, p50 ms", Table.figure(pace.ages?.fromCommit.p50Millis, 1), "< 10"],
      ["commit to first byte, p99 ms", Table.figure(pace.ages?.fromCommit.p99Millis, 1), ""],
      ...pace.statements
        .filter(({ calls }) => calls > arrived / 50)
        .map(({ calls, text }) => [text.trim().slice(0, 100), Table.figure(calls / arrived, 2), ""])
    ]
  )
}
