/** What every RunRecords must do. */
import { assert } from "@effect/vitest"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Storage } from "@limbeck/core/storage/Storage"
import { type LogLine, type MetricPoint, type RunRecord, RunRecords } from "@limbeck/distill/run/RunRecords"
import * as Effect from "effect/Effect"
import * as Fresh from "../fixtures/Fresh.ts"
import { describePort } from "./AllPorts.ts"

const point = (step: number, fields: Partial<MetricPoint> = {}): MetricPoint => ({
  stage: 2,
  name: "loss",
  unit: "nats",
  step,
  value: 1 / (step + 3),
  at: Fresh.start + step,
  ...fields
})

const line = (message: string, fields: Partial<LogLine> = {}): LogLine => ({
  stage: 1,
  at: Fresh.start,
  level: "info",
  message,
  ...fields
})

const metrics = (points: ReadonlyArray<MetricPoint>) => points.map((point) => ({ kind: "metric" as const, point }))
const logs = (lines: ReadonlyArray<LogLine>) => lines.map((line) => ({ kind: "log" as const, line }))
const state = (state: string) => ({ kind: "state" as const, at: Fresh.start, state })

const lines = (count: number) => Array.from({ length: count }, (_, n) => line(`line ${n + 1}`, { stage: (n % 2) + 1 }))

const numbered = (lines: ReadonlyArray<LogLine>) => lines.map((line, index) => ({ ...line, seq: index + 1 }))

const open = Effect.map(RunRecords, (records) => {
  const { mine, others } = Fresh.neighbours()
  return { records, partition: mine, others, run: Fresh.id("run") }
})

const all = { stage: null, after: 0, limit: 1_000 }

type Records = RunRecords["Service"]

/** Two metrics, a state, three lines, a metric and a state: eight records, some of them at once. */
const appendMixed = Effect.fnUntraced(function* (records: Records, partition: Partition, run: string) {
  const [first, ...later] = logs(lines(3))
  yield* records.append(partition, run, metrics([point(1), point(2, { name: "accuracy" })]))
  yield* records.append(partition, run, [state('{"status":"running"}'), first!])
  yield* records.append(partition, run, [...later, ...metrics([point(3)])])
  yield* records.append(partition, run, [state('{"status":"failed","why":"\\u0000 ü"}')])
})

const mixed: ReadonlyArray<RunRecord> = [
  { place: 1, kind: "metric", point: point(1) },
  { place: 2, kind: "metric", point: point(2, { name: "accuracy" }) },
  { place: 3, kind: "state", state: '{"status":"running"}' },
  ...numbered(lines(3)).map((line, index) => ({ place: 4 + index, kind: "log" as const, line })),
  { place: 7, kind: "metric", point: point(3) },
  { place: 8, kind: "state", state: '{"status":"failed","why":"\\u0000 ü"}' }
]

const recordOf = (index: number) => ({ kind: "state" as const, state: String((index % 3) + 1) })

