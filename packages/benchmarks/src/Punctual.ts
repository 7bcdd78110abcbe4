/** Deliveries at a pace that the engine keeps up with: how many arrive, how soon, and at what cost. */
import * as Ages from "./Ages.ts"
import * as Child from "./Child.ts"
import type { Engine, Stage } from "./Stage.ts"

export interface Options {
  readonly engine: Engine
  /** Where the endpoints are that count. */
  readonly way: string
  /** Of these, deliveries per event. */
  readonly fanout: number
  readonly types: ReadonlyArray<string>
  /** Deliveries that count. */
  readonly perSecond: number
  readonly warmUpSeconds: number
  readonly seconds: number
}

export interface Punctual {
  /** Deliveries that arrived while events were published. */
  readonly perSecond: number
  /** The publisher's too: it is the same process. */
  readonly cpuMicrosEach: number
  readonly ages: Ages.Ages
}

const publishers = 64

export const measure = async (
  { ask, count, awaitCount }: Stage,
  { engine, fanout, perSecond, seconds, types, warmUpSeconds, way }: Options
): Promise<Punctual> => {
  const load = { batch: 1, publishers, perSecond: perSecond / fanout, types }
  const atStart = await count(way)
  const warm = await engine.publish({ ...load, seconds: warmUpSeconds })
  const total = atStart + warm.published * fanout
  await awaitCount(way, total)
  await ask({ kind: "note", way })
  const { cpuMicros, done } = await Child.spending(engine, async () => {
    const published = await engine.publish({ ...load, seconds, noted: true })
    const perSecond = ((await count(way)) - total) / published.seconds
    await awaitCount(way, total + published.published * fanout)
    return { commits: published.commits, perSecond }
  })
  const ages = Ages.join(done.commits, await ask<ReadonlyArray<Ages.Arrival>>({ kind: "arrivals" }))
  return { perSecond: done.perSecond, cpuMicrosEach: cpuMicros / ages.arrived, ages }
}
