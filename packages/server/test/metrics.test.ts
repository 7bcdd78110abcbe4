/** Metrics of captured calls over time (contract 16.48). */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { CallMetrics, CallMetricsList } from "@limbeck/api/MetricsApi"
import type { CapturedCall } from "@limbeck/capture/call/CapturedCall"
import { toIso } from "@limbeck/core/time/Timestamp"
import * as Calls from "@limbeck/testing/fixtures/Calls"
import { create } from "@limbeck/testing/http/SourceSteps"
import { readUntil } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { capture, idAt } from "./support/Captured.ts"
import { assertInvalid, assertRefused, type Client, expectStatus } from "./support/Client.ts"
import { House, onEachStorage } from "./support/House.ts"
import { send, tokenOf } from "./support/Proxied.ts"
import { sharedStorages } from "./support/SharedStorages.ts"

type Row = typeof CallMetrics.Type
type Metrics = typeof CallMetricsList.Type

const path = "/v1/distill/metrics"
const [hour, day] = [3_600_000, 24 * 3_600_000]
const midnight = Date.parse("2026-03-02T00:00:00Z")

const between = (from: number, to: number, interval: "hour" | "day", more = "") =>
  `${path}?from=${toIso(from)}&to=${toIso(to)}&interval=${interval}${more}`

const read = async (caller: Client, ...query: Parameters<typeof between>): Promise<ReadonlyArray<Row>> => {
  const { data, ...list } = expectStatus(await caller.get<Metrics>(between(...query)), 200)
  assert.deepStrictEqual(list, { object: "list", has_more: false })
  return data
}

const callAt = (createdAt: number, fields: Partial<CapturedCall> = {}) =>
  Calls.call({ id: idAt(createdAt), createdAt, ...fields })

const deployment = "dep_01kaf3tn0e5v2b8w6xq4rj7mcd"
const byStudent = {
  servedBy: "student",
  source: null,
  model: "svc:desk",
  deployment,
  costMicros: null,
  usage: { inputTokens: 10, outputTokens: 1 },
  latencyMillis: 5
} as const

/** Two hours of a day, and one of the next day. */
const calls = () => [
  callAt(midnight + 1, { costMicros: 100, model: "svc:desk", deployment, servedBy: "shadow" }),
  callAt(midnight + 2, { costMicros: 300, model: "svc:desk", deployment, servedBy: "upstream_fallback" }),
  callAt(midnight + hour - 1, { outcome: "failed", costMicros: null, usage: null, latencyMillis: 90_000 }),
  callAt(midnight + 2 * hour, byStudent),
  callAt(midnight + 2 * hour, { ...byStudent, latencyMillis: 6 }),
  callAt(midnight + 2 * hour, { costMicros: null, source: "src_other" }),
  callAt(midnight + day, { ...byStudent, outcome: "aborted" }),
  callAt(midnight + day, { verifies: { call: Calls.call().id, deployment } })
]

/** A row without what other fields say. */
const row = (start: number, group: string | null, fields: Partial<Row>): Row => ({
  start: toIso(start),
  group,
  calls: 1,
  failed: 0,
  input_tokens: 3,
  output_tokens: 2,
  cost_usd: null,
  unpriced_calls: 0,
  saved_usd: null,
  latency_ms: null,
  ...fields
})

/** The upstream's two answers cost 200 on average, with a variance of 20,000; t of one degree of freedom is 12.7062. */
const savedOf = (count: number) => {
  const half = 12.7062047362 * Math.sqrt(20_000 * (count ** 2 / 2 + count))
  return { value: count * 0.000_2, low: 0, high: Math.round(count * 200 + half) / 1_000_000 }
}

const students = { input_tokens: 10, output_tokens: 1, saved_usd: savedOf(1) }

