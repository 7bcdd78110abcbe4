/**
 * What the rows of a page must be, beside those of its list. Only what was asked for is said: plans are kept that do not know
 * the values, and of a condition that lets everything pass the planner thinks that it leaves next to nothing. It would then read
 * and sort the whole list, rather than the first few rows of it by the index.
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
 * The ids that can be in a list of what has its id made within `slackMillis` of its time: `from` is included, `before` is not. So
 * a list of old times begins there, and does not walk down to them.
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
 * The times of a list whose ids are bounded by them already. Of a comparison that said so, the planner would think that it leaves
 * few of the ids, and would then sort them.
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
