/** The port Storage: transactions of this file. A host that has its own on Postgres cannot lend us one. */
import { HostTransactionError } from "@limbeck/core/storage/HostTransaction"
import { Storage, type StorageState } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Database } from "../sqlite/Database.ts"
import { isWriteRefusal } from "../sqlite/Failures.ts"
import { sql } from "../sqlite/Sql.ts"

const noHostTransaction = new HostTransactionError({
  message: "Storage in SQLite has no part in a transaction of another database: publish without it",
  code: null,
  cause: null
})

/** How long a refused write is remembered, in milliseconds: the next small write may fit where others do not. */
const refusalMillis = 1_000

/** Commits a small write: only a commit shows whether there is room. */
const probe = Effect.fnUntraced(function* (db: Database) {
  const now = yield* Clock.currentTimeMillis
  const isRefused = now - db.refusedAt < refusalMillis
  yield* db.write("Storage.health", (connection) =>
    connection.run(sql`INSERT OR REPLACE INTO probe VALUES (1, ${now})`)
  )
  return isRefused ? "read_only" : "ok"
})

export const make = (db: Database): Storage["Service"] =>
  Storage.of({
    transaction: (self) => db.transaction(self),
    afterCommit: (effect) => db.afterCommit(effect),
    inHostTransaction: () => Effect.fail(noHostTransaction),
    seesCommit: Effect.succeed(true),
    health: Effect.catchIf(probe(db), isWriteRefusal, () => Effect.succeed<StorageState>("read_only"))
  })
