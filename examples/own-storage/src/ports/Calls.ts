/** CallStore: captured calls. Shadow results, feedback and figures have files of their own. */
import { dateOf } from "@limbeck/billing/ledger/LedgerRules"
import {
  type CallFilter,
  type CallScan,
  CallStore,
  type InPartition,
  RecordRefused,
  refusedField
} from "@limbeck/capture/call/CallStore"
import { CallEndpoint, CapturedCall, Outcome, ServedBy } from "@limbeck/capture/call/CapturedCall"
import { CaptureLimits } from "@limbeck/capture/Limits"
import type { PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Connection } from "../sqlite/Connection.ts"
import type { Database } from "../sqlite/Database.ts"
import { limitsFilter, newest } from "../sqlite/Pages.ts"
import { and, ifPresent, list, type Sql, sql } from "../sqlite/Sql.ts"
import { Text, encodeText as text } from "../sqlite/Texts.ts"
import * as CallFigures from "./CallFigures.ts"
import * as Feedbacks from "./Feedbacks.ts"
import * as Shadows from "./Shadows.ts"
import * as Tallies from "./Tallies.ts"
import * as UsageRows from "./UsageRows.ts"

/** Calls per step of a scan, unless they are large. */
const callsPerStep = 500

const { request: _, response: __, ...factFields } = CapturedCall.fields
const Facts = Schema.fromJsonString(Schema.Struct(factFields))
const encodeFacts = Schema.encodeSync(Facts)

const Row = Schema.Struct({ facts: Facts, request: Text, response: Schema.NullOr(Text) })
const Kind = Schema.Struct({
  endpoint: CallEndpoint,
  servedBy: ServedBy,
  outcome: Outcome,
  deployment: Schema.NullOr(Schema.String),
  verifies: Schema.BooleanFromBit,
  calls: Schema.Int
})
const Old = Schema.Struct({ partition: Schema.String, id: Schema.String })

const callOf = ({ facts, request, response }: typeof Row.Type): CapturedCall => ({ ...facts, request, response })

const of = (partition: Partition): Sql => sql`partition = ${partition.key}`

/** A fact of the call in the form of `->`: JSON holds every string, and equal JSON is the same string. */
const isFact = (path: string) => (value: string) => sql`facts -> ${path} = ${JSON.stringify(value)}`

const passing = (filter: CallFilter): Sql =>
  and([
    ifPresent(filter.source, isFact("$.source")),
    ifPresent(filter.model, isFact("$.model")),
    ifPresent(filter.outcome, isFact("$.outcome")),
    filter.endpoints?.length ? sql`facts ->> '$.endpoint' IN ${list(filter.endpoints)}` : sql`TRUE`,
    ifPresent(filter.deployment, (deployment) => sql`deployment = ${deployment}`),
    ifPresent(filter.externalId, (externalId) => sql`external_id = ${text(externalId)}`),
    ifPresent(filter.verifies, (verifies) =>
      verifies ? sql`facts ->> '$.verifies' IS NOT NULL` : sql`facts ->> '$.verifies' IS NULL`
    ),
    filter.servedBy?.length ? sql`facts ->> '$.servedBy' IN ${list(filter.servedBy)}` : sql`TRUE`,
    ...(filter.tags ?? []).map((tag) => sql`EXISTS (SELECT 1 FROM json_each(facts, '$.tags') WHERE value = ${tag})`),
    ...(filter.withoutTags ?? []).map(
      (tag) => sql`NOT EXISTS (SELECT 1 FROM json_each(facts, '$.tags') WHERE value = ${tag})`
    )
  ])

const isWellSaidOf = (min: number): Sql => sql`
  EXISTS (
    SELECT 1 FROM feedback
    WHERE feedback.partition = calls.partition AND feedback.call = calls.id AND value >= ${min}
    UNION ALL
    SELECT 1 FROM feedback
    WHERE feedback.partition = calls.partition AND feedback.external_id = calls.external_id AND value >= ${min}
  )`

/** Returns whether the call is new, and counts it then. */
const insert = (connection: Connection, { partition, value }: InPartition<CapturedCall>): boolean => {
  const { request, response, ...facts } = value
  const externalId = value.externalId === null ? null : text(value.externalId)
  const written = connection.run(sql`
    INSERT OR IGNORE INTO calls VALUES (
      ${partition.key}, ${value.id}, ${value.createdAt}, ${externalId}, ${value.deployment}, ${encodeFacts(facts)},
      ${text(request)}, ${response === null ? null : text(response)}
    )`)
  if (written === 0) return false
  UsageRows.add(connection, partition, {
    date: dateOf(value.createdAt),
    kind: "captured_calls",
    quantity: 1,
    micros: 0
  })
  Tallies.add(connection, partition, value)
  return true
}

