/** IdempotencyStore in memory. A key is held from before its transaction begins until after it has ended. */
import { IdempotencyKeyInFlight } from "@limbeck/core/errors/Errors"
import type { IdempotencyRecord } from "@limbeck/core/idempotency/Idempotency"
import { IdempotencyStore } from "@limbeck/core/idempotency/IdempotencyStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DueIndex } from "../database/Due.ts"
import type { MemoryDatabase } from "../database/MemoryDatabase.ts"
import { keyOf, Table } from "../database/Table.ts"

export const make = (db: MemoryDatabase): IdempotencyStore["Service"] => {
  const held = new Set<string>()
  const records = new Table<IdempotencyRecord>()
  const expiries = new DueIndex()

  const hold = (key: string) =>
    Effect.suspend(() => {
      if (held.has(key)) return Effect.fail(new IdempotencyKeyInFlight({}))
      held.add(key)
      return Effect.succeed(key)
    })

  return IdempotencyStore.of({
    exclusively: (partition, key, use) =>
      Effect.acquireUseRelease(
        hold(keyOf(partition.key, key)),
        () => db.transaction(use),
        (key) => db.atEnd(() => held.delete(key))
      ),
    find: (partition, key) => db.sync(() => Option.fromUndefinedOr(records.get(keyOf(partition.key, key)))),
    record: (partition, record) =>
      db.sync((undoLog) => {
        const key = keyOf(partition.key, record.key)
        expiries.move(undoLog, key, records.get(key)?.expiresAt ?? null, record.expiresAt)
        records.set(undoLog, key, record)
      }),
    sweep: (now, limit) =>
      db.sync((undoLog) => {
        const expired = expiries.upTo(now - 1, limit)
        for (const key of expired) {
          expiries.move(undoLog, key, records.get(key)!.expiresAt, null)
          records.delete(undoLog, key)
        }
        return expired.length
      })
  })
}