onEachStorage("metrics of calls", (house) => {
  it("are of each hour with calls, whole, by the hour of their creation (P1304)", async () => {
    const workspace = await house.workspace()
    await capture(house, workspace, calls())
    const rows = await read(workspace.live, midnight, midnight + 2 * day, "hour")
    const [first, second, third] = rows
    const latency = first?.latency_ms
    assert.isTrue(latency !== null && latency !== undefined && latency.p50 >= 215 && latency.p95 < 256, "around 250 ms")
    const expected = { calls: 3, failed: 1, input_tokens: 6, output_tokens: 4, cost_usd: 0.000_4 }
    assert.deepStrictEqual(first, row(midnight, null, { ...expected, latency_ms: latency ?? null }))
    assert.deepStrictEqual<unknown>(
      { ...second, latency_ms: null },
      row(midnight + 2 * hour, null, {
        calls: 3,
        input_tokens: 23,
        output_tokens: 4,
        unpriced_calls: 1,
        saved_usd: savedOf(2)
      })
    )
    assert.deepInclude(second?.latency_ms, { p50: 6 })
    assert.deepStrictEqual(third, row(midnight + day, null, students))
    assert.lengthOf(rows, 3)
  })

  it("are of each day of UTC, by source, model, responder or deployment, and of one deployment alone (P1304, P1533)", async () => {
    const workspace = await house.workspace()
    await capture(house, workspace, calls())
    const by = async (group_by: string) => {
      const rows = await read(workspace.live, midnight, midnight + 2 * day, "day", `&group_by=${group_by}`)
      return rows.map(({ calls, failed, group, saved_usd, start }) => [start, group, calls, failed, saved_usd?.value])
    }
    const [one, two] = [toIso(midnight), toIso(midnight + day)]
    const [savedOne, savedTwo] = [savedOf(1).value, savedOf(2).value]
    assert.deepStrictEqual(await by("source"), [
      [one, null, 2, 0, savedTwo],
      [one, "src_of_the_fixture", 3, 1, undefined],
      [one, "src_other", 1, 0, undefined],
      [two, null, 1, 0, savedOne]
    ])
    assert.deepStrictEqual(await by("model"), [
      [one, "large", 2, 1, undefined],
      [one, "svc:desk", 4, 0, savedTwo],
      [two, "svc:desk", 1, 0, savedOne]
    ])
    assert.deepStrictEqual(await by("served_by"), [
      [one, "shadow", 1, 0, undefined],
      [one, "student", 2, 0, savedTwo],
      [one, "upstream", 2, 1, undefined],
      [one, "upstream_fallback", 1, 0, undefined],
      [two, "student", 1, 0, savedOne]
    ])
    assert.deepStrictEqual(await by("deployment"), [
      [one, null, 2, 1, undefined],
      [one, deployment, 4, 0, savedTwo],
      [two, deployment, 1, 0, savedOne]
    ])
    assert.deepStrictEqual(await by(`served_by&deployment=${deployment}`), [
      [one, "shadow", 1, 0, undefined],
      [one, "student", 2, 0, savedTwo],
      [one, "upstream_fallback", 1, 0, undefined],
      [two, "student", 1, 0, savedOne]
    ])
    assert.deepStrictEqual(await by("served_by&deployment=dep_none"), [])
  })

  it("begin with the interval that holds from, and end before to (P1304)", async () => {
    const workspace = await house.workspace()
    await capture(house, workspace, calls())
    const startsOf = async (...query: Parameters<typeof between>) =>
      (await read(workspace.live, ...query)).map(({ start }) => start)
    const [first, second] = [toIso(midnight), toIso(midnight + 2 * hour)]
    assert.deepStrictEqual(await startsOf(midnight + hour - 1, midnight + 2 * hour, "hour"), [first])
    assert.deepStrictEqual(await startsOf(midnight + hour, midnight + 2 * hour + 1, "hour"), [second])
    assert.deepStrictEqual(await startsOf(midnight + day - 1, midnight + day, "day"), [first])
    assert.deepStrictEqual(await startsOf(midnight - day, midnight, "day"), [])
    assert.deepStrictEqual(await startsOf(midnight - 799 * day, midnight + day, "day"), [first])
    const offset = `${path}?from=2026-03-02T01:30:00%2B02:00&to=2026-03-02T01:00:00Z&interval=hour`
    const { data } = expectStatus(await workspace.live.get<Metrics>(offset), 200)
    assert.deepStrictEqual(
      data.map(({ start }) => start),
      [first]
    )
  })

  it("stay when a call is removed, and are of one mode of one workspace (P1301, P1305)", async () => {
    const [workspace, other] = [await house.workspace(), await house.workspace()]
    const call = callAt(midnight)
    await capture(house, workspace, [call])
    await capture(house, workspace, [callAt(midnight), callAt(midnight)], false)
    expectStatus(await workspace.live.delete(`/v1/distill/calls/${call.id}`), 200)
    const countOf = async (caller: Client) =>
      (await read(caller, midnight, midnight + hour, "hour")).map(({ calls }) => calls)
    assert.deepStrictEqual(await countOf(workspace.live), [1])
    assert.deepStrictEqual(await countOf(workspace.test), [2])
    assert.deepStrictEqual(await countOf(other.live), [])
  })

  it("take distill:read, and no other scope (P1305)", async () => {
    const { live } = await house.workspace()
    const query = between(midnight, midnight + hour, "hour")
    const withScope = async (scope: string) => {
      const token = await live.post<{ secret: string }>("/v1/tokens", { name: "app", scopes: [scope] })
      return house.client(expectStatus(token, 201).secret)
    }
    expectStatus(await (await withScope("distill:read")).get(query), 200)
    assertRefused(await (await withScope("distill:write")).get(query), 403, "permission_error")
  })

  it.each([
    [between(midnight, midnight, "hour"), "to"],
    [between(midnight, midnight - 1, "day"), "to"],
    [between(midnight, midnight + 800 * hour + 1, "hour"), "to"],
    [between(midnight, midnight + 800 * day + 1, "day"), "to"],
    [`${path}?to=${toIso(midnight)}&interval=hour`, "from"],
    [`${path}?from=${toIso(midnight)}&interval=hour`, "to"],
    [`${path}?from=${toIso(midnight)}&to=${toIso(midnight + 1)}`, "interval"],
    [`${path}?from=yesterday&to=${toIso(midnight)}&interval=hour`, "from"],
    [`${path}?from=${toIso(midnight)}&to=2026-02-30&interval=hour`, "to"],
    [`${path}?from=${toIso(midnight)}&to=${toIso(midnight + 1)}&interval=week`, "interval"],
    [between(midnight, midnight + 1, "hour", "&group_by=tag"), "group_by"],
    [between(midnight, midnight + 1, "hour", "&interval=day"), "interval"]
  ])("are refused for %s (P1306)", async (query, param) => {
    const { live } = await house.workspace()
    assertInvalid(await live.get(query), param)
  })
})

