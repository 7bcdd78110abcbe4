/**
 * Migrates a schema to the newest version: creates a missing schema, then runs the missing migrations in one transaction. A
 * session lock lets simultaneously starting servers take turns.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { StorageError } from "@limbeck/core/errors/Errors"
import * as Effect from "effect/Effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Schema from "effect/Schema"
import * as Migrator from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
import type { SessionConfig } from "../../internal/connection/Connection.ts"
import { failAs } from "../../internal/connection/PostgresError.ts"
import * as Session from "../../internal/connection/Session.ts"
import * as Core from "./0001_core.ts"
import * as Webhooks from "./0002_webhooks.ts"
import * as Distill from "./0003_distill.ts"
import * as WebhookLanes from "./0004_webhook_lanes.ts"
import * as WebhookHistory from "./0005_webhook_history.ts"
import * as RunRecords from "./0006_run_records.ts"
import * as RateBuckets from "./0007_rate_buckets.ts"
import * as BlobPieces from "./0008_blob_pieces.ts"
import * as WorkTurns from "./0009_work_turns.ts"
import * as Calls from "./0010_calls.ts"
import * as BlobReferences from "./0011_blob_references.ts"
import * as HoldoutRows from "./0012_holdout_rows.ts"
import * as TruncatedCalls from "./0013_truncated_calls.ts"
import * as AwaitedCalls from "./0014_awaited_calls.ts"
import * as Conversations from "./0015_conversations.ts"
import * as Ledger from "./0016_ledger.ts"
import * as Guards from "./0017_guards.ts"
import * as DeliveryTallies from "./0018_delivery_tallies.ts"
import * as UsageDetails from "./0019_usage_details.ts"
import * as CallAttempts from "./0020_call_attempts.ts"
import * as VerifyingCalls from "./0021_verifying_calls.ts"
import * as CallDecisions from "./0022_call_decisions.ts"
import * as CallTallies from "./0023_call_tallies.ts"
import * as FeedbackQuestions from "./0024_feedback_questions.ts"
import * as FeedbackGivers from "./0025_feedback_givers.ts"
import * as CallTallyAges from "./0026_call_tally_ages.ts"
import * as StudentCosts from "./0027_student_costs.ts"

/**
 * A released statement is immutable; a new migration follows it. Servers of the previous version keep running during and
 * after a migration, so migrations only add; unused tables and columns are dropped a release later.
 */
const migrations = {
  "0001_core": Core.statements,
  "0002_webhooks": Webhooks.statements,
  "0003_distill": Distill.statements,
  "0004_webhook_lanes": WebhookLanes.statements,
  "0005_webhook_history": WebhookHistory.statements,
  "0006_run_records": RunRecords.statements,
  "0007_rate_buckets": RateBuckets.statements,
  "0008_blob_pieces": BlobPieces.statements,
  "0009_work_turns": WorkTurns.statements,
  "0010_calls": Calls.statements,
  "0011_blob_references": BlobReferences.statements,
  "0012_holdout_rows": HoldoutRows.statements,
  "0013_truncated_calls": TruncatedCalls.statements,
  "0014_awaited_calls": AwaitedCalls.statements,
  "0015_conversations": Conversations.statements,
  "0016_ledger": Ledger.statements,
  "0017_guards": Guards.statements,
  "0018_delivery_tallies": DeliveryTallies.statements,
  "0019_usage_details": UsageDetails.statements,
  "0020_call_attempts": CallAttempts.statements,
  "0021_verifying_calls": VerifyingCalls.statements,
  "0022_call_decisions": CallDecisions.statements,
  "0023_call_tallies": CallTallies.statements,
  "0024_feedback_questions": FeedbackQuestions.statements,
  "0025_feedback_givers": FeedbackGivers.statements,
  "0026_call_tally_ages": CallTallyAges.statements,
  "0027_student_costs": StudentCosts.statements
} as const

const execute = (statements: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.forEach(statements, (statement) => sql.unsafe(statement).unprepared, { discard: true })
  )

const migrator = Migrator.make({})({
  loader: Migrator.fromRecord(
    Object.fromEntries(Object.entries(migrations).map(([name, statements]) => [name, execute(statements)]))
  ),
  table: "migrations"
})

const decodeNewest = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ newest: Schema.NullOr(Schema.Int) })]))

const decodeCurrent = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ current: Schema.NullOr(Schema.String) })])
)

/** An older server would write what a newer one takes for complete. */
const checkAge = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const known = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))
  if ((yield* sql`SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'migrations'`).length === 0)
    return
  const [{ newest }] = yield* decodeNewest(yield* sql`SELECT max(migration_id)::int AS newest FROM migrations`)
  if ((newest ?? 0) <= known) return
  const cause = new Error(`its schema has version ${newest}, and this server knows ${known}: start a newer server`)
  return yield* new StorageError({ operation: "StoragePostgres.migrate", cause })
})

/** Tables without a schema's name go where the session says: into ours, and never into `public`. */
const checkSchema = Effect.fnUntraced(function* (sql: PgClient.PgClient, schema: string) {
  const [{ current }] = yield* decodeCurrent(yield* sql`SELECT current_schema() AS current`)
  if (current === schema) return
  const cause = new Error(`the session has the schema ${current} in place of ${schema}: its settings got lost`)
  return yield* new StorageError({ operation: "StoragePostgres.migrate", cause })
})

/** Uses a connection of its own, whose end frees the lock in every case. */
export const migrate = Effect.fn("StoragePostgres.migrate")(
  function* (config: SessionConfig, schema: string) {
    // Without a time limit for migrations, and for waiting on another server's.
    const sql = yield* Session.client({ ...config, settings: { ...config.settings, statement_timeout: "0" } })
    yield* sql`SELECT pg_advisory_lock(hashtextextended(${`limbeck.migrations.${schema}`}, 0))`
    const existing = yield* sql`SELECT 1 FROM pg_namespace WHERE nspname = ${schema}`
    if (existing.length === 0) yield* sql`CREATE SCHEMA ${sql(schema)}`.unprepared
    yield* checkSchema(sql, schema)
    if (existing.length > 0) yield* checkAge(sql)
    return yield* Effect.provideService(migrator, SqlClient, sql)
  },
  Effect.scoped,
  Effect.provideServiceEffect(Reactivity.Reactivity, Reactivity.make),
  failAs("StoragePostgres.migrate")
)

/** The text of schema.sql: all migrations, one after the other. */
export const schemaText = (): string =>
  Object.entries(migrations)
    .map(([name, statements]) => [`-- ${name}`, ...statements.map((statement) => `${statement};`)].join("\n\n"))
    .join("\n\n")
    .concat("\n")
