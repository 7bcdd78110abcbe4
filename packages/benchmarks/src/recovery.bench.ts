/**
 * What a recovery takes from fresh deliveries: ten endpoints at a pace, before and while the 100,000 dead letters of another
 * endpoint are redelivered.
 */
import * as os from "node:os"
import type { Latency } from "./Latency.ts"
import * as Punctual from "./Punctual.ts"
import * as Stage from "./Stage.ts"
import * as Table from "./Table.ts"

/** Of each pass. */
const seconds = Number(process.env["BENCH_SECONDS"] ?? 30)
const warmUpSeconds = Math.min(5, seconds)
const endpoints = 10
const perSecond = 500
/** A short rehearsal is content with less. */
const letters = Math.round(100_000 * Math.min(1, seconds / 20))

/** An endpoint whose deliveries have all been given up; answers its id. */
const prepare = async (stage: Stage.Stage): Promise<string> => {
  const publisher = await stage.start("none")
  const [dead = ""] = await publisher.subscribe("recovered", 1, ["bench.dead"])
  await publisher.fill({ types: ["bench.dead"], events: letters })
  const buried = await publisher.perform<number>({ kind: "bury" })
  if (buried !== letters) throw new Error(`${buried} of ${letters} deliveries are dead letters`)
  await publisher.subscribe("ok", endpoints)
  await publisher.stop()
  return dead
}

interface RecoveryTimes {
  /** The duration of the call, and its response. */
  readonly callMillis: number
  readonly queued: number
  readonly perSecond: number
}

const measure = (stage: Stage.Stage, engine: Stage.Engine) =>
  Punctual.measure(stage, {
    engine,
    way: "ok",
    fanout: endpoints,
    types: ["bench.tick"],
    perSecond,
    warmUpSeconds,
    seconds
  })

const run = () =>
  Stage.use(async (stage) => {
    const dead = await prepare(stage)
    const engine = await stage.start("webhooks")
    const before = await measure(stage, engine)
    const calledAt = performance.now()
    const queued = await engine.perform<number>({ kind: "recover", endpoint: dead })
    const callMillis = performance.now() - calledAt
    const during = await measure(stage, engine)
    const came = await stage.count("recovered")
    const recovered: RecoveryTimes = { callMillis, queued, perSecond: (came * 1000) / (performance.now() - calledAt) }
    return { before, during, recovered }
  })

const timed = (name: string, before: Latency, during: Latency, part: keyof Latency, asked = "") => [
  name,
  Table.figure(before[part], 1),
  Table.figure(during[part], 1),
  Table.figure(during[part] / before[part], 2),
  asked
]

export const main = async (): Promise<void> => {
  const { before, during, recovered } = await run()
  const [soon, late] = [before.ages.fromCommit, during.ages.fromCommit]
  Table.print(
    `\nfresh deliveries before and while ${letters} dead letters are recovered; ${seconds} s each, Node ${process.version}, ${os.cpus().length} cores for all`,
    ["what", "before", "while", "ratio", "asked"],
    [
      [
        "fresh deliveries per second",
        Table.figure(before.perSecond),
        Table.figure(during.perSecond),
        Table.figure(during.perSecond / before.perSecond, 2)
      ],
      timed("  commit to first byte, p50 ms", soon, late, "p50Millis"),
      timed("  commit to first byte, p99 ms", soon, late, "p99Millis", "≤ 1.20"),
      timed("  commit to first byte, max ms", soon, late, "maxMillis"),
      ["recovered per second", "", Table.figure(recovered.perSecond)],
      ["  all of them in, minutes", "", Table.figure(letters / recovered.perSecond / 60, 1)],
      ["  the call to recover, ms", "", Table.figure(recovered.callMillis)],
      ["  dead letters that it answered", "", String(recovered.queued), "", `= ${letters}`]
    ]
  )
}
