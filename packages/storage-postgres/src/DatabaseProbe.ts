/** Looks at a database before a server uses it, and changes nothing there. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import * as Effect from "effect/Effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Schema from "effect/Schema"
import { clientConfig, type Options } from "./internal/connection/Connection.ts"
import * as PoolerCheck from "./internal/connection/PoolerCheck.ts"
import { failAs } from "./internal/connection/PostgresError.ts"
import * as Session from "./internal/connection/Session.ts"

const Row = Schema.Struct({
  version: Schema.Int,
  readOnly: Schema.Boolean,
  hasSchema: Schema.Boolean,
  mayCreate: Schema.Boolean,
  mayUse: Schema.Boolean,
  clockMillis: Schema.Finite
})

const Docs = Schema.Array(Schema.Struct({ doc: Schema.Unknown }))

/** What was seen. */
export interface DatabaseSeen {
  /** Of Postgres, such as 170002. */
  readonly version: number
  /** Whether it refuses writes: a standby, or set so. */
  readonly readOnly: boolean
  /** Whether a server has made its schema here. */
  readonly hasSchema: boolean
  /** Whether the role may make a schema. */
  readonly mayCreate: boolean
  /** Whether the role may create tables in the existing schema. */
  readonly mayUse: boolean
  /** The database's clock, in milliseconds since 1970. */
  readonly clockMillis: number
}

const decode = Schema.decodeUnknownEffect(Schema.Tuple([Row]))

const schemaOf = ({ schema = "limbeck" }: Options): string => schema

const configOf = (options: Options) => clientConfig({ ...options, maxConnections: 1 }, schemaOf(options))

const client = (options: Options) => Session.client(configOf(options))

const probing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.provideServiceEffect(Reactivity.Reactivity, Reactivity.make), Effect.scoped)

/** Fails with `StorageError` where the database cannot be reached, refuses the role, or is behind a pooler that shares sessions. */
export const look = (options: Options): Effect.Effect<DatabaseSeen, StorageError> =>
  Effect.gen(function* () {
    yield* PoolerCheck.check(configOf(options))
    const sql = yield* client(options)
    const schema = schemaOf(options)
    const rows = yield* sql`
      SELECT current_setting('server_version_num')::int AS version,
        current_setting('transaction_read_only') = 'on' AS "readOnly",
        to_regnamespace(${schema}) IS NOT NULL AS "hasSchema",
        has_database_privilege(current_database(), 'CREATE') AS "mayCreate",
        coalesce(has_schema_privilege(to_regnamespace(${schema})::oid, 'CREATE'), false) AS "mayUse",
        (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "clockMillis"`
    const [seen] = yield* decode(rows)
    return seen
  }).pipe(probing, failAs("look at the database"))

/** The documents of one kind in all partitions of an existing schema. */
export const documents = (options: Options, kind: string): Effect.Effect<ReadonlyArray<unknown>, StorageError> =>
  Effect.gen(function* () {
    const sql = yield* client(options)
    const rows = yield* sql`SELECT doc FROM resources WHERE kind = ${kind}`
    return (yield* Schema.decodeUnknownEffect(Docs)(rows)).map(({ doc }) => doc)
  }).pipe(probing, failAs("look at the database"))
