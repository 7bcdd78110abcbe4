/** Publishes for a benchmark: flat out, at a pace, or a certain number. */
import { setTimeout as sleep } from "node:timers/promises"
import type { StoredEvent } from "@limbeck/core/events/Event"
import * as Ages from "./Ages.ts"

/** Publishes a batch of events of the type in one transaction. */
export type Publish = (type: string, batch: number) => Promise<ReadonlyArray<StoredEvent>>

export interface Load {
  /** Events in one transaction. */
  readonly batch: number
  /** Transactions under way at once, at most. */
  readonly publishers: number
  readonly seconds: number
  /** Events; null: as fast as it goes. */
  readonly perSecond: number | null
  /** One transaction has one type, in turn; `bench.tick` by default. */
  readonly types?: ReadonlyArray<string>
  /** Whether each event's commit is noted. */
  readonly noted?: boolean
}

export interface PublishResult {
  readonly published: number
  readonly seconds: number
  readonly commits: ReadonlyArray<Ages.Commit>
}

export const tick = "bench.tick"

/** Each publisher takes the next transaction and waits for its time, regardless of earlier outcomes. */
export const load = async (publish: Publish, options: Load): Promise<PublishResult> => {
  const { batch, noted = false, perSecond, publishers, seconds, types = [tick] } = options
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  const commits: Array<Ages.Commit> = []
  let [next, published] = [0, 0]

  const loop = async () => {
    while (performance.now() < endsAt) {
      const place = next++
      const dueAt = perSecond === null ? 0 : startedAt + (place * batch * 1000) / perSecond
      if (dueAt >= endsAt) return
      const early = dueAt - performance.now()
      if (early > 0) await sleep(early)
      published += batch
      const publishedAt = Ages.now()
      const events = await publish(types[place % types.length] ?? tick, batch)
      const committedAt = Ages.now()
      if (noted) {
        for (const { createdAt, id } of events) commits.push({ event: id, createdAt, publishedAt, committedAt })
      }
    }
  }
  await Promise.all(Array.from({ length: publishers }, loop))
  return { published, seconds: (performance.now() - startedAt) / 1000, commits }
}

export interface Fill {
  readonly types: ReadonlyArray<string>
  readonly events: number
}

const fillBatch = 100
const fillPublishers = 4

/** Publishes exactly so many events, of the types in turn. */
export const fill = async (publish: Publish, { events, types }: Fill): Promise<void> => {
  let [left, place] = [events, 0]
  const loop = async () => {
    while (left > 0) {
      const batch = Math.min(left, fillBatch)
      left -= batch
      await publish(types[place++ % types.length] ?? tick, batch)
    }
  }
  await Promise.all(Array.from({ length: fillPublishers }, loop))
}
