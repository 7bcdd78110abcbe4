/** Dead letters by the thousand, written into a database: to earn one takes 43 minutes. */
import { EventStore } from "@limbeck/core/events/EventStore"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import { EndpointId } from "@limbeck/webhooks/endpoint/Endpoint"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Deliveries from "../../../testing/src/fixtures/Deliveries.ts"
import * as Events from "../../../testing/src/fixtures/Events.ts"

export interface DeadLetters {
  readonly storage: StoragePostgres.Options
  readonly partition: Partition
  readonly endpoint: string
  readonly count: number
  /** When the first was made, in milliseconds; the others follow one by one. */
  readonly at: number
}

/** Written together: a message to the database has its bounds. */
const batch = 5_000

const buryBatch = Effect.fnUntraced(function* ({ at, count, endpoint, partition }: DeadLetters) {
  const endpointId = yield* Schema.decodeUnknownEffect(EndpointId)(endpoint)
  const made = Events.events(partition, count, at)
  yield* (yield* EventStore).append(partition, made)
  yield* (yield* DeliveryStore).insert(
    partition,
    made.map((event) => ({
      ...Deliveries.delivery(event, endpointId),
      status: "dead_lettered",
      dueAt: null,
      attemptCount: 6,
      cycleStartedAt: event.createdAt,
      cycleAttempts: 6
    }))
  )
  return made.map(({ id }) => id)
})

/** Answers the ids of their events. */
export const bury = async (letters: DeadLetters): Promise<ReadonlyArray<string>> => {
  const starts = Array.from({ length: Math.ceil(letters.count / batch) }, (_, index) => index * batch)
  const ids = await Effect.forEach(starts, (start) =>
    buryBatch({ ...letters, at: letters.at + start, count: Math.min(batch, letters.count - start) })
  ).pipe(Effect.provide(StoragePostgres.layer({ ...letters.storage, maxConnections: 2 })), Effect.runPromise)
  return ids.flat()
}