export const suite = describePort("RunRecords", (it) => {
  it.effect("metrics come back as they were, in the order of appending", () =>
    Effect.gen(function* () {
      const { partition, records, run } = yield* open
      const first = [point(3), point(1, { name: "accuracy", value: -1e-9 }), point(1, { value: 2 ** 40 + 0.5 })]
      const second = [point(2, { stage: 1, unit: "ü", value: 0 }), point(3)]
      yield* records.append(partition, run, metrics(first))
      yield* records.append(partition, run, metrics([]))
      yield* records.append(partition, run, metrics(second))
      assert.deepStrictEqual(yield* records.metrics(partition, run), [...first, ...second])
    })
  )

  it.effect("log lines count from 1 without gaps, over all appends", () =>
    Effect.gen(function* () {
      const { partition, records, run } = yield* open
      const written = [line("one", { level: "debug" }), line("two\n\tü 漢", { level: "warn" }), line("", { at: 0 })]
      yield* records.append(partition, run, logs(written.slice(0, 2)))
      yield* records.append(partition, run, logs([]))
      yield* records.append(partition, run, logs(written.slice(2)))
      assert.deepStrictEqual(yield* records.logs(partition, run, all), numbered(written))
    })
  )

  it.effect("a window of logs begins above a seq and ends at the limit", () =>
    Effect.gen(function* () {
      const { partition, records, run } = yield* open
      const written = numbered(lines(10))
      yield* records.append(partition, run, logs(lines(10)))
      const window = (after: number, limit: number) => records.logs(partition, run, { stage: null, after, limit })
      assert.deepStrictEqual(yield* window(0, 4), written.slice(0, 4))
      assert.deepStrictEqual(yield* window(4, 4), written.slice(4, 8))
      assert.deepStrictEqual(yield* window(8, 4), written.slice(8))
      assert.deepStrictEqual(yield* window(10, 4), [])
    })
  )

  it.effect("a window of one stage has its lines only, under the numbers they have in the run", () =>
    Effect.gen(function* () {
      const { partition, records, run } = yield* open
      const written = numbered(lines(9))
      yield* records.append(partition, run, logs(lines(9)))
      const ofStage = written.filter(({ stage }) => stage === 2)
      assert.deepStrictEqual(yield* records.logs(partition, run, { ...all, stage: 2 }), ofStage)
      assert.deepStrictEqual(yield* records.logs(partition, run, { stage: 2, after: 4, limit: 1 }), [ofStage[2]!])
      assert.deepStrictEqual(yield* records.logs(partition, run, { ...all, stage: 5 }), [])
    })
  )

  it.effect("records of all kinds come in the order of appending, at places that count from 1 without gaps", () =>
    Effect.gen(function* () {
      const { partition, records, run } = yield* open
      yield* appendMixed(records, partition, run)
      const window = { after: 0, limit: 100 }
      assert.deepStrictEqual(yield* records.all(partition, run, window), mixed)
      assert.deepStrictEqual(yield* records.metrics(partition, run), [
        point(1),
        point(2, { name: "accuracy" }),
        point(3)
      ])
      assert.deepStrictEqual(yield* records.logs(partition, run, all), numbered(lines(3)))
    })
  )

  it.effect("who goes on from the last place they saw meets every record exactly once", () =>
    Effect.gen(function* () {
      const { partition, records, run } = yield* open
      yield* appendMixed(records, partition, run)
      for (const limit of [1, 2, 3, 5]) {
        const seen: Array<RunRecord> = []
        let page = yield* records.all(partition, run, { after: 0, limit })
        while (page.length > 0) {
          seen.push(...page)
          page = yield* records.all(partition, run, { after: page.at(-1)?.place ?? 0, limit })
        }
        assert.deepStrictEqual(seen, mixed)
      }
      assert.deepStrictEqual(yield* records.all(partition, run, { after: 10 ** 9, limit: 1 }), [])
    })
  )

  it.effect(
    "readers that go on from their last place while records are written miss none and meet none twice (P52)",
    () =>
      Effect.gen(function* () {
        const { partition, records, run } = yield* open
        const storage = yield* Storage
        const rounds = 60
        const round = Effect.forEach(["1", "2", "3"], (text) => records.append(partition, run, [state(text)]))
        const writing = Effect.repeat(storage.transaction(round), { times: rounds - 1 })
        const reading = Effect.fnUntraced(function* (limit: number) {
          const seen: Array<RunRecord> = []
          while (seen.length < 3 * rounds) {
            seen.push(...(yield* records.all(partition, run, { after: seen.at(-1)?.place ?? 0, limit })))
            // What is seen, is seen whole: a transaction's three, or none of them.
            if (limit % 3 === 0) assert.strictEqual(seen.length % 3, 0)
            yield* Effect.yieldNow
          }
          return seen
        })
        const [, ...followed] = yield* Effect.all([writing, reading(1), reading(6), reading(1_000)], {
          concurrency: "unbounded"
        })
        const expected = Array.from({ length: 3 * rounds }, (_, index) => ({ place: index + 1, ...recordOf(index) }))
        for (const seen of followed) assert.deepStrictEqual(seen, expected)
      })
  )

  it.effect(
    "records of several runs that are appended at once are at the places that they would have one by one (P441)",
    () =>
      Effect.gen(function* () {
        const { partition, records } = yield* open
        const runs = [Fresh.id("run"), Fresh.id("run"), Fresh.id("run"), Fresh.id("run")] as const
        yield* appendMixed(records, partition, runs[1])
        yield* records.append(partition, runs[3], logs(lines(1)))
        const [first, second, third] = logs(lines(3))
        yield* records.appendMany(partition, [])
        yield* records.appendMany(partition, [
          { run: runs[2], records: [state("2"), first!, ...metrics([point(9)]), second!] },
          { run: runs[1], records: [third!, state("1")] },
          { run: runs[0], records: [] },
          { run: runs[3], records: [second!, third!] }
        ])
        yield* records.appendMany(partition, [{ run: runs[0], records: [state("0")] }])
        const allOf = (run: string) => records.all(partition, run, { after: 0, limit: 100 })
        assert.deepStrictEqual(yield* allOf(runs[0]), [{ place: 1, kind: "state", state: "0" }])
        assert.deepStrictEqual(yield* allOf(runs[1]), [
          ...mixed,
          { place: 9, kind: "log", line: { ...third!.line, seq: 4 } },
          { place: 10, kind: "state", state: "1" }
        ])
        assert.deepStrictEqual(yield* allOf(runs[2]), [
          { place: 1, kind: "state", state: "2" },
          { place: 2, kind: "log", line: { ...first!.line, seq: 1 } },
          { place: 3, kind: "metric", point: point(9) },
          { place: 4, kind: "log", line: { ...second!.line, seq: 2 } }
        ])
        assert.deepStrictEqual(yield* records.logs(partition, runs[3], all), numbered(lines(3)))
      })
  )

  it.effect("records of a transaction that fails are not there, and leave no gap", () =>
    Effect.gen(function* () {
      const { partition, records, run } = yield* open
      const storage = yield* Storage
      yield* records.append(partition, run, [state("1")])
      yield* Effect.exit(storage.transaction(Effect.andThen(appendMixed(records, partition, run), Effect.fail("no"))))
      yield* storage.transaction(records.append(partition, run, [state("2")]))
      assert.deepStrictEqual(yield* records.all(partition, run, { after: 0, limit: 10 }), [
        { place: 1, kind: "state", state: "1" },
        { place: 2, kind: "state", state: "2" }
      ])
    })
  )

  it.effect("a run of another partition, or another run, has records of its own", () =>
    Effect.gen(function* () {
      const { others, partition, records, run } = yield* open
      yield* records.append(partition, run, metrics([point(1)]))
      yield* records.append(partition, run, logs(lines(3)))
      const elsewhere = [[partition, Fresh.id("run")] as const, ...others.map((other) => [other, run] as const)]
      for (const [of, other] of elsewhere) {
        assert.deepStrictEqual(yield* records.metrics(of, other), [])
        assert.deepStrictEqual(yield* records.logs(of, other, all), [])
        assert.deepStrictEqual(yield* records.all(of, other, { after: 0, limit: 1 }), [])
        yield* records.append(of, other, logs([line("theirs")]))
        assert.deepStrictEqual(yield* records.logs(of, other, all), numbered([line("theirs")]))
      }
      assert.deepStrictEqual(yield* records.logs(partition, run, all), numbered(lines(3)))
    })
  )
})
