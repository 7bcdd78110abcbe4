/**
 * Which items of a queue a claim takes, and in which order: the oldest of all, or, in turns, the oldest of each partition
 * before the second of any.
 *
 *     partitions that wait, by key:    A: a1 a2 a3     C: c1     F: f1 f2
 *     behind = "B", limit = 4:         C, F, then around to A:  1st of each  c1 f1 a1,  2nd of each  f2
 *     returned, by partition:          c1, f1 f2, a1
 *     held = { F: 1 }:                 c1 a1 before f1, which is a second of its workspace
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { compileOnUse } from "@limbeck/core/json/CompiledSchema"
import { fromKey } from "@limbeck/core/partition/Partition"
import type { Claim, ClaimTurns, Work } from "@limbeck/core/queue/Queue"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as T from "../connection/PostgresTypes.ts"

const Claimed = Schema.Struct({ partition: Schema.String, subject: Schema.String, dueAt: Millis, lease: Schema.Int })
type Claimed = typeof Claimed.Type
const decodeClaims = Schema.decodeUnknownEffect(compileOnUse(Schema.Array(Claimed)))

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** An update returns its rows in any order. */
const byAge = (a: Claimed, b: Claimed) =>
  a.dueAt - b.dueAt || byText(a.partition, b.partition) || byText(a.subject, b.subject)

/** The partitions behind `behind` first, then those from the start up to it. */
const byTurn = (behind: string) => (a: Claimed, b: Claimed) =>
  Number(a.partition <= behind) - Number(b.partition <= behind) || byText(a.partition, b.partition) || byAge(a, b)

/** Partitions of a workspace. */
const modes = 2

const oldest = (sql: PgClient.PgClient, { limit, now, topic }: Claim) => sql`
  SELECT id FROM work WHERE topic = ${topic} AND ready_at <= ${T.int(now)}
  ORDER BY ready_at, partition, subject LIMIT ${T.int(limit)} FOR UPDATE SKIP LOCKED`

/**
 * Four steps, the first two along an index:
 *  1. `turns` walks from partition to partition with due work, one index step each, never over the items between: from
 *     `behind` to the last key, then `around` from the first key up to `behind`. The wrap-around is a row of its own, with
 *     an empty partition. The walk stops after as many partitions as wanted items, since each gives at least one; it
 *     excludes workspaces that already have their share.
 *  2. `oldest` are the oldest items of each partition, at most as many as its workspace may have of the free slots if
 *     alone.
 *  3. `placed` orders first by the items under way per workspace, these included: `load`. An item is chosen if its
 *     workspace's share fits after all earlier items have begun. The law is `fits` of Shares: load <= free - (place - 1).
 *  4. The chosen items are locked last, because Postgres locks no rows that a window function has numbered. Items taken by
 *     a faster claim are missing from this one.
 * `partition || ''` is the expression of the index of turns, so that the planner uses no other index.
 */
const inTurns = (sql: PgClient.PgClient, { limit, now, topic }: Claim, { behind, free, held }: ClaimTurns) => {
  const [due, most] = [T.int(now), T.int(limit)]
  const counts = [...held]
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
        WHERE turn <= ${T.int(limit + modes * held.size)}
      ), held AS (
        SELECT workspace, count FROM unnest(
          ${T.texts(counts.map(([workspace]) => workspace))}, ${T.ints(counts.map(([, count]) => count))}
        ) AS held (workspace, count)
      ), waiting AS (
        SELECT turns.partition, turn, split_part(turns.partition, '.', 1) AS workspace, coalesce(held.count, 0) AS held
        FROM turns LEFT JOIN held ON held.workspace = split_part(turns.partition, '.', 1) WHERE turn > 0
      ), oldest AS (
        SELECT item.id, turn, waiting.held + row_number() OVER (PARTITION BY workspace ORDER BY nth, turn) AS load
        FROM waiting, LATERAL (
          SELECT id, row_number() OVER (ORDER BY ready_at, subject) AS nth FROM work
          WHERE topic = ${topic} AND partition || '' = waiting.partition AND ready_at <= ${due}
          ORDER BY ready_at, subject LIMIT greatest(0, least(${most}, (${T.int(free)} + 1 - waiting.held) / 2))
        ) item
      ), placed AS (
        SELECT id, load, row_number() OVER (ORDER BY load, turn) AS place FROM oldest
      )
      SELECT id FROM placed WHERE load <= ${T.int(free)} - (place - 1) ORDER BY place LIMIT ${most}
    )) FOR UPDATE SKIP LOCKED`
}

/** Claims of one topic. */
export const make = (sql: PgClient.PgClient) =>
  Effect.fnUntraced(function* (options: Claim) {
    const { leaseUntil, topic, turns } = options
    const chosen = turns === undefined ? oldest(sql, options) : inTurns(sql, options, turns)
    const rows = yield* sql`
      UPDATE work SET due_at = ready_at, ready_at = ${T.int(leaseUntil)}, lease = nextval('leases')
      WHERE id = ANY(ARRAY(${chosen}))
      RETURNING partition, subject, due_at AS "dueAt", lease`
    return (yield* decodeClaims(rows))
      .toSorted(turns === undefined ? byAge : byTurn(turns.behind))
      .map(({ lease, partition, subject }): Work => ({ partition: fromKey(partition), topic, subject, lease }))
  })
