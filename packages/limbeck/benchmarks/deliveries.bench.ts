/**
 * What one event with one delivery costs, with Postgres counted: out of a backlog, and at 200 a second, where every event is
 * published, claimed, sent and settled by itself. Beside the delivery out of a backlog, one that is written by hand.
 */
import * as os from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import * as Child from "./Child.ts"
import * as PostgresUsage from "./PostgresUsage.ts"
import * as Publisher from "./Publisher.ts"
import * as Punctual from "./Punctual.ts"
import type { Command } from "./plain-sender.ts"
import * as Stage from "./Stage.ts"
import * as Table from "./Table.ts"

/** Of the pass at a pace; the backlogs have as many events as that pass has in a minute. */
const seconds = Number(process.env["BENCH_SECONDS"] ?? 30)
const perSecond = 200
const backlog = seconds * 400
/** The first part of a backlog warms the sender up. */
const warm = Math.round(backlog / 3)

interface Cost {
  /** CPU microseconds of the process and of Postgres. */
  readonly process: number
  readonly postgres: number
}

const total = ({ postgres, process }: Cost): number => process + postgres

/** What a process and Postgres spend while `work` is done, for each of what it returns the number of. */
const costOf = async (url: string, child: Child.Child, work: () => Promise<number>): Promise<Cost> => {
  const before = (await PostgresUsage.cpuMicros(url)) ?? 0
  const { cpuMicros, done } = await Child.spending(child, work)
  return { process: cpuMicros / done, postgres: (((await PostgresUsage.cpuMicros(url)) ?? 0) - before) / done }
}

/** From when a third was delivered until all was. */
const drained = async (stage: Stage.Stage, sender: Child.Child): Promise<Cost> => {
  await stage.untilCount("ok", warm)
  return costOf(stage.url, sender, async () => {
    const before = await stage.count("ok")
    await stage.untilCount("ok", backlog)
    return backlog - before
  })
}

/** What publishing costs, one event in a transaction, and what delivering does. */
const ours = () =>
  Stage.use(async (stage) => {
    const publisher = await stage.start("none")
    await publisher.subscribe("ok", 1)
    const load = { batch: 1, publishers: 64, perSecond: null }
    await publisher.publish({ ...load, seconds: 2 })
    let published = 0
    const publishing = await costOf(stage.url, publisher, async () => {
      published = (await publisher.publish({ ...load, seconds: 5 })).published
      return published
    })
    await publisher.fill({ types: [Publisher.tick], events: backlog })
    await publisher.stop()
    return { publishing, delivering: await drained(stage, await stage.start("webhooks")) }
  })

const byHand = () =>
  Stage.use(async (stage) => {
    const sender = await Child.start(new URL("plain-sender.ts", import.meta.url), [stage.url, stage.receiver.origin])
    const perform = (command: Command) => sender.ask(command)
    await perform({ kind: "fill", jobs: backlog })
    await perform({ kind: "work" })
    const cost = await drained(stage, sender)
    await sender.stop()
    return cost
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
    const cost = await costOf(stage.url, engine, async () => {
      measured = await Punctual.measure(stage, { ...options, warmUpSeconds: 0, seconds })
      return measured.ages.arrived
    })
    return { cost, ages: measured?.ages, statements: await PostgresUsage.statements(stage.url) }
  }, PostgresUsage.settings)

const row = (name: string, cost: Cost, ratio: number | null, asked: string) => [
  name,
  Table.figure(cost.process),
  Table.figure(cost.postgres),
  Table.figure(total(cost)),
  Table.figure(ratio, 2),
  asked
]

export const main = async (): Promise<void> => {
  const [hand, { delivering, publishing }, pace] = [await byHand(), await ours(), await paced()]
  const whole: Cost = {
    process: delivering.process + publishing.process,
    postgres: delivering.postgres + publishing.postgres
  }
  Table.print(
    `\n${backlog} deliveries of a backlog, ${perSecond} events a second for ${seconds} s, durable commits, Node ${process.version}, ${os.cpus().length} cores for all, load ${Table.figure(os.loadavg()[0], 1)}`,
    ["what, in CPU µs each", "process", "Postgres", "both", "ratio", "asked"],
    [
      row("a delivery out of a backlog, by hand", hand, null, ""),
      row("a delivery out of a backlog", delivering, total(delivering) / total(hand), "< 1 × by hand"),
      row("one event, published flat out", publishing, null, ""),
      row("both, out of a backlog", whole, null, ""),
      row(`both, at ${perSecond} a second`, pace.cost, total(pace.cost) / total(whole), "≤ 3 × out of a backlog")
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
