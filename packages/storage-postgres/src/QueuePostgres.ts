/** Queue on Postgres: claims that skip what others hold, lease tokens of one sequence, doorbells by notification. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { fromKey } from "@limbeck/core/partition/Partition"
import { type Claim, LeaseLost, Queue, type Work } from "@limbeck/core/queue/Queue"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import type { Doorbells } from "./Doorbells.ts"
import * as HostTransaction from "./HostTransaction.ts"
import { failAs } from "./PostgresError.ts"
import * as T from "./PostgresTypes.ts"

const Claimed = Schema.Struct({ partition: Schema.String, subject: Schema.String, dueAt: Millis, lease: Schema.Int })
type Claimed = typeof Claimed.Type
const decodeClaims = Schema.decodeUnknownEffect(Schema.Array(Claimed))

const decodeNext = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ at: Schema.NullOr(Millis) })]))

/** An update answers its rows in any order. */
const inOrder = (a: Claimed, b: Claimed) =>
  a.dueAt - b.dueAt || byText(a.partition, b.partition) || byText(a.subject, b.subject)

/** Who is behind comes first, then all from the start. */
const byTurn = (behind: string, a: Claimed, b: Claimed) =>
  Number(a.partition <= behind) - Number(b.partition <= behind) || byText(a.partition, b.partition)

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

export const make = (sql: PgClient.PgClient, doorbells: Doorbells): Queue["Service"] => {
  const heldBy = ({ lease, partition, subject, topic }: Work) => sql`
    topic = ${topic} AND subject = ${T.text(subject)} AND partition = ${partition.key} AND lease = ${T.int(lease)}`

  const oldest = ({ limit, now, topic }: Claim) => sql`
    SELECT id FROM work WHERE topic = ${topic} AND ready_at <= ${T.int(now)}
    ORDER BY ready_at, partition, subject LIMIT ${T.int(limit)} FOR UPDATE SKIP LOCKED`

  /**
   * Steps from partition to partition, never over the items between: first behind `behind`, then once more from the start
   * up to it. What is chosen is locked after, because what is ranked cannot be; who lost the race for an item has fewer.
   */
  const inTurns = ({ limit, now, topic }: Claim, behind: string) => {
    const [due, most] = [T.int(now), T.int(limit)]
    return sql`
      SELECT id FROM work WHERE ready_at <= ${due} AND id = ANY(ARRAY(
        WITH RECURSIVE turns AS (
          SELECT ${T.text(behind)} COLLATE "C" AS partition, 0 AS place, false AS around
          UNION ALL
          SELECT step.partition, place + 1, step.around FROM turns, LATERAL (
            (SELECT next.partition, turns.around FROM work next
              WHERE topic = ${topic} AND next.partition || '' > turns.partition AND ready_at <= ${due}
                AND next.partition || '' <= CASE WHEN turns.around THEN ${T.text(behind)} ELSE ${T.text(T.lastText)} END
              ORDER BY next.partition || '' LIMIT 1)
            UNION ALL
            (SELECT '' COLLATE "C", true WHERE NOT turns.around)
            LIMIT 1
          ) step
          WHERE place <= ${most}
        )
        SELECT due.id FROM turns, LATERAL (
          SELECT id, row_number() OVER (ORDER BY ready_at, subject) AS nth FROM work
          WHERE topic = ${topic} AND partition || '' = turns.partition AND ready_at <= ${due}
          ORDER BY ready_at, subject LIMIT ${most}
        ) due
        WHERE place > 0 ORDER BY nth, place LIMIT ${most}
      )) FOR UPDATE SKIP LOCKED`
  }

  /** A write under a lease answers a row, or the lease is lost. */
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
      yield* sql`
        INSERT INTO work (partition, topic, subject, due_at, ready_at)
        VALUES (${partition.key}, ${topic}, ${T.text(subject)}, ${due}, ${due})
        ON CONFLICT (topic, subject, partition) DO UPDATE
        SET due_at = excluded.due_at, ready_at = excluded.ready_at, lease = NULL`
    }, failAs("Queue.offer")),

    claim: Effect.fnUntraced(function* (options) {
      const { behind, leaseUntil, topic } = options
      const rows = yield* sql`
        UPDATE work SET due_at = ready_at, ready_at = ${T.int(leaseUntil)}, lease = nextval('leases')
        WHERE id = ANY(ARRAY(${behind === undefined ? oldest(options) : inTurns(options, behind)}))
        RETURNING partition, subject, due_at AS "dueAt", lease`
      const claims = yield* decodeClaims(rows)
      return claims
        .toSorted(behind === undefined ? inOrder : (a, b) => byTurn(behind, a, b) || inOrder(a, b))
        .map(({ lease, partition, subject }) => ({ partition: fromKey(partition), topic, subject, lease }))
    }, failAs("Queue.claim")),

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

    withdraw: Effect.fnUntraced(function* (partition, topic, subject) {
      yield* sql`
        DELETE FROM work WHERE topic = ${topic} AND subject = ${T.text(subject)} AND partition = ${partition.key}`
    }, failAs("Queue.withdraw")),

    nextDueAt: Effect.fnUntraced(function* (topic) {
      const [{ at }] = yield* decodeNext(yield* sql`SELECT min(ready_at) AS at FROM work WHERE topic = ${topic}`)
      return at
    }, failAs("Queue.nextDueAt")),

    nudge: (topic) =>
      Effect.flatMap(HostTransaction.surrounding(sql), (hosted) =>
        // A failure of the host's connection ends the whole, so nobody need hear of it here.
        hosted === undefined ? sql.afterCommit(doorbells.ring(topic)) : Effect.ignore(doorbells.ringAtCommit(topic))
      ),
    doorbell: doorbells.open
  })
}
