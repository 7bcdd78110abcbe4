/**
 * Counts of waiting deliveries for endpoints with large backlogs. The time of a count grows with the backlog, so concurrent
 * callers share a count, and later callers reuse it for twenty times its duration, up to a second.
 *
 *     asked       A   B          C                  D
 *     counted     [------]                          [------]
 *     told               A, B    C (as A)                  D
 *
 * Counting one endpoint takes at most a twentieth of one connection's time, for any number of callers.
 */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Cache from "effect/Cache"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { BoundedClient } from "../connection/BoundedClient.ts"
import * as T from "../connection/PostgresTypes.ts"

const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ pending: Schema.Int })]))

/** How long a count is reused, as a multiple of its duration. */
const tellingFactor = 20
const tellingMaxMillis = 1_000

/** Endpoints whose counts are remembered. */
const endpointsMax = 1_000

interface BacklogCount {
  readonly pending: number
  readonly tookMillis: number
}

const tellingMillis = ({ tookMillis }: BacklogCount) => Math.min(tellingMaxMillis, tellingFactor * tookMillis)

/** Returns a function that counts the non-final deliveries of an endpoint. */
export const make = Effect.fnUntraced(function* (sql: BoundedClient) {
  const count = Effect.fnUntraced(function* (partitionKey: string, endpointId: string) {
    const rows = yield* sql`
      SELECT count(*) AS pending FROM deliveries_due
      WHERE partition = ${partitionKey} AND endpoint_id = ${T.text(endpointId)}`
    return (yield* decodeCount(rows))[0].pending
  })

  const timed = Effect.fnUntraced(function* (partitionKey: string, endpointId: string) {
    const startedAt = yield* Clock.currentTimeMillis
    const pending = yield* count(partitionKey, endpointId)
    return { pending, tookMillis: (yield* Clock.currentTimeMillis) - startedAt }
  })

  const cache = yield* Cache.makeWith(
    (key: string) => {
      const [partitionKey = "", endpointId = ""] = key.split(" ")
      return timed(partitionKey, endpointId)
    },
    {
      capacity: endpointsMax,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.millis(tellingMillis(exit.value)) : Duration.zero)
    }
  )

  /** A transaction counts its own view and shares no result. */
  return (partition: Partition, endpointId: string) =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (transaction) =>
      Option.isSome(transaction)
        ? count(partition.key, endpointId)
        : Effect.map(Cache.get(cache, `${partition.key} ${endpointId}`), ({ pending }) => pending)
    )
})
