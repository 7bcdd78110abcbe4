/** An engine between hostile receivers and healthy ones, each kind in a process of its own. */
import { setTimeout as sleep } from "node:timers/promises"
import * as Ages from "./Ages.ts"
import * as Child from "./Child.ts"
import type { Attempts, Command, Memory } from "./hostile-engine.ts"
import type { HostileReceivers } from "./hostile-receivers.ts"
import type * as Latency from "./Latency.ts"
import type { PublishResult } from "./Publisher.ts"
import type { Question } from "./receiver.ts"

export interface Bench {
  readonly engine: Child.Child
  readonly hostile: Child.Child
  readonly healthy: Child.Child
  readonly healthyCount: number
  /** Of the hostile receivers. */
  readonly hostileUrls: ReadonlyArray<string>
}

export interface Phase {
  readonly healthyPerSecond: number
  /** From the commit to the arrival. */
  readonly age: Latency.Latency
  /** Healthy deliveries that had not arrived when the phase was over. */
  readonly missing: number
  readonly attempts: Attempts
  /** Of one core. */
  readonly cpuShare: number
}

/** The path of the healthy receiver. */
const way = "healthy"

const file = (name: string) => new URL(name, import.meta.url)

/** V8 and the C library retain memory of their largest burst; with a small reserve, resident memory shows actual use. */
const flags = ["--max-semi-space-size=4"]

const ask = <A>({ engine }: Bench, command: Command) => engine.ask<A>(command)

export const start = async (options: {
  readonly hostile: number
  readonly healthy: number
  readonly attemptMillis: number
  /** By what the engine times: the clock by default, or turns of its event loop, which a busy machine does not stretch. */
  readonly time?: "clock" | "turns"
}): Promise<Bench> => {
  const hostile = await Child.start(file("hostile-receivers.ts"), [String(options.hostile)])
  const healthy = await Child.start(file("receiver.ts"), [])
  const { authorities, urls } = await hostile.ask<HostileReceivers>({})
  const engine = await Child.start(
    file("hostile-engine.ts"),
    [String(options.attemptMillis), authorities, options.time ?? "clock"],
    flags,
    Child.serverEnvironment
  )
  const bench = { engine, hostile, healthy, healthyCount: options.healthy, hostileUrls: urls }
  const healthyUrls = Array.from({ length: options.healthy }, (_, index) => `${healthy.origin}/${way}/${index}`)
  await ask(bench, { kind: "subscribe", type: "bench.healthy", urls: healthyUrls })
  await beginHostile(bench)
  return bench
}

/** Creates an endpoint for every hostile receiver. */
export const beginHostile = (bench: Bench) =>
  ask(bench, { kind: "subscribe", type: "bench.hostile", urls: bench.hostileUrls })

/** How many attempts ended. */
export const countEndings = ({ endings }: Pick<Attempts, "endings">): number =>
  Object.values(endings).reduce((sum, count) => sum + count, 0)

export const memory = (bench: Bench) => ask<Memory>(bench, { kind: "memory" })

const attempts = (bench: Bench) => ask<Attempts>(bench, { kind: "attempts" })

const askHealthy = <A>({ healthy }: Bench, question: Question) => healthy.ask<A>(question)

const received = (bench: Bench) => askHealthy<number>(bench, { kind: "count", way })

/** One event to every hostile endpoint. */
export const hostileRound = (bench: Bench) => ask(bench, { kind: "once", type: "bench.hostile" })

/** One event to every healthy endpoint, with figures once all have it. */
export const healthyRound = async (bench: Bench) => {
  const before = await received(bench)
  await attempts(bench)
  const { cpuMicros } = await bench.engine.usage()
  await ask(bench, { kind: "once", type: "bench.healthy" })
  while ((await received(bench)) - before < bench.healthyCount) await sleep(10)
  const cpuMillis = ((await bench.engine.usage()).cpuMicros - cpuMicros) / 1000
  return { ...(await attempts(bench)), cpuMillis }
}

/** Publishes at these rates, per endpoint; arrivals later than 100 ms after the end count as missing. */
export const phase = async (
  bench: Bench,
  rates: { readonly healthyPerSecond: number; readonly hostilePerSecond: number; readonly seconds: number }
): Promise<Phase> => {
  const { healthyPerSecond, hostilePerSecond, seconds } = rates
  const load = { kind: "publish", batch: 1, seconds, noted: true } as const
  await attempts(bench)
  await askHealthy(bench, { kind: "note", way })
  const [usage, startedAt] = [await bench.engine.usage(), performance.now()]
  const [healthy] = await Promise.all([
    ask<PublishResult>(bench, { ...load, perSecond: healthyPerSecond, publishers: 8, types: ["bench.healthy"] }),
    ...(hostilePerSecond === 0
      ? []
      : [ask(bench, { ...load, perSecond: hostilePerSecond, publishers: 1, types: ["bench.hostile"] })])
  ])
  await sleep(100)
  const arrivals = await askHealthy<ReadonlyArray<Ages.Arrival>>(bench, { kind: "arrivals" })
  const elapsedMillis = performance.now() - startedAt
  const { arrived, fromCommit } = Ages.join(healthy.commits, arrivals)
  return {
    healthyPerSecond: arrived / seconds,
    age: fromCommit,
    missing: healthy.published * bench.healthyCount - arrived,
    attempts: await attempts(bench),
    cpuShare: ((await bench.engine.usage()).cpuMicros - usage.cpuMicros) / 1000 / elapsedMillis
  }
}

/** Waits until every attempt under way has ended; answers what was since the last look. */
export const awaitIdle = async (bench: Bench) => {
  let { endings, longestMillis, underWay } = await attempts(bench)
  let ended = countEndings({ endings })
  while (underWay > 0) {
    await sleep(50)
    const more = await attempts(bench)
    underWay = more.underWay
    ended += countEndings(more)
    longestMillis = Math.max(longestMillis, more.longestMillis)
  }
  return { ended, longestMillis }
}

/** Deletes the hostile endpoints, and waits until no attempt is under way. */
export const endHostile = async (bench: Bench): Promise<void> => {
  await ask(bench, { kind: "unsubscribe", type: "bench.hostile" })
  await awaitIdle(bench)
}

export const stop = async ({ engine, healthy, hostile }: Bench): Promise<void> => {
  await Promise.all([engine, healthy, hostile].map((child) => child.stop()))
}
