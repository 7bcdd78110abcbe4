/** The statements that find calls, newest first, each planned with the index of its filter. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { CallFilter } from "@limbeck/capture/call/CallStore"
import { ServedBy } from "@limbeck/capture/call/CapturedCall"
import type * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Fragment } from "effect/sql/Statement"
import * as T from "../connection/PostgresTypes.ts"
import * as PageConditions from "../statements/PageConditions.ts"
import { slackMillis } from "../statements/Pruning.ts"

type Bounds = Omit<Page.PageRequest, "limit">

const idsOf = (bounds: Bounds) => PageConditions.idsOf("call", slackMillis, bounds)

/** The only filter of a list, if an index exists for that filter; null: no filter; undefined: several filters. */
const onlyOf = (filter: CallFilter): { readonly column: string; readonly value: string } | null | undefined => {
  const {
    deployment,
    endpoints = [],
    externalId,
    model,
    servedBy = [],
    source,
    tags = [],
    verifies,
    ...others
  } = filter
  if (
    // Calls that verify have an index of their own, in which other filters pass over few calls.
    verifies === true ||
    tags.length > 0 ||
    endpoints.length > 0 ||
    servedBy.length > 1 ||
    Object.values(others).some((other) => other !== undefined)
  )
    return undefined
  const values = { deployment, external_id: externalId, model, served_by: servedBy[0], source }
  const [first, ...more] = Object.entries(values).flatMap(([column, value]) =>
    value === undefined ? [] : [{ column, value }]
  )
  return more.length > 0 ? undefined : (first ?? null)
}

const ofVerifying = (sql: PgClient.PgClient, { verifies }: CallFilter) => {
  if (verifies === undefined) return undefined
  return verifies ? sql`verifies IS NOT NULL` : sql`verifies IS NULL`
}

export const make = (sql: PgClient.PgClient) => {
  /**
   * A union of values filters by the excluded values, for which no index exists: the index of `served_by` orders calls by
   * value first, so its use would read and sort all of them for each page.
   */
  const servedByOneOf = (several: ReadonlyArray<ServedBy>) => {
    const [only] = several
    if (only === undefined) return undefined
    return several.length === 1
      ? sql`served_by = ${T.text(only)}`
      : sql`served_by <> ALL(${T.texts(ServedBy.literals.filter((other) => !several.includes(other)))})`
  }

  /** The statement holds only the filters in use, so that the planner picks the index of the filter. */
  const wanted = (partition: Partition, filter: CallFilter, bounds: Bounds) => {
    const { before, from } = idsOf(bounds)
    const [, ...otherTags] = filter.tags ?? []
    const { endpoints = [], withoutTags = [] } = filter
    const clauses = [
      sql`partition = ${partition.key} AND id >= ${T.text(from)} AND id < ${T.text(before)} AND NOT removed`,
      bounds.createdAfter === null ? undefined : sql`created_at > ${T.int(bounds.createdAfter)}`,
      bounds.createdBefore === null ? undefined : sql`created_at < ${T.int(bounds.createdBefore)}`,
      filter.source === undefined ? undefined : sql`source = ${T.text(filter.source)}`,
      filter.model === undefined ? undefined : sql`model = ${T.text(filter.model)}`,
      filter.externalId === undefined ? undefined : sql`external_id = ${T.text(filter.externalId)}`,
      filter.deployment === undefined ? undefined : sql`deployment = ${T.text(filter.deployment)}`,
      ofVerifying(sql, filter),
      endpoints.length === 0 ? undefined : sql`endpoint = ANY(${T.texts(endpoints)})`,
      servedByOneOf(filter.servedBy ?? []),
      // The index of outcomes leaves out the common outcome, so the condition is spelled out for the planner.
      filter.outcome === undefined ? undefined : sql`outcome = ${T.text(filter.outcome)}`,
      filter.outcome === undefined || filter.outcome === "succeeded" ? undefined : sql`outcome <> 'succeeded'`,
      otherTags.length === 0 ? undefined : sql`tags @> ${T.texts(otherTags)}`,
      withoutTags.length === 0 ? undefined : sql`NOT tags && ${T.texts(withoutTags)}`
    ]
    return { clauses: clauses.filter((clause) => clause !== undefined), before, from }
  }

  /** The newest calls that pass the filter, up to `limit`. Calls with a tag are found one by one by id. */
  const newest = (
    selected: Fragment,
    partition: Partition,
    filter: CallFilter,
    bounds: Bounds,
    limit: number,
    also: ReadonlyArray<Fragment> = []
  ) => {
    const { before, clauses, from } = wanted(partition, filter, bounds)
    const [tag] = filter.tags ?? []
    const where = sql.and([...clauses, ...also])
    if (tag === undefined) {
      return sql`SELECT ${selected} FROM calls WHERE ${where} ORDER BY id DESC LIMIT ${T.int(limit)}`
    }
    return sql`
      SELECT ${selected} FROM (
        SELECT id AS tagged FROM call_tags
        WHERE partition = ${partition.key} AND tag = ${T.text(tag)} AND id >= ${T.text(from)} AND id < ${T.text(before)}
        ORDER BY id DESC OFFSET 0) of
      CROSS JOIN LATERAL (SELECT * FROM calls WHERE ${where} AND id = tagged OFFSET 0) calls
      ORDER BY tagged DESC LIMIT ${T.int(limit)}`
  }

  /**
   * The first page of a list, with a cached plan: without a filter, or by one index. The query asks for a range of rows in
   * the full order of the index: if nearly all calls share a value, the planner would otherwise walk ids alone.
   */
  const first = (selected: Fragment, partition: Partition, filter: CallFilter, request: Page.PageRequest) => {
    const limit = request.limit + 1
    const only = onlyOf(filter)
    if (only === undefined) return newest(selected, partition, filter, request, limit)
    const { before, from } = idsOf(request)
    const owner = sql.literal(only === null ? "" : `${only.column}, `)
    const value = only === null ? sql`` : sql`${T.text(only.value)}, `
    const key = T.hideFromPlanner(sql, T.text(partition.key))
    return sql`
      SELECT ${selected} FROM calls
      WHERE ${sql.and([
        sql`(partition, ${owner}id) < (${key}, ${value}${T.text(before)})`,
        sql`(partition, ${owner}id) >= (${key}, ${value}${T.text(from)})`,
        sql`NOT removed`,
        ...(filter.verifies === false ? [sql`verifies IS NULL`] : []),
        ...(only === null ? [] : [sql`${sql.literal(only.column)} IS NOT NULL`]),
        ...PageConditions.inTime(sql, request)
      ])}
      ORDER BY partition DESC, ${only === null ? sql`` : sql`${sql.literal(only.column)} DESC, `}id DESC LIMIT ${T.few(sql, limit)}`
  }

  const wellSaid = (partition: Partition, min: number) => sql`(
    EXISTS (SELECT FROM call_feedback f
      WHERE f.partition = ${partition.key} AND f.call = calls.id AND f.value >= ${T.float(min)})
    OR EXISTS (SELECT FROM call_feedback f
      WHERE f.partition = ${partition.key} AND f.external_id = calls.external_id AND f.value >= ${T.float(min)}))`

  return { first, newest, wellSaid }
}
