/**
 * Lease numbers drawn ahead of their use, so that a write can name its own without a query. A stocked number is lower than
 * every number drawn later, as a delivery's leases must increase: it serves as a delivery's first lease.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as T from "../connection/PostgresTypes.ts"

const drawnAtOnce = 256

const decodeDrawn = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ lease: Schema.Int })))

export const make = (sql: PgClient.PgClient) => {
  const stock: Array<number> = []
  let isRefilling = false

  const draw = Effect.fnUntraced(function* (count: number) {
    const rows = yield* sql`SELECT nextval('leases') AS lease FROM generate_series(1, ${T.int(count)})`
    for (const { lease } of yield* decodeDrawn(rows)) stock.push(lease)
  })

  /** Outside of any transaction; a failure only leaves the stock low. */
  const refill = () => {
    if (isRefilling || stock.length >= drawnAtOnce / 2) return
    isRefilling = true
    const done = Effect.sync(() => {
      isRefilling = false
    })
    Effect.runFork(Effect.ensuring(Effect.ignore(draw(drawnAtOnce)), done))
  }

  /** So many, each given to nobody else. */
  const take = Effect.fnUntraced(function* (count: number) {
    while (stock.length < count) yield* draw(Math.max(count, drawnAtOnce))
    const taken = stock.splice(0, count)
    refill()
    return taken
  })

  return { take }
}
