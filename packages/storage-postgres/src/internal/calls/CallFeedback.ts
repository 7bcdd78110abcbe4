/** Feedback on calls. Reads join feedback to its call, because feedback may arrive before the call. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { CallStore } from "@limbeck/capture/call/CallStore"
import { Feedback, Giver } from "@limbeck/capture/feedback/Feedback"
import * as Page from "@limbeck/core/pages/Page"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Fragment } from "effect/sql/Statement"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import * as CallTexts from "./CallTexts.ts"

const decodeFeedback = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      ...Feedback.fields,
      comment: Schema.NullOr(CallTexts.Text),
      question: Schema.NullOr(CallTexts.Text),
      prompt: Schema.NullOr(Schema.String),
      givenBy: Schema.NullOr(Giver)
    })
  )
)

const toFeedback = ({
  givenBy,
  prompt,
  ...feedback
}: Effect.Success<ReturnType<typeof decodeFeedback>>[number]): Feedback => ({
  ...feedback,
  ...(prompt === null ? {} : { prompt }),
  ...(givenBy === null ? {} : { givenBy })
})

const decodeUnjoined = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ kept: Schema.Int, dropped: Schema.Int })])
)

type Methods = "insertFeedback" | "removeFeedback" | "dropUnjoined" | "pageFeedback"

export const make = (sql: PgClient.PgClient): Pick<CallStore["Service"], Methods> => ({
  insertFeedback: Effect.fnUntraced(function* (partition, feedback, awaitsCall = false) {
    const {
      call,
      comment,
      createdAt,
      externalId,
      givenBy = null,
      id,
      name,
      prompt = null,
      question = null,
      value
    } = feedback
    const inserted = yield* sql`
      INSERT INTO call_feedback (partition, id, call, external_id, name, value, comment, question, prompt, given_by, created_at, awaits_call)
      SELECT ${partition.key}, ${T.text(id)}, ${T.textOrNull(call)}, ${T.textOrNull(externalId)}, ${T.text(name)},
        ${T.float(value)}, ${CallTexts.textOrNull(comment)}, ${CallTexts.textOrNull(question)}, ${T.textOrNull(prompt)},
        ${T.json(givenBy)}, ${T.int(createdAt)}, ${awaitsCall}::boolean
      WHERE NOT ${awaitsCall}::boolean OR NOT EXISTS (
        SELECT FROM calls WHERE partition = ${partition.key} AND id = ${T.textOrNull(call)} AND removed)
      RETURNING 1`
    return inserted.length > 0
  }, failAs("CallStore.insertFeedback")),

  removeFeedback: Effect.fnUntraced(function* (partition, id) {
    const removed = yield* sql`
      DELETE FROM call_feedback WHERE partition = ${partition.key} AND id = ${T.text(id)} RETURNING 1`
    return removed.length > 0
  }, failAs("CallStore.removeFeedback")),

  dropUnjoined: Effect.fnUntraced(function* (createdBefore, limit) {
    const [unjoined] = yield* decodeUnjoined(
      yield* sql`
        WITH due AS MATERIALIZED (
          SELECT ctid AS place, external_id IS NOT NULL OR EXISTS (
            SELECT FROM calls c WHERE c.partition = f.partition AND c.id = f.call) AS stays
          FROM call_feedback f WHERE awaits_call AND created_at < ${T.int(createdBefore)}
          ORDER BY created_at LIMIT ${T.int(limit)} FOR UPDATE SKIP LOCKED
        ), kept AS (
          UPDATE call_feedback SET awaits_call = false
          WHERE ctid = ANY(ARRAY(SELECT place FROM due WHERE stays)) RETURNING 1
        ), dropped AS (
          DELETE FROM call_feedback WHERE ctid = ANY(ARRAY(SELECT place FROM due WHERE NOT stays)) RETURNING 1
        )
        SELECT (SELECT count(*) FROM kept)::int AS kept, (SELECT count(*) FROM dropped)::int AS dropped`
    )
    return unjoined
  }, failAs("CallStore.dropUnjoined")),

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
      SELECT id, call, external_id AS "externalId", name, value, comment, question, prompt,
        given_by AS "givenBy", created_at AS "createdAt" FROM call_feedback
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
    return Page.fromRows((yield* decodeFeedback(rows)).map(toFeedback), request.limit)
  }, failAs("CallStore.pageFeedback"))
})
