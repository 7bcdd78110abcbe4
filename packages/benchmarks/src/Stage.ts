/** The setting of webhook benchmarks: a fresh Postgres, a receiver, and any number of engines. */
import { setTimeout as sleep } from "node:timers/promises"
import * as Child from "./Child.ts"
import type { Command, Workers } from "./engine.ts"
import * as Postgres from "./Postgres.ts"
import type * as Publisher from "./Publisher.ts"
import type * as Receiver from "./receiver.ts"

export interface Engine extends Child.Child {
  /** Makes endpoints under the receiver's `way`; answers their ids. */
  readonly subscribe: (way: string, count: number, types?: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>
  readonly publish: (load: Publisher.Load) => Promise<Publisher.PublishResult>
  readonly fill: (fill: Publisher.Fill) => Promise<void>
  readonly perform: <A>(command: Command) => Promise<A>
}

export interface Stage {
  readonly url: string
  readonly receiver: Child.Child
  readonly ask: <A>(question: Receiver.Question) => Promise<A>
  /** What came to the receiver this way. */
  readonly count: (way: string) => Promise<number>
  readonly awaitCount: (way: string, total: number) => Promise<void>
  readonly start: (workers: Workers) => Promise<Engine>
}

const patienceMillis = 60_000

const file = (name: string) => new URL(name, import.meta.url)

const engineOf = (child: Child.Child, receiver: string): Engine => {
  const perform = <A>(command: Command) => child.ask<A>(command)
  return {
    ...child,
    perform,
    subscribe: (way, count, types) =>
      perform({ kind: "subscribe", url: `${receiver}/${way}`, count, ...(types && { types }) }),
    publish: (load) => perform({ kind: "publish", ...load }),
    fill: (fill) => perform({ kind: "fill", ...fill })
  }
}

const stageOf = (url: string, receiver: Child.Child, started: Array<Child.Child>): Stage => {
  const ask = <A>(question: Receiver.Question) => receiver.ask<A>(question)
  const count = (way: string) => ask<number>({ kind: "count", way })
  return {
    url,
    receiver,
    ask,
    count,
    awaitCount: async (way, total) => {
      const endsAt = performance.now() + patienceMillis
      for (let counted = await count(way); counted < total; counted = await count(way)) {
        if (performance.now() > endsAt) throw new Error(`${counted} of ${total} came to /${way}`)
        await sleep(20)
      }
    },
    start: async (workers) => {
      const child = await Child.start(file("engine.ts"), [url, workers])
      started.push(child)
      return engineOf(child, receiver.origin)
    }
  }
}

export const use = <A>(
  work: (stage: Stage) => Promise<A>,
  settings: Readonly<Record<string, string>> = {}
): Promise<A> =>
  Postgres.use(async (url) => {
    const receiver = await Child.start(file("receiver.ts"), [])
    const started = [receiver]
    try {
      return await work(stageOf(url, receiver, started))
    } finally {
      await Promise.all(started.map(({ stop }) => stop()))
    }
  }, settings)
