/** Settles many held items at once: one statement for items that stay held, one for done items, one for released items. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { Outcome, Work } from "@limbeck/core/queue/Queue"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as T from "../connection/PostgresTypes.ts"
import { together } from "../connection/Writes.ts"

const decodeHeld = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ partition: Schema.String, subject: Schema.String }))
)

/**
 * Looks items up one by one along the index of their names. Each lease number is unique, so the lease alone shows that a
 * locked item is still held, and identifies its outcome. $1 subjects, $2 leases, $3 partitions, $4 the topic, $5 due times.
 */
const isHeld = `
  id = ANY(ARRAY(
    SELECT item.id FROM unnest($1, $2, $3) AS held (subject, lease, partition), LATERAL (
      SELECT id FROM work
      WHERE topic = $4 AND subject = held.subject AND partition = held.partition AND lease = held.lease LIMIT 1
    ) item
  )) AND lease = ANY($2)`
const dueAt = "($5)[array_position($2, lease)]"

const statements = {
  held: `SELECT partition, subject FROM work WHERE ${isHeld} ORDER BY id FOR UPDATE`,
  done: `DELETE FROM work WHERE ${isHeld} RETURNING partition, subject`,
  due: `
    UPDATE work SET due_at = ${dueAt}, ready_at = ${dueAt}, lease = NULL
    WHERE ${isHeld} RETURNING partition, subject`
}

const kindOf = ({ next }: Outcome): keyof typeof statements => (typeof next === "number" ? "due" : next)

const keyOf = ({ partition, subject }: { readonly partition: string; readonly subject: string }) =>
  `${partition} ${subject}`

export const make = (sql: PgClient.PgClient) => {
  const statementOf = (outcomes: ReadonlyArray<Outcome>) => {
    // Outcomes of one topic and kind; a group is never empty.
    const kind = kindOf(outcomes[0]!)
    const works = outcomes.map(({ work }) => work)
    return sql.unsafe(statements[kind], [
      T.texts(works.map(({ subject }) => subject)),
      T.ints(works.map(({ lease }) => lease)),
      T.texts(works.map(({ partition }) => partition.key)),
      T.text(works[0]!.topic),
      ...(kind === "due" ? [T.ints(outcomes.map(({ next }) => Number(next)))] : [])
    ])
  }

  /** Returns the items whose lease is lost. */
  return Effect.fnUntraced(function* (outcomes: ReadonlyArray<Outcome>) {
    const groups = [...Map.groupBy(outcomes, (outcome) => `${kindOf(outcome)} ${outcome.work.topic}`).values()]
    const answers = yield* together(sql, groups.map(statementOf))
    const lost = yield* Effect.forEach(groups, (group, index) =>
      Effect.map(decodeHeld(answers[index]), (rows): ReadonlyArray<Work> => {
        const held = new Set(rows.map(keyOf))
        return group
          .map(({ work }) => work)
          .filter(({ partition, subject }) => !held.has(keyOf({ partition: partition.key, subject })))
      })
    )
    return lost.flat()
  })
}
