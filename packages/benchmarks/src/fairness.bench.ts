/**
 * The effect of hanging endpoints, and of one with a long backlog, on others: forty healthy endpoints alone, then beside
 * ten silent ones and one slow one far behind. At a pace below saturation, and from a backlog at full speed.
 */
import * as os from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import * as Child from "./Child.ts"
import * as Punctual from "./Punctual.ts"
import * as Stage from "./Stage.ts"
import * as Table from "./Table.ts"

/** Of each pass. */
const seconds = Number(process.env["BENCH_SECONDS"] ?? 20)
/** Longer than an attempt's limit, so that hanging endpoints also have retries. */
const warmUpSeconds = Math.min(12, seconds)
/** Each group has its own type, so that an event goes to a few endpoints. */
const groups = Array.from({ length: 5 }, (_, group) => `bench.group_${group}`)
const healthyEach = 8
const hangingEach = 2
const perSecond = 1_000
/** What the slow endpoint has before it; a short rehearsal is content with less. */
const backlog = Math.round(100_000 * Math.min(1, seconds / 20))
/** More than one server sends in the time of a pass. */
const plenty = 10_000

/** The neighbours, and the slow one's backlog, before anybody works. */
const prepare = async (stage: Stage.Stage, crowded: boolean): Promise<Stage.Engine> => {
  const publisher = await stage.start("none")
  for (const type of groups) {
    await publisher.subscribe("ok", healthyEach, [type])
    if (crowded) await publisher.subscribe("hang", hangingEach, [type])
  }
  if (crowded) {
    await publisher.subscribe("slow", 1, ["bench.slow"])
    await publisher.fill({ types: ["bench.slow"], events: backlog })
  }
  return publisher
}

/** What came to the other endpoints meanwhile. */
interface Neighbours {
  readonly hung: number
  readonly slow: number
}

const beside = async <A>({ count }: Stage.Stage, work: () => Promise<A>) => {
  const [hung, slow] = [await count("hang"), await count("slow")]
  const done = await work()
  const neighbours: Neighbours = { hung: (await count("hang")) - hung, slow: (await count("slow")) - slow }
  return { done, neighbours }
}

const paced = (crowded: boolean) =>
  Stage.use(async (stage) => {
    const publisher = await prepare(stage, crowded)
    await publisher.stop()
    const engine = await stage.start("webhooks")
    const options = { engine, way: "ok", fanout: healthyEach, types: groups, perSecond, warmUpSeconds, seconds }
    return await beside(stage, () => Punctual.measure(stage, options))
  })

/** Nothing is published while this is measured. */
const saturated = (crowded: boolean) =>
  Stage.use(async (stage) => {
    const publisher = await prepare(stage, crowded)
    const events = Math.round(((warmUpSeconds + seconds) * plenty) / healthyEach)
    await publisher.fill({ types: groups, events })
    await publisher.stop()
    const engine = await stage.start("webhooks")
    await sleep(warmUpSeconds * 1000)
    const total = events * healthyEach
    return await beside(stage, async () => {
      const [startedAt, before] = [performance.now(), await stage.count("ok")]
      const { cpuMicros } = await Child.spending(engine, async () => {
        while (performance.now() < startedAt + seconds * 1000 && (await stage.count("ok")) < total) await sleep(50)
      })
      const sent = (await stage.count("ok")) - before
      return { perSecond: (sent * 1000) / (performance.now() - startedAt), cpuMicrosEach: cpuMicros / sent }
    })
  })

const compared = (alone: number, crowded: number, digits: number, asked: string) => [
  Table.figure(alone, digits),
  Table.figure(crowded, digits),
  Table.figure(crowded / alone, 2),
  asked
]

export const main = async (): Promise<void> => {
  const [pacedAlone, pacedCrowded] = [await paced(false), await paced(true)]
  const [alone, crowded] = [await saturated(false), await saturated(true)]
  const [soon, late] = [pacedAlone.done.ages.fromCommit, pacedCrowded.done.ages.fromCommit]
  const many = (neighbours: Neighbours) => [
    "  attempts beside these, slow and hanging",
    "",
    `${neighbours.slow} + ${neighbours.hung}`
  ]
  Table.print(
    `\n${groups.length * healthyEach} healthy endpoints, alone and beside ${groups.length * hangingEach} that hang and one with ${backlog} due; ${seconds} s each, Node ${process.version}, ${os.cpus().length} cores for all`,
    ["what", "alone", "beside", "ratio", "asked"],
    [
      [
        "at a pace: deliveries per second",
        ...compared(pacedAlone.done.perSecond, pacedCrowded.done.perSecond, 0, "≥ 0.95")
      ],
      ["  commit to first byte, p50 ms", ...compared(soon.p50Millis, late.p50Millis, 1, "≤ 1.20")],
      ["  commit to first byte, p99 ms", ...compared(soon.p99Millis, late.p99Millis, 1, "≤ 1.20")],
      ["  commit to first byte, max ms", ...compared(soon.maxMillis, late.maxMillis, 1, "")],
      ["  CPU µs each", ...compared(pacedAlone.done.cpuMicrosEach, pacedCrowded.done.cpuMicrosEach, 0, "")],
      many(pacedCrowded.neighbours),
      ["flat out: deliveries per second", ...compared(alone.done.perSecond, crowded.done.perSecond, 0, "≥ 0.95")],
      ["  CPU µs each", ...compared(alone.done.cpuMicrosEach, crowded.done.cpuMicrosEach, 0, "")],
      many(crowded.neighbours)
    ]
  )
}
