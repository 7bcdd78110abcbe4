/** Queue on Postgres: claims that skip locked items, lease numbers from one sequence, doorbells by notification. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { LeaseLost, Queue, type Work } from "@limbeck/core/queue/Queue"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import type { Doorbells } from "../connection/Doorbells.ts"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import { hold } from "../connection/Writes.ts"
import * as HostTransaction from "../transactions/HostTransaction.ts"
import * as QueueClaims from "./QueueClaims.ts"
import * as QueueOutcomes from "./QueueOutcomes.ts"

const decodeNext = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ at: Schema.NullOr(Millis) })]))

export const make = (sql: PgClient.PgClient, doorbells: Doorbells): Queue["Service"] => {
  const claim = QueueClaims.make(sql)
  const conclude = QueueOutcomes.make(sql)

  const heldBy = ({ lease, partition, subject, topic }: Work) => sql`
    topic = ${topic} AND subject = ${T.text(subject)} AND partition = ${partition.key} AND lease = ${T.int(lease)}`

  const nextOf = (topic: string) => sql`SELECT min(ready_at) AS at FROM work WHERE topic = ${topic}`

  /** One index step for each partition, however many items the excepted ones have. */
  const nextBeside = (topic: string, except: ReadonlyArray<string>) => sql`
    WITH RECURSIVE waiting AS (
      (SELECT partition FROM work WHERE topic = ${topic} ORDER BY partition || '' LIMIT 1)
      UNION ALL
      SELECT (SELECT next.partition FROM work next WHERE topic = ${topic} AND next.partition || '' > waiting.partition
        ORDER BY next.partition || '' LIMIT 1)
      FROM waiting WHERE waiting.partition IS NOT NULL
    )
    SELECT min(first.ready_at) AS at FROM waiting, LATERAL (
      SELECT ready_at FROM work WHERE topic = ${topic} AND partition || '' = waiting.partition
      ORDER BY ready_at, subject LIMIT 1
    ) first
    WHERE split_part(waiting.partition, '.', 1) <> ALL(${T.texts(except)})`

  /** A write under a lease returns a row, or the lease is lost. */
  const fenced = Effect.fnUntraced(function* (
    { subject, topic }: Work,
    write: Effect.Effect<ReadonlyArray<unknown>, SqlError>
  ) {
    const rows = yield* write
    if (rows.length === 0) return yield* new LeaseLost({ topic, subject })
  })

  return Queue.of({
    offer: Effect.fnUntraced(function* (partition, topic, subject, dueAt) {
      const due = T.int(dueAt)
      yield* hold(
        sql,
        "Queue.offer"
      )(sql`
        INSERT INTO work (partition, topic, subject, due_at, ready_at)
        VALUES (${partition.key}, ${topic}, ${T.text(subject)}, ${due}, ${due})
        ON CONFLICT (topic, subject, partition) DO UPDATE
        SET due_at = excluded.due_at, ready_at = excluded.ready_at, lease = NULL`)
    }, failAs("Queue.offer")),

    claim: (options) => failAs("Queue.claim")(claim(options)),

    extend: Effect.fnUntraced(function* (work, leaseUntil) {
      yield* fenced(work, sql`UPDATE work SET ready_at = ${T.int(leaseUntil)} WHERE ${heldBy(work)} RETURNING 1`)
    }, failAs("Queue.extend")),

    guard: Effect.fnUntraced(function* (work) {
      yield* fenced(work, sql`SELECT 1 FROM work WHERE ${heldBy(work)} FOR UPDATE`)
    }, failAs("Queue.guard")),

    settle: Effect.fnUntraced(function* (work) {
      yield* fenced(work, sql`DELETE FROM work WHERE ${heldBy(work)} RETURNING 1`)
    }, failAs("Queue.settle")),

    release: Effect.fnUntraced(function* (work, dueAt) {
      const due = T.int(dueAt)
      yield* fenced(
        work,
        sql`UPDATE work SET due_at = ${due}, ready_at = ${due}, lease = NULL WHERE ${heldBy(work)} RETURNING 1`
      )
    }, failAs("Queue.release")),

    conclude: (outcomes) => failAs("Queue.conclude")(conclude(outcomes)),

    withdraw: Effect.fnUntraced(function* (partition, topic, subject) {
      yield* hold(
        sql,
        "Queue.withdraw"
      )(sql`
        DELETE FROM work WHERE topic = ${topic} AND subject = ${T.text(subject)} AND partition = ${partition.key}`)
    }, failAs("Queue.withdraw")),

    pullForward: Effect.fnUntraced(function* (topic, { latest, leaseUntil, now }) {
      const moved = yield* sql`
        UPDATE work SET ready_at = CASE WHEN lease IS NULL THEN ${T.int(now)} ELSE ${T.int(leaseUntil)} END
        WHERE id = ANY(ARRAY(
          SELECT id FROM work WHERE topic = ${topic} AND ready_at > ${T.int(latest)} FOR UPDATE SKIP LOCKED
        )) RETURNING 1`
      return moved.length
    }, failAs("Queue.pullForward")),

    nextDueAt: Effect.fnUntraced(function* (topic, except = []) {
      const [{ at }] = yield* decodeNext(yield* except.length === 0 ? nextOf(topic) : nextBeside(topic, except))
      return at
    }, failAs("Queue.nextDueAt")),

    nudge: (topic, whom) =>
      Effect.flatMap(HostTransaction.surrounding(sql), (hosted) =>
        // A failed host connection ends the whole transaction, so its error is ignored here.
        hosted === undefined
          ? sql.afterCommit(doorbells.ring(topic, whom))
          : Effect.ignore(doorbells.ringAtCommit(topic))
      ),
    doorbell: doorbells.open
  })
}
