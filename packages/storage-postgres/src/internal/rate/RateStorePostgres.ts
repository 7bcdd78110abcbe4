/** RateStore on Postgres: core's TokenBucket law in SQL, so that one statement handles many buckets. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { RateStore } from "@limbeck/core/rate/RateStore"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"

const decodeBuckets = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ key: Schema.String, tokens: Schema.Finite, at: Millis }))
)

export const make = (sql: PgClient.PgClient): RateStore["Service"] =>
  RateStore.of({
    tell: Effect.fnUntraced(function* ({ burst, perSecond }, uses) {
      // In key order, so that concurrent servers cannot deadlock on the same buckets.
      const told = uses.toSorted((a, b) => (a.key < b.key ? -1 : 1))
      const [most, rate] = [T.float(burst), T.float(perSecond)]
      // A new row, `excluded`, is a full bucket minus the uses: its missing tokens are the uses.
      const rows = yield* sql`
        INSERT INTO rate_buckets AS shared (key, tokens, at)
        SELECT key, greatest(-${most}, ${most} - count), since FROM unnest(
          ${T.texts(told.map(({ key }) => key))},
          ${T.floats(told.map(({ count }) => count))},
          ${T.ints(told.map(({ from }) => from))}
        ) AS uses (key, count, since)
        ON CONFLICT (key) DO UPDATE SET
          tokens = greatest(-${most}, least(${most}, shared.tokens
            + (greatest(0, excluded.at - shared.at)::float8 / 1000) * ${rate}) - (${most} - excluded.tokens)),
          at = greatest(shared.at, excluded.at)
        RETURNING key, tokens, at`
      const buckets = new Map((yield* decodeBuckets(rows)).map(({ at, key, tokens }) => [key, { tokens, at }]))
      // Each use has made or changed a row.
      return uses.map(({ key }) => buckets.get(key)!)
    }, failAs("RateStore.tell")),

    sweep: Effect.fnUntraced(function* (before, limit) {
      const removed = yield* sql`
        DELETE FROM rate_buckets WHERE at < ${T.int(before)} AND ctid = ANY(ARRAY(
          SELECT ctid FROM rate_buckets WHERE at < ${T.int(before)} LIMIT ${T.int(limit)} FOR UPDATE SKIP LOCKED))
        RETURNING 1`
      return removed.length
    }, failAs("RateStore.sweep"))
  })
