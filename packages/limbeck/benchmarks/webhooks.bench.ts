/**
 * The webhook engine on a durable Postgres with a receiver on the same machine: ingest, sustained deliveries and their CPU,
 * and how old an event is when it arrives; beside a bare undici loop and a bare Postgres insert of the same run.
 */
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as EmbeddedPostgres from "@limbeck/embedded-postgres/EmbeddedPostgres"
import * as Effect from "effect/Effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as BareTransaction from "./BareTransaction.ts"
import * as Child from "./Child.ts"
import type { Command } from "./engine.ts"
import * as Load from "./Load.ts"
import type { Row } from "./Row.ts"
import * as Table from "./Table.ts"

const seconds = Number(process.env["BENCH_SECONDS"] ?? 20)
/** Endpoints that want each event. */
const endpoints = 10

const file = (name: string) => new URL(name, import.meta.url)

interface Published {
  readonly published: number
  readonly seconds: number
}

interface Bench {
  readonly engine: Child.Child
  readonly receiver: Child.Child
}

type PublishOptions = Omit<Extract<Command, { readonly kind: "publish" }>, "kind">

const publish = ({ engine }: Bench, options: PublishOptions) => engine.ask<Published>({ kind: "publish", ...options })

const received = ({ receiver }: Bench) => receiver.ask<number>({ kind: "count" })

const untilReceived = async (bench: Bench, total: number): Promise<void> => {
  while ((await received(bench)) < total) await sleep(20)
}

/** What the engine's process spent while `work` was done. */
const spending = async <A>({ engine }: Bench, work: () => Promise<A>) => {
  const before = await engine.usage()
  const done = await work()
  return { done, cpuMicros: (await engine.usage()).cpuMicros - before.cpuMicros }
}

const line = (name: string, perSecond: number, cpuMicrosEach: number, ages = { p50Millis: 0, p99Millis: 0 }): Row => ({
  name,
  requests: 0,
  perSecond,
  cpuMicrosEach,
  ...ages
})

const ingest = async (bench: Bench, batch: number, publishers: number): Promise<Row> => {
  await publish(bench, { batch, publishers, seconds: 2, perSecond: null })
  const { cpuMicros, done } = await spending(bench, () =>
    publish(bench, { batch, publishers, seconds: seconds / 2, perSecond: null })
  )
  return line(`events in, ${batch} per transaction`, done.published / done.seconds, cpuMicros / done.published)
}

/** A backlog is made, then sent while nothing else is done. */
const backlog = async (bench: Bench): Promise<Row> => {
  const before = await received(bench)
  const filled = await publish(bench, { batch: 100, publishers: 4, seconds: seconds / 4, perSecond: null })
  const start = await received(bench)
  const startedAt = performance.now()
  const total = before + filled.published * endpoints
  const { cpuMicros } = await spending(bench, () => untilReceived(bench, total))
  const sent = total - start
  return line("deliveries from a backlog", sent / ((performance.now() - startedAt) / 1000), cpuMicros / sent)
}

/** How old events are when they arrive, at a rate that the engine keeps up with; publishing is part of the CPU. */
const paced = async (bench: Bench): Promise<Row> => {
  const options = { batch: 1, publishers: 16, perSecond: 1000 / endpoints }
  await publish(bench, { ...options, seconds: 2 })
  await sleep(500)
  await bench.receiver.ask({ kind: "ages" })
  const before = await received(bench)
  const { cpuMicros, done } = await spending(bench, async () => {
    const done = await publish(bench, { ...options, seconds })
    await untilReceived(bench, before + done.published * endpoints)
    return done
  })
  const ages = await bench.receiver.ask<{ p50Millis: number; p99Millis: number }>({ kind: "ages" })
  const deliveries = done.published * endpoints
  return line("deliveries at 1000 per second", deliveries / done.seconds, cpuMicros / deliveries, ages)
}

const bareLoop = async ({ receiver }: Bench): Promise<Row> => {
  const body = "x".repeat(600)
  const cpu = process.cpuUsage()
  const measured = await Load.run({
    origin: receiver.origin,
    clients: 64,
    seconds: seconds / 2,
    request: () => ({ method: "POST", path: "/", body }),
    expectedStatus: 200
  })
  const { system, user } = process.cpuUsage(cpu)
  return { ...measured, name: "bare undici loop", cpuMicrosEach: (user + system) / measured.requests }
}

const measure = async (url: string): Promise<ReadonlyArray<Row>> => {
  const receiver = await Child.start(file("receiver.ts"), [])
  const engine = await Child.start(file("engine.ts"), [url])
  const bench = { engine, receiver }
  const bare = await bareLoop(bench)
  const ingested = [await ingest(bench, 1, 64), await ingest(bench, 100, 4)]
  await engine.ask({ kind: "subscribe", url: receiver.origin, count: endpoints })
  const delivered = [await backlog(bench), await paced(bench)]
  await engine.stop()
  await receiver.stop()
  return [bare, ...ingested, ...delivered]
}

const onPostgres = (dataDir: string) =>
  Effect.gen(function* () {
    const { url } = yield* EmbeddedPostgres.launch({ dataDir, durable: true })
    const bare = yield* BareTransaction.measure(url, { clients: 64, seconds: seconds / 2 })
    return [bare, ...(yield* Effect.promise(() => measure(url)))]
  }).pipe(Effect.scoped)

export const main = async (): Promise<void> => {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "limbeck-bench-"))
  try {
    const rows = await Effect.runPromise(Effect.provide(onPostgres(path.join(folder, "data")), Reactivity.layer))
    Table.print(
      `\n${endpoints} endpoints want each event; durable commits, Node ${process.version}, ${os.cpus().length} cores for engine, receiver and database`,
      ["operation", "per second", "CPU µs each", "p50 ms", "p99 ms"],
      rows.map(({ cpuMicrosEach, name, p50Millis, p99Millis, perSecond }) => [
        name,
        perSecond.toFixed(0),
        cpuMicrosEach.toFixed(0),
        p50Millis === 0 ? "" : p50Millis.toFixed(1),
        p99Millis === 0 ? "" : p99Millis.toFixed(1)
      ])
    )
  } finally {
    await fs.rm(folder, { recursive: true, force: true })
  }
}
