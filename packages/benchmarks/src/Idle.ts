/** What an engine with nothing to do asks of Postgres, counted by Postgres itself. */
import { setTimeout as sleep } from "node:timers/promises"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Schema from "effect/Schema"
import * as Child from "./Child.ts"
import type { Workers } from "./engine.ts"
import * as Stage from "./Stage.ts"

const Statement = Schema.Struct({ text: Schema.String, calls: Schema.Int })
type Statement = typeof Statement.Type
const decodeStatements = Schema.decodeUnknownPromise(Schema.Array(Statement))

export interface Idle {
  readonly statements: ReadonlyArray<Statement>
  readonly cpuMicrosPerSecond: number
  readonly rssBytes: number
}

const settings = { shared_preload_libraries: "pg_stat_statements" }
/** Until the engine has started and looked at everything once. */
const settleMillis = 6_000

/** Not counted themselves. */
const query = (url: string, text: string): Promise<ReadonlyArray<unknown>> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.make({
      url: Redacted.make(url),
      startupParameters: { "pg_stat_statements.track": "none" }
    })
    return yield* sql.unsafe(text)
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.runPromise)

/** Ten endpoints, nothing to deliver. */
export const measure = (workers: Workers, seconds: number): Promise<Idle> =>
  Stage.use(async ({ start, url }) => {
    await query(url, "CREATE EXTENSION pg_stat_statements")
    const engine = await start(workers)
    await engine.subscribe("ok", 10)
    await sleep(settleMillis)
    await query(url, "SELECT pg_stat_statements_reset()")
    const { cpuMicros } = await Child.spending(engine, () => sleep(seconds * 1000))
    const rows = await query(
      url,
      "SELECT regexp_replace(query, '\\s+', ' ', 'g') AS text, calls::int FROM pg_stat_statements ORDER BY calls DESC, query"
    )
    const { rssBytes } = await engine.usage()
    return { statements: await decodeStatements(rows), cpuMicrosPerSecond: cpuMicros / seconds, rssBytes }
  }, settings)
