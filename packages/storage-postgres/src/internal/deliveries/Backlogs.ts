/**
 * How many deliveries wait for endpoints that have many. To count them takes longer the more there are, so a count is told to
 * all who ask while it is under way, and for a while after it: twenty times as long as it took, and a second at most.
 *
 *     asked       A   B          C                  D
 *     counted     [------]                          [------]
 *     told               A, B    C (as A)                  D
 *
 * So counts of one endpoint take a twentieth of the time of one connection, however many ask.
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

/** A count is told for so many times as long as it took. */
const tellingFactor = 20
const tellingMaxMillis = 1_000

/** Endpoints whose counts are remembered. */
const endpointsMax = 1_000

interface Counted {
  readonly pending: number
  readonly tookMillis: number
}

const tellingMillis = ({ tookMillis }: Counted) => Math.min(tellingMaxMillis, tellingFactor * tookMillis)

/** Returns what counts the deliveries of an endpoint that are not final. */
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

  /** A transaction sees what nobody else may be told, and is told what it sees. */
  return (partition: Partition, endpointId: string) =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (transaction) =>
      Option.isSome(transaction)
        ? count(partition.key, endpointId)
        : Effect.map(Cache.get(cache, `${partition.key} ${endpointId}`), ({ pending }) => pending)
    )
})
