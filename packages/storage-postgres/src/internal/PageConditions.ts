/**
 * What the rows of a page must be, beside those of its list. Only what was asked for is said: plans are kept that do not know
 * the values, and of a condition that lets everything pass the planner thinks that it leaves next to nothing. It would then read
 * and sort the whole list, rather than the first few rows of it by the index.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { PageRequest } from "@limbeck/core/pages/Page"
import type { Fragment } from "effect/sql/Statement"
import * as T from "./PostgresTypes.ts"

export const of = (sql: PgClient.PgClient, request: PageRequest): ReadonlyArray<Fragment> => {
  const { after, createdAfter, createdBefore } = request
  return [
    ...(after === null ? [] : [sql`id < ${T.text(after)}`]),
    ...(createdAfter === null ? [] : [sql`created_at > ${T.int(createdAfter)}`]),
    ...(createdBefore === null ? [] : [sql`created_at < ${T.int(createdBefore)}`])
  ]
}
