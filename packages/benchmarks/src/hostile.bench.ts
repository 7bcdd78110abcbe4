/**
 * A thousand hostile receivers and twenty healthy ones on one engine: the hostile ones' memory, and their effect on the
 * healthy ones' deliveries. Memory storage, so that only the engine is measured.
 */
import * as os from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import * as Hostile from "./Hostile.ts"
import * as Table from "./Table.ts"

const seconds = Number(process.env["BENCH_SECONDS"] ?? 20)
const attemptMillis = Number(process.env["BENCH_ATTEMPT_MILLIS"] ?? 5_000)
/** Events a second to each healthy endpoint. */
const healthyPerSecond = 20

export const main = async (): Promise<void> => {
  const bench = await Hostile.start({ hostile: 1_000, healthy: 20, attemptMillis })
  await Hostile.phase(bench, { healthyPerSecond, hostilePerSecond: 0, seconds: 2 })
  await Hostile.memory(bench)
  const without = await Hostile.phase(bench, { healthyPerSecond, hostilePerSecond: 0, seconds })
  const once = await Hostile.phase(bench, { healthyPerSecond, hostilePerSecond: 1 / seconds, seconds })
  const steady = await Hostile.phase(bench, { healthyPerSecond, hostilePerSecond: 1, seconds })
  const busy = await Hostile.memory(bench)
  await Hostile.endHostile(bench)
  // Kept connections close within seconds of their last use.
  await sleep(12_000)
  const after = await Hostile.memory(bench)
  await Hostile.stop(bench)
  const row = (name: string, phase: Hostile.Phase) => [
    name,
    Table.figure(phase.healthyPerSecond),
    Table.figure(phase.age.p50Millis, 1),
    Table.figure(phase.age.p99Millis, 1),
    String(phase.missing),
    String(phase.attempts.underWayMax),
    Table.figure(phase.attempts.longestMillis),
    Table.percent(phase.cpuShare)
  ]
  Table.print(
    `\n20 healthy endpoints, ${healthyPerSecond} events a second to each; limit of an attempt ${attemptMillis} ms, ${seconds} s each; Node ${process.version}, ${os.cpus().length} cores for all`,
    ["phase", "healthy/s", "p50 ms", "p99 ms", "not yet", "under way", "longest ms", "CPU"],
    [
      row("healthy alone", without),
      row("and one event to each of 1,000 hostile", once),
      row("and one a second to each of 1,000 hostile", steady)
    ]
  )
  Table.print(
    "Memory of the engine, grown since before",
    ["when", "heap", "resident", "peak resident"],
    [
      [
        "at the end, under load",
        Table.mebibytes(busy.heapBytes),
        Table.mebibytes(busy.rssBytes),
        Table.mebibytes(busy.peakRssBytes)
      ],
      ["12 s after the hostile ones left", Table.mebibytes(after.heapBytes), Table.mebibytes(after.rssBytes), ""],
      // The rest is the storage's rows.
      [
        "what the hostile ones took, of the engine",
        Table.mebibytes(busy.heapBytes - after.heapBytes),
        Table.mebibytes(busy.rssBytes - after.rssBytes),
        ""
      ]
    ]
  )
  Table.print(
    "How the attempts of the last phase ended",
    ["ending", "attempts"],
    Object.entries(steady.attempts.endings).map(([ending, count]) => [ending, String(count)])
  )
}
