/** Whether a ledger adds up, by its tables alone: compared with calls, runs and payments. */

import * as PgClient from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Reactivity from "effect/reactivity/Reactivity"

type Row = Readonly<Record<string, unknown>>

/** Rows of one statement in the schema. Whole numbers come as numbers: statements say `::float8`. */
export const rowsOf = (url: string, schema: string, statement: string): Promise<ReadonlyArray<Row>> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.make({ url: Redacted.make(url), startupParameters: { search_path: schema } })
    return yield* sql.unsafe<Row>(statement)
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.runPromise)

const accounts = "SELECT funding::float8, available::float8, held::float8, spent::float8 FROM ledger_accounts"

/** The sums of the entries by account. */
const moved = `
  SELECT ${["funding", "available", "held", "spent"]
    .map(
      (account) => `coalesce(sum(CASE WHEN to_account = '${account}' THEN micros WHEN from_account = '${account}'
        THEN -micros END), 0)::float8 AS ${account}`
    )
    .join(", ")} FROM ledger_entries`

const causes = `SELECT count(*)::float8 AS entries, count(DISTINCT (kind, reference))::float8 AS causes FROM ledger_entries`

const topUps = "SELECT reference, micros::float8 FROM ledger_entries WHERE kind = 'top_up' ORDER BY reference"

const spending = `
  SELECT (SELECT coalesce(sum(micros), 0)::float8 FROM ledger_usage) AS used,
    (SELECT coalesce(sum(cost_micros), 0)::float8 FROM calls WHERE billed) AS calls,
    (SELECT coalesce(sum(micros), 0)::float8 FROM ledger_entries WHERE kind = 'managed_calls') AS charged,
    (SELECT coalesce(sum(quantity), 0) FROM ledger_usage WHERE kind = 'managed_calls') AS counted,
    (SELECT count(*)::float8 FROM calls WHERE billed) AS billed,
    (SELECT coalesce(sum(micros), 0)::float8 FROM ledger_entries WHERE kind = 'write_off') AS written_off`

/** Every run with its ledger figures. */
const runs = `
  SELECT id, doc->>'status' AS status, (doc->'totals'->>'costMicros')::float8 AS cost,
    (doc->'billing'->>'start')::float8 AS starts, charged, holds, releases, held, released
  FROM resources LEFT JOIN LATERAL (
    SELECT coalesce(sum(micros) FILTER (WHERE kind IN ('training', 'judging')), 0)::float8 AS charged,
      count(*) FILTER (WHERE kind = 'hold')::float8 AS holds, count(*) FILTER (WHERE kind = 'release')::float8 AS releases,
      coalesce(sum(micros) FILTER (WHERE kind = 'hold'), 0)::float8 AS held,
      coalesce(sum(micros) FILTER (WHERE kind = 'release'), 0)::float8 AS released
    FROM ledger_entries entry WHERE split_part(entry.reference, '/', 1) = resources.id) posted ON true
  WHERE kind = 'distill_run'`

const openHolds = `
  SELECT coalesce(sum((doc->>'heldMicros')::float8 - (doc->>'chargedMicros')::float8), 0) AS left FROM resources
  WHERE kind = 'call_hold'`

export interface AuditResult {
  readonly entries: number
  readonly runs: number
  readonly calls: number
  readonly availableMicros: number
  readonly heldMicros: number
  readonly spentMicros: number
  readonly writtenOffMicros: number
}

/** Fails unless all of it adds up. All runs have ended, and all calls are stored. `paid`: micro-dollars by reference. */
export const audit = async (url: string, schema: string, paid: ReadonlyMap<string, number>): Promise<AuditResult> => {
  const query = (statement: string) => rowsOf(url, schema, statement)
  const [account = {}] = await query(accounts)
  const [funding, available, held, spent] = ["funding", "available", "held", "spent"].map((name) =>
    Number(account[name])
  )
  assert.deepStrictEqual((await query(moved))[0], account, "the entries come to the accounts")
  assert.strictEqual(funding! + available! + held! + spent!, 0, "the accounts sum to zero")
  assert.isAtLeast(available!, 0, "the balance is not below zero")
  const [counts = {}] = await query(causes)
  assert.strictEqual(counts["causes"], counts["entries"], "each cause posted once")
  const posted = (await query(topUps)).map(({ micros, reference }) => [reference, micros])
  assert.sameDeepMembers(posted, [...paid], "each top-up counted once")
  const [spend = {}] = await query(spending)
  assert.strictEqual(spend["used"], spent, "usage is what was spent")
  assert.strictEqual(spend["charged"], spend["calls"], "calls are charged what they cost")
  assert.strictEqual(spend["counted"], spend["billed"], "each call is counted once")
  const all = await query(runs)
  for (const run of all) {
    assert.oneOf(run["status"], ["succeeded", "failed", "canceled"], JSON.stringify(run))
    assert.strictEqual(run["charged"], run["cost"], JSON.stringify(run))
    assert.deepStrictEqual([run["releases"], run["released"]], [run["holds"], run["held"]], JSON.stringify(run))
    // A retry of a run with an exhausted budget holds nothing.
    assert.isAtMost(Number(run["holds"]), Number(run["starts"]), JSON.stringify(run))
  }
  assert.strictEqual(
    (await query(openHolds))[0]?.["left"],
    held,
    "what is held is held for calls, by holds that expire"
  )
  return {
    entries: Number(counts["entries"]),
    runs: all.length,
    calls: Number(spend["billed"]),
    availableMicros: available!,
    heldMicros: held!,
    spentMicros: spent!,
    writtenOffMicros: Number(spend["written_off"])
  }
}
