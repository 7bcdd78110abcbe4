/** What was said of calls. It is joined to a call when it is read, because a call may come after what is said of it. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Page from "@limbeck/core/pages/Page"
import type { CallStore } from "@limbeck/gateway/capture/CallStore"
import { Feedback } from "@limbeck/gateway/capture/Feedback"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Fragment } from "effect/sql/Statement"
import * as CallTexts from "./CallTexts.ts"
import { failAs } from "./PostgresError.ts"
import * as T from "./PostgresTypes.ts"

const decodeFeedback = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ ...Feedback.fields, comment: Schema.NullOr(CallTexts.Text) }))
)

export const make = (sql: PgClient.PgClient): Pick<CallStore["Service"], "insertFeedback" | "pageFeedback"> => ({
  insertFeedback: Effect.fnUntraced(function* (partition, { call, comment, createdAt, externalId, id, name, value }) {
    yield* sql`
      INSERT INTO call_feedback (partition, id, call, external_id, name, value, comment, created_at)
      VALUES (${partition.key}, ${T.text(id)}, ${T.textOrNull(call)}, ${T.textOrNull(externalId)}, ${T.text(name)},
        ${T.float(value)}, ${CallTexts.textOrNull(comment)}, ${T.int(createdAt)})`
  }, failAs("CallStore.insertFeedback")),

  pageFeedback: Effect.fnUntraced(function* (partition, { call, externalId, name }, request) {
    const { after, createdAfter, createdBefore } = request
    const limit = T.int(request.limit + 1)
    const clauses = [
      sql`partition = ${partition.key} AND id < ${T.text(after ?? T.lastText)}`,
      createdAfter === null ? undefined : sql`created_at > ${T.int(createdAfter)}`,
      createdBefore === null ? undefined : sql`created_at < ${T.int(createdBefore)}`,
      externalId === undefined ? undefined : sql`external_id = ${T.text(externalId)}`,
      name === undefined ? undefined : sql`name = ${T.text(name)}`
    ].filter((clause) => clause !== undefined)
    const newest = (...also: ReadonlyArray<Fragment>) => sql`(
      SELECT id, call, external_id AS "externalId", name, value, comment, created_at AS "createdAt" FROM call_feedback
      WHERE ${sql.and([...clauses, ...also])} ORDER BY id DESC LIMIT ${limit})`
    const ofCall = (id: string) => sql`
      ${newest(sql`call = ${T.text(id)}`)}
      UNION ALL
      ${newest(
        sql`call IS DISTINCT FROM ${T.text(id)}`,
        sql`external_id = (SELECT external_id FROM calls WHERE partition = ${partition.key} AND id = ${T.text(id)})`
      )}
      ORDER BY id DESC LIMIT ${limit}`
    const rows = yield* call === undefined ? newest() : ofCall(call)
    return Page.fromRows(yield* decodeFeedback(rows), request.limit)
  }, failAs("CallStore.pageFeedback"))
})
