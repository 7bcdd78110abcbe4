/** The plans of a call's own statements, each explained just before the statement runs. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CurrentTransformer } from "effect/sql/Statement"

interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Total Cost": number
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly "Shared Hit Blocks": number
  readonly "Shared Read Blocks": number
  readonly Plans?: ReadonlyArray<Node>
}

const Node: Schema.Codec<Node> = Schema.Struct({
  "Node Type": Schema.String,
  "Relation Name": Schema.optionalKey(Schema.String),
  "Total Cost": Schema.Finite,
  "Actual Rows": Schema.Finite,
  "Actual Loops": Schema.Finite,
  "Rows Removed by Filter": Schema.optionalKey(Schema.Finite),
  "Shared Hit Blocks": Schema.Finite,
  "Shared Read Blocks": Schema.Finite,
  Plans: Schema.optionalKey(Schema.Array(Schema.suspend(() => Node)))
})

const decodePlan = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ "QUERY PLAN": Schema.Tuple([Schema.Struct({ Plan: Node })]) })])
)

/** The largest step in a statement's plan. */
export interface Work {
  readonly text: string
  readonly mode: string
  /** Tables that it reads whole. */
  readonly scanned: ReadonlyArray<string>
  /** Rows that a step looks at. */
  readonly rows: number
  /** Pages touched by a step and its children. */
  readonly pages: number
  readonly plan: Node
}

const nodesOf = (node: Node): ReadonlyArray<Node> => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

const typeNames = new Map<number, string>([
  [PgTypes.OID.text, "text"],
  [PgTypes.OID.int8, "bigint"],
  [PgTypes.OID.bool, "boolean"],
  [PgTypes.OID.float8, "double precision"],
  [PgTypes.OID.textArray, "text[]"],
  [PgTypes.OID.int8Array, "bigint[]"],
  [PgTypes.OID.boolArray, "boolean[]"],
  [PgTypes.OID.jsonArray, "json[]"]
])

const typeOf = (parameter: unknown): string => {
  if (!PgTypes.isParameter(parameter)) return typeof parameter === "boolean" ? "boolean" : "text"
  const name = typeNames.get(parameter.oid)
  if (name === undefined) throw new Error(`No name for the type ${parameter.oid}`)
  return name
}

const textOf = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value))

const element = (value: unknown): string =>
  value === null ? "NULL" : `"${textOf(value).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`

const literal = (parameter: unknown): string => {
  const value = PgTypes.isParameter(parameter) ? parameter.value : parameter
  if (value === null) return "NULL"
  const text = Array.isArray(value) ? `{${value.map(element).join(",")}}` : textOf(value)
  return `'${text.replaceAll("'", "''")}'`
}

const workOf = (text: string, mode: string, plan: Node): Work => {
  const nodes = nodesOf(plan)
  const most = (of: (node: Node) => number) => Math.max(...nodes.map(of))
  return {
    text,
    mode,
    plan,
    scanned: nodes.flatMap((node) => (node["Node Type"] === "Seq Scan" ? [node["Relation Name"] ?? ""] : [])),
    rows: most((node) => (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]),
    pages: most((node) => node["Shared Hit Blocks"] + node["Shared Read Blocks"])
  }
}

/** Plans are made anew for the values, or, once a statement has been prepared for a while, without knowing them. */
const modes = ["force_custom_plan", "force_generic_plan"]

/** Runs a call and tells the work of its statements. They run here first, on `sql` and without effect. */
export const worksOf =
  (sql: PgClient.PgClient) =>
  <A, E, R>(call: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const works: Array<Work> = []
      const run = (text: string) => sql.unsafe(text).unprepared
      const explain = Effect.fnUntraced(function* (text: string, parameters: ReadonlyArray<unknown>) {
        const types = parameters.length === 0 ? "" : `(${parameters.map(typeOf).join(", ")})`
        const values = parameters.length === 0 ? "" : `(${parameters.map(literal).join(", ")})`
        for (const mode of modes) {
          yield* run("BEGIN")
          yield* run(`SET LOCAL plan_cache_mode = ${mode}`)
          yield* run(`PREPARE explained ${types} AS ${text}`)
          const explained = run(`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE explained ${values}`)
          const [{ "QUERY PLAN": plan }] = yield* decodePlan(yield* explained)
          works.push(workOf(text, mode, plan[0].Plan))
          yield* run("DEALLOCATE explained")
          yield* run("ROLLBACK")
        }
      })
      yield* Effect.provideService(call, CurrentTransformer, (statement) =>
        explain(...statement.compile()).pipe(
          Effect.provideService(CurrentTransformer, undefined),
          Effect.orDie,
          Effect.as(statement)
        )
      )
      return works
    })

/** Postgres's minimum planning cost when choosing between a cached plan and a custom plan. */
const planningCost = 5

/** Of each statement, the plan for any values next to the one for its own. */
export const assertKept = (works: ReadonlyArray<Work>) => {
  for (const [index, { mode, plan, text }] of works.entries()) {
    if (mode !== "force_generic_plan") continue
    const forValues = works[index - 1]?.plan["Total Cost"] ?? Number.NaN
    assert.isBelow(plan["Total Cost"], forValues + planningCost, `else it is planned again each time: ${text}`)
  }
}