describe("metrics of two servers", () => {
  const models = new Models()
  const scope = Scope.makeUnsafe()
  const [first, second] = [new House(), new House()]
  beforeAll(async () => {
    await models.open()
    const storages = await Effect.runPromise(Scope.provide(sharedStorages.Postgres, scope))
    await first.open(storages[0], {})
    await second.open(storages[1], {})
  })
  afterAll(async () => {
    await first.close()
    await second.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    models.close()
  })

  it("add up to the calls that both have captured at once, each call once (P1307)", async () => {
    const workspace = await first.workspace()
    const source = await create(workspace.test, {
      base_url: models.speaking("Paris"),
      default: true,
      models: [{ id: "gpt", input_per_million: 1, output_per_million: 2 }]
    })
    const begin = first.now()
    const count = 40
    const answers = await Promise.all(
      Array.from({ length: count }, (_, n) => send(n % 2 === 0 ? first : second, workspace))
    )
    assert.isTrue(answers.every(({ status }) => status === 200))
    // The calls may lie in two days.
    const sumOf = (data: Metrics["data"], of: (row: Row) => number) => data.reduce((sum, one) => sum + of(one), 0)
    const query = between(begin - hour, begin + day, "day", "&group_by=source")
    const { data } = await readUntil(
      () => workspace.test.get<Metrics>(query),
      (body) => sumOf(body.data, ({ calls }) => calls) >= count
    )
    assert.deepStrictEqual([...new Set(data.map(({ group }) => group))], [source.id])
    assert.strictEqual(
      sumOf(data, ({ calls }) => calls),
      count
    )
    assert.strictEqual(
      sumOf(data, ({ input_tokens }) => input_tokens),
      11 * count
    )
    // 11 tokens at a dollar a million, and 3 at two.
    assert.closeTo(
      sumOf(data, ({ cost_usd }) => cost_usd ?? 0),
      0.000_017 * count,
      0.000_000_1
    )
    assert.isTrue(data.every(({ latency_ms, unpriced_calls }) => latency_ms !== null && unpriced_calls === 0))
    const elsewhere = expectStatus(await second.client(tokenOf(workspace)).get<Metrics>(query), 200)
    assert.deepStrictEqual(elsewhere.data, data)
  })
})
