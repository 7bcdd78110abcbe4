/**
 * Which items of a queue a claim takes, and in which order it returns them: the oldest of all, or, in turns, the oldest of each
 * partition before the second of any.
 *
 *     partitions that wait, by key:    A: a1 a2 a3     C: c1     F: f1 f2
 *     behind = "B", limit = 4:         C, F, then around to A:  1st of each  c1 f1 a1,  2nd of each  f2
 *     returned, by partition:          c1, f1 f2, a1
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { compiled } from "@limbeck/core/json/CompiledSchema"
import { fromKey } from "@limbeck/core/partition/Partition"
import type { Claim, Work } from "@limbeck/core/queue/Queue"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as T from "./PostgresTypes.ts"

const Claimed = Schema.Struct({ partition: Schema.String, subject: Schema.String, dueAt: Millis, lease: Schema.Int })
type Claimed = typeof Claimed.Type
const decodeClaims = Schema.decodeUnknownEffect(compiled(Schema.Array(Claimed)))

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** An update returns its rows in any order. */
const byAge = (a: Claimed, b: Claimed) =>
  a.dueAt - b.dueAt || byText(a.partition, b.partition) || byText(a.subject, b.subject)

/** The partitions behind `behind` first, then those from the start up to it. */
const byTurn = (behind: string) => (a: Claimed, b: Claimed) =>
  Number(a.partition <= behind) - Number(b.partition <= behind) || byText(a.partition, b.partition) || byAge(a, b)

const oldest = (sql: PgClient.PgClient, { limit, now, topic }: Claim) => sql`
  SELECT id FROM work WHERE topic = ${topic} AND ready_at <= ${T.int(now)}
  ORDER BY ready_at, partition, subject LIMIT ${T.int(limit)} FOR UPDATE SKIP LOCKED`

/**
 * Three steps, each along an index:
 *  1. `turns` walks from partition to partition that has something due, one index step each, never over the items between:
 *     from `behind` to the last key, then `around` from the first key up to `behind`. The turn around is a row of its own, with
 *     an empty partition. It stops after as many partitions as items are wanted, since each gives at least one.
 *  2. `ranked` takes the oldest items of each partition and numbers them; the first of every partition come before the second.
 *  3. What is chosen is locked last, because Postgres locks no rows that a window function has numbered. Where another claim
 *     was faster, this one has fewer items.
 * `partition || ''` is how the index of turns is written, so that the planner uses no other one.
 */
const inTurns = (sql: PgClient.PgClient, { limit, now, topic }: Claim, behind: string) => {
  const [due, most] = [T.int(now), T.int(limit)]
  return sql`
    SELECT id FROM work WHERE ready_at <= ${due} AND id = ANY(ARRAY(
      WITH RECURSIVE turns AS (
        SELECT ${T.text(behind)} COLLATE "C" AS partition, 0 AS turn, false AS around
        UNION ALL
        SELECT step.partition, turn + 1, step.around FROM turns, LATERAL (
          (SELECT next.partition, turns.around FROM work next
            WHERE topic = ${topic} AND next.partition || '' > turns.partition AND ready_at <= ${due}
              AND next.partition || '' <= CASE WHEN turns.around THEN ${T.text(behind)} ELSE ${T.text(T.lastText)} END
            ORDER BY next.partition || '' LIMIT 1)
          UNION ALL
          (SELECT '' COLLATE "C", true WHERE NOT turns.around)
          LIMIT 1
        ) step
        WHERE turn <= ${most}
      )
      SELECT ranked.id FROM turns, LATERAL (
        SELECT id, row_number() OVER (ORDER BY ready_at, subject) AS nth FROM work
        WHERE topic = ${topic} AND partition || '' = turns.partition AND ready_at <= ${due}
        ORDER BY ready_at, subject LIMIT ${most}
      ) ranked
      WHERE turn > 0 ORDER BY nth, turn LIMIT ${most}
    )) FOR UPDATE SKIP LOCKED`
}

/** Claims of one topic. */
export const make = (sql: PgClient.PgClient) =>
  Effect.fnUntraced(function* (options: Claim) {
    const { behind, leaseUntil, topic } = options
    const chosen = behind === undefined ? oldest(sql, options) : inTurns(sql, options, behind)
    const rows = yield* sql`
      UPDATE work SET due_at = ready_at, ready_at = ${T.int(leaseUntil)}, lease = nextval('leases')
      WHERE id = ANY(ARRAY(${chosen}))
      RETURNING partition, subject, due_at AS "dueAt", lease`
    return (yield* decodeClaims(rows))
      .toSorted(behind === undefined ? byAge : byTurn(behind))
      .map(({ lease, partition, subject }): Work => ({ partition: fromKey(partition), topic, subject, lease }))
  })
