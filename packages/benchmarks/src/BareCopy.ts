/** The least that rows cost: one `COPY` of their bodies from a file of the server's into a plain table, with no client in between. */
import { performance } from "node:perf_hooks"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Schema from "effect/Schema"
import * as PostgresUsage from "./PostgresUsage.ts"

export interface CopyTimes {
  readonly seconds: number
  /** Null where it cannot be told. */
  readonly cpuMicros: number | null
}

const decodeFolder = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ folder: Schema.String })]))

const copying = Effect.fnUntraced(
  function* (url: string, bodies: string) {
    const sql = yield* PgClient.make({ url: Redacted.make(url) })
    const [{ folder }] = yield* decodeFolder(yield* sql`SELECT current_setting('data_directory') AS folder`)
    const file = `'${folder}/bench.copy'`
    yield* sql.unsafe(`COPY (${bodies}) TO ${file}`)
    yield* sql`CREATE TABLE bench_copy (body text)`
    const before = yield* Effect.promise(() => PostgresUsage.cpuMicros(url))
    const startedAt = performance.now()
    yield* sql.unsafe(`COPY bench_copy FROM ${file}`)
    const seconds = (performance.now() - startedAt) / 1000
    const after = yield* Effect.promise(() => PostgresUsage.cpuMicros(url))
    const copied: CopyTimes = { seconds, cpuMicros: after === null || before === null ? null : after - before }
    return copied
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)

/** `bodies`: the query that has them. */
export const measure = (url: string, bodies: string): Promise<CopyTimes> => Effect.runPromise(copying(url, bodies))
