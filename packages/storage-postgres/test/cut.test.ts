import type * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { StorageError } from "@limbeck/core/errors/Errors"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Schema from "effect/Schema"
import * as BoundedClient from "../src/internal/connection/BoundedClient.ts"
import { clientConfig } from "../src/internal/connection/Connection.ts"
import { failAs } from "../src/internal/connection/PostgresError.ts"
import { client, freshSchema, url } from "./Database.ts"

const decodeProcess = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ pid: Schema.Int })]))

const clients = Effect.gen(function* () {
  const schema = yield* freshSchema
  const sql = yield* BoundedClient.make(clientConfig({ url }, schema), () => performance.now())
  return { sql, other: yield* client(schema) }
}).pipe(Effect.provideServiceEffect(Reactivity.Reactivity, Reactivity.make))

/** Returns when the connection that the surrounding transaction has is gone. */
const cut = Effect.fnUntraced(function* (sql: PgClient.PgClient, other: PgClient.PgClient) {
  const [{ pid }] = yield* decodeProcess(yield* sql`SELECT pg_backend_pid() AS pid`)
  yield* other`SELECT pg_terminate_backend(${pid})`
  const found = other`SELECT 1 FROM pg_stat_activity WHERE pid = ${pid}`
  yield* Effect.repeat(found, { until: (rows) => rows.length === 0 })
})

/** A cut nested transaction, its outer transaction, and the next statement. */
const nested = <E>(meanwhile: (sql: PgClient.PgClient) => Effect.Effect<unknown, E>) =>
  Effect.gen(function* () {
    const { other, sql } = yield* clients
    const inner = sql.withTransaction(Effect.andThen(cut(sql, other), meanwhile(sql)))
    const exit = yield* Effect.exit(sql.withTransaction(inner).pipe(failAs("test")))
    const rows = yield* sql`SELECT 1`
    return { exit, rows }
  })

const assertFails = (exit: Exit.Exit<unknown, unknown>) => {
  if (Exit.isSuccess(exit)) return assert.fail("A transaction without a connection was committed")
  assert.isFalse(Cause.hasDies(exit.cause), Cause.pretty(exit.cause))
  assert.instanceOf(Cause.squash(exit.cause), StorageError)
}

describe("a transaction within another, whose connection is cut,", () => {
  it.effect("fails as storage does where its statement fails, and the client goes on (P131)", () =>
    Effect.gen(function* () {
      const { exit, rows } = yield* nested((sql) => sql`SELECT 1`)
      assertFails(exit)
      assert.lengthOf(rows, 1)
    })
  )

  it.effect("fails as storage does where only its end fails (P131)", () =>
    Effect.gen(function* () {
      const { exit, rows } = yield* nested(() => Effect.void)
      assertFails(exit)
      assert.lengthOf(rows, 1)
    })
  )
})
