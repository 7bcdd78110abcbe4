/** Part of CallStore: feedback on calls, by id or by the caller's own key. Feedback may precede its call. */
import type { FeedbackFilter } from "@limbeck/capture/call/CallStore"
import { Feedback } from "@limbeck/capture/feedback/Feedback"
import * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Schema from "effect/Schema"
import { Body } from "../sqlite/Body.ts"
import type { Connection } from "../sqlite/Connection.ts"
import type { Database } from "../sqlite/Database.ts"
import { newest } from "../sqlite/Pages.ts"
import { and, ifPresent, type Sql, sql } from "../sqlite/Sql.ts"
import { encodeText as text } from "../sqlite/Texts.ts"

const feedbacks = new Body(Feedback)
const One = Schema.Struct({ one: Schema.Literal(1) })
const Awaiting = Schema.Struct({ row: Schema.Int, isLost: Schema.BooleanFromBit })

const of = (partition: Partition): Sql => sql`partition = ${partition.key}`
const textOrNull = (value: string | null) => (value === null ? null : text(value))

const insert = (connection: Connection, partition: Partition, feedback: Feedback, awaitsCall: boolean) => {
  const { call, createdAt, externalId, id, name, value } = feedback
  connection.run(sql`
    INSERT INTO feedback VALUES (
      ${partition.key}, ${id}, ${createdAt}, ${textOrNull(call)}, ${textOrNull(externalId)}, ${text(name)}, ${value},
      ${awaitsCall}, ${feedbacks.encode(feedback)}
    )`)
}

const isRemoved = (connection: Connection, partition: Partition, call: string): boolean =>
  connection.first(One, sql`SELECT 1 AS one FROM calls WHERE ${of(partition)} AND id = ${call} AND facts IS NULL`) !==
  undefined

/** Feedback on the call's id or external id. */
const isAbout =
  (partition: Partition) =>
  (call: string): Sql =>
    sql`
  (call = ${call} OR external_id = (SELECT external_id FROM calls WHERE ${of(partition)} AND id = ${call}))`

const dropUnjoined = (connection: Connection, createdBefore: number, limit: number) => {
  const due = connection.all(
    Awaiting,
    sql`
    SELECT rowid AS row, external_id IS NULL AND NOT EXISTS (
      SELECT 1 FROM calls WHERE calls.partition = feedback.partition AND calls.id = feedback.call
    ) AS isLost
    FROM feedback WHERE awaits_call AND created_at < ${createdBefore} ORDER BY created_at, id LIMIT ${limit}`
  )
  for (const { isLost, row } of due) {
    connection.run(
      isLost
        ? sql`DELETE FROM feedback WHERE rowid = ${row}`
        : sql`UPDATE feedback SET awaits_call = FALSE WHERE rowid = ${row}`
    )
  }
  const dropped = due.filter(({ isLost }) => isLost).length
  return { kept: due.length - dropped, dropped }
}

export const make = (db: Database) => ({
  insertFeedback: (partition: Partition, feedback: Feedback, awaitsCall = false) =>
    db.write("CallStore.insertFeedback", (connection) => {
      if (awaitsCall && feedback.call !== null && isRemoved(connection, partition, feedback.call)) return false
      insert(connection, partition, feedback, awaitsCall)
      return true
    }),
  removeFeedback: (partition: Partition, id: string) =>
    db.write(
      "CallStore.removeFeedback",
      (connection) => connection.run(sql`DELETE FROM feedback WHERE ${of(partition)} AND id = ${id}`) > 0
    ),
  dropUnjoined: (createdBefore: number, limit: number) =>
    db.write("CallStore.dropUnjoined", (connection) => dropUnjoined(connection, createdBefore, limit)),
  pruneFeedback: (createdBefore: number, limit: number) =>
    db.write("CallStore.pruneFeedback", (connection) =>
      connection.run(sql`
        DELETE FROM feedback WHERE rowid IN (
          SELECT rowid FROM feedback WHERE created_at < ${createdBefore} ORDER BY created_at, id LIMIT ${limit}
        )`)
    ),
  pageFeedback: (partition: Partition, filter: FeedbackFilter, request: Page.PageRequest) =>
    db.read("CallStore.pageFeedback", (connection) => {
      const wanted = and([
        of(partition),
        ifPresent(filter.call, isAbout(partition)),
        ifPresent(filter.externalId, (externalId) => sql`external_id = ${text(externalId)}`),
        ifPresent(filter.name, (name) => sql`name = ${text(name)}`)
      ])
      const rows = feedbacks.all(connection, sql`SELECT body FROM feedback WHERE ${newest(wanted, request)}`)
      return Page.fromRows(rows, request.limit)
    })
})
