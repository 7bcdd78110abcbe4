/**
 * The conditions of a page's rows, beside those of its list. Includes only the conditions in use: cached plans do not know
 * the values, and the planner expects a condition that passes everything to leave almost no rows. It would then read and
 * sort the whole list instead of the first few rows by the index.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Id from "@limbeck/core/ids/Id"
import type { PageRequest } from "@limbeck/core/pages/Page"
import type { Fragment } from "effect/sql/Statement"
import * as T from "../connection/PostgresTypes.ts"

export const of = (sql: PgClient.PgClient, request: PageRequest): ReadonlyArray<Fragment> => {
  const { after, createdAfter, createdBefore } = request
  return [
    ...(after === null ? [] : [sql`id < ${T.text(after)}`]),
    ...(createdAfter === null ? [] : [sql`created_at > ${T.int(createdAfter)}`]),
    ...(createdBefore === null ? [] : [sql`created_at < ${T.int(createdBefore)}`])
  ]
}

const least = (a: string, b: string) => (a < b ? a : b)

/**
 * The ids that a list bounded by time can hold, for ids made within `slackMillis` of their time: `from` is inclusive,
 * `before` is exclusive. A list of old times so begins at its first id, without walking down to it.
 */
export const idsOf = (
  prefix: string,
  slackMillis: number,
  { after, createdAfter, createdBefore }: Omit<PageRequest, "limit">
) => ({
  from: createdAfter === null ? "" : Id.floorAt(prefix, createdAfter - slackMillis),
  before: least(
    after ?? T.lastText,
    createdBefore === null ? T.lastText : Id.floorAt(prefix, createdBefore + slackMillis)
  )
})

/**
 * The time conditions of a list whose ids are already bounded. A plain comparison would make the planner expect few of the
 * ids, and sort them.
 */
export const inTime = (
  sql: PgClient.PgClient,
  { createdAfter, createdBefore }: Pick<PageRequest, "createdAfter" | "createdBefore">
): ReadonlyArray<Fragment> => {
  const [first, last] = [T.int(createdAfter ?? 0), T.int(createdBefore ?? 0)]
  return [
    ...(createdAfter === null ? [] : [sql`greatest(created_at, ${first}) <> ${first}`]),
    ...(createdBefore === null ? [] : [sql`least(created_at, ${last}) <> ${last}`])
  ]
}