const page = (connection: Connection, condition: Sql, request: PageRequest) => {
  const wanted = newest(sql`facts IS NOT NULL AND ${condition}`, request)
  const rows = connection.each(Row, sql`SELECT facts, request, response FROM calls WHERE ${wanted}`)
  const found = limitsFilter(rows, {
    limit: request.limit,
    bytesMax: CaptureLimits.callPageBytesMax,
    sizeOf: ({ request, response }) => request.length + (response?.length ?? 0)
  })
  return { items: found.items.map(callOf), hasMore: found.hasMore }
}

const prune = (connection: Connection, createdBefore: number, limit: number): number => {
  const old = connection.all(
    Old,
    sql`SELECT partition, id FROM calls WHERE created_at < ${createdBefore} ORDER BY created_at, id LIMIT ${limit}`
  )
  for (const { id, partition } of old) {
    for (const table of [sql`shadows`, sql`feedback`]) {
      connection.run(sql`DELETE FROM ${table} WHERE partition = ${partition} AND call = ${id}`)
    }
    connection.run(sql`DELETE FROM calls WHERE partition = ${partition} AND id = ${id}`)
  }
  return old.length
}

const makeCalls = (db: Database) => {
  const kindsOf = (partition: Partition, { createdAfter, createdBefore, feedbackMin, ...scan }: CallScan) =>
    db.read("CallStore.kindsOf", (connection) =>
      connection.all(
        Kind,
        sql`
        SELECT facts ->> '$.endpoint' AS endpoint, facts ->> '$.servedBy' AS servedBy,
          facts ->> '$.outcome' AS outcome, coalesce(facts ->> '$.verifies.deployment', deployment) AS deployment,
          facts ->> '$.verifies' IS NOT NULL AS verifies, count(*) AS calls
        FROM calls
        WHERE ${and([
          of(partition),
          sql`facts IS NOT NULL`,
          passing(scan),
          ifPresent(feedbackMin, isWellSaidOf),
          ifPresent(createdAfter, (at) => sql`created_at > ${at}`),
          ifPresent(createdBefore, (at) => sql`created_at < ${at}`)
        ])}
        GROUP BY 1, 2, 3, 4, 5`
      )
    )

  const step = (partition: Partition, { feedbackMin, ...scan }: CallScan, after: string | null) =>
    db.read("CallStore.scan", (connection) => {
      const wanted = sql`${of(partition)} AND ${passing(scan)} AND ${ifPresent(feedbackMin, isWellSaidOf)}`
      return page(connection, wanted, { ...scan, limit: callsPerStep, after })
    })

  return {
    append: Effect.fnUntraced(function* (calls: ReadonlyArray<InPartition<CapturedCall>>) {
      const refused = calls.map(({ value }) => refusedField(value)).find((field) => field !== null)
      if (refused !== undefined) return yield* new RecordRefused({ reason: `${refused} is too long` })
      return yield* db.write("CallStore.append", (connection) => {
        const added = calls.filter((call) => insert(connection, call))
        return new Set(added.map(({ value }): string => value.id))
      })
    }),
    find: (partition: Partition, id: string) =>
      db.read("CallStore.find", (connection) => {
        const there = sql`${of(partition)} AND id = ${id} AND facts IS NOT NULL`
        const row = connection.first(Row, sql`SELECT facts, request, response FROM calls WHERE ${there}`)
        return Option.map(Option.fromUndefinedOr(row), callOf)
      }),
    page: (partition: Partition, filter: CallFilter, request: PageRequest) =>
      db.read("CallStore.page", (connection) =>
        page(connection, sql`${of(partition)} AND ${passing(filter)}`, request)
      ),
    scan: (partition: Partition, scan: CallScan) =>
      Stream.paginate(null as string | null, (after) =>
        Effect.map(step(partition, scan, after), ({ hasMore, items }) => [
          items,
          hasMore ? Option.fromUndefinedOr(items.at(-1)?.id) : Option.none()
        ])
      ),
    kindsOf,
    remove: (partition: Partition, id: string) =>
      db.write("CallStore.remove", (connection) => {
        connection.run(sql`DELETE FROM shadows WHERE ${of(partition)} AND call = ${id}`)
        const removed = connection.run(sql`
          UPDATE calls SET facts = NULL, request = NULL, response = NULL, external_id = NULL, deployment = NULL
          WHERE ${of(partition)} AND id = ${id} AND facts IS NOT NULL`)
        return removed === 1
      }),
    prune: (createdBefore: number, limit: number) =>
      db.write("CallStore.prune", (connection) => prune(connection, createdBefore, limit))
  }
}

export const make = (db: Database): CallStore["Service"] =>
  CallStore.of({
    ...makeCalls(db),
    ...Tallies.make(db),
    ...Shadows.make(db),
    ...Feedbacks.make(db),
    ...CallFigures.make(db)
  })
