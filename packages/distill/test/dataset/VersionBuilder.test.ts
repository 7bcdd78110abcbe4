import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Blobs } from "@limbeck/core/blobs/Blobs"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Pools } from "@limbeck/core/pools/Pools"
import * as Turns from "@limbeck/core/turns/Turns"
import { CallRows } from "@limbeck/distill/dataset/CallRows"
import type { Census } from "@limbeck/distill/dataset/Census"
import { Datasets, type VersionRequest } from "@limbeck/distill/dataset/Datasets"
import type { Row } from "@limbeck/distill/dataset/Row"
import { RowStore } from "@limbeck/distill/dataset/RowStore"
import { redactingRow } from "@limbeck/distill/dataset/redaction/Redaction"
import { layer, VersionBuilder } from "@limbeck/distill/dataset/VersionBuilder"
import { DistillLimits } from "@limbeck/distill/Limits"
import { type CensusTaker, StudentProbe } from "@limbeck/distill/recipe/StudentProbe"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as DecisionLine from "../../src/dataset/internal/DecisionLine.ts"
import { partsOf } from "../../src/dataset/internal/DecisionParts.ts"
import { fold } from "../../src/dataset/internal/PromptKey.ts"
import * as VersionWarnings from "../../src/dataset/internal/VersionWarnings.ts"
import { built, bytesOf, eventsOf, jsonl, live, rowOf, stranger, streamOf, uploaded, world } from "../upload/World.ts"

const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => rowOf(`prompt ${from + index}`, `completion ${from + index}`))

const created = Effect.fnUntraced(function* (request: VersionRequest, partition = live) {
  const datasets = yield* Datasets
  const { id } = yield* datasets.create(partition, { name: "calls" })
  return yield* datasets.createVersion(partition, id, request)
})

const exported = Effect.fnUntraced(function* (id: string) {
  return yield* Stream.runCollect((yield* Datasets).exportRows(live, id, null))
})

/** The stored rows of a version, regardless of its status. */
const storedOf = Effect.fnUntraced(function* (id: string) {
  return yield* Stream.runCollect((yield* RowStore).scan(live, id, null))
})

/** A builder that sees these captured calls at each look. */
const builderOf = (calls: (partition: Partition) => Stream.Stream<string | DecisionLine.DecisionLine>) =>
  Effect.provide(
    VersionBuilder,
    Layer.provide(
      Layer.fresh(layer),
      Layer.succeed(CallRows, {
        resolve: (_, filter) => Effect.succeed(filter),
        scan: (partition) =>
          Stream.map(
            Stream.suspend(() => calls(partition)),
            (line) => (typeof line === "string" ? { text: line, origin: null } : line)
          ),
        reviews: () => Effect.succeed({ find: () => Effect.undefined, ofPrompt: () => undefined, isEmpty: true })
      })
    )
  )

/** A decision of the question `asked` on the evidence. */
const decided = (input: string, asked: string, probability: number) =>
  Result.getOrThrow(
    DecisionLine.ofPair(
      { input, questions: [{ type: "predicate", name: "q", instructions: asked }] },
      { answers: [{ type: "predicate", name: "q", probability }] }
    )
  )

const noCensus: Census = {
  rows: 0,
  requestCharacters: 0,
  contextCharacters: 0,
  features: 0,
  different: 0,
  single: 0,
  everywhere: 0,
  beyond: [],
  labels: 2
}

const asked = (system: string | null, nth: number) =>
  JSON.stringify({
    messages: [
      ...(system === null ? [] : [{ role: "system", content: system }]),
      { role: "user", content: `ticket ${nth}` }
    ],
    completion: "billing"
  })

describe("VersionBuilder", () => {
  it.effect("a version lists the prompts of its rows, and warns of several workloads (P1334)", () =>
    Effect.gen(function* () {
      const lines = Array.from({ length: 40 }, (_, nth) => {
        if (nth < 20) return asked(`Label the ticket of day ${nth}.`, nth)
        return asked(nth < 30 ? "Is it urgent?" : null, nth)
      })
      const upload = yield* uploaded(jsonl(lines))
      const version = yield* built(upload.id, { holdoutFraction: 0 })
      const templates = version.templates ?? []
      assert.deepStrictEqual(
        templates.map(({ rows, share }) => [rows, share]),
        [
          [20, 0.5],
          [10, 0.25],
          [10, 0.25]
        ]
      )
      assert.match(templates[0]?.sample ?? "", /^Label the ticket of day \d+\.$/)
      assert.deepStrictEqual(
        templates
          .slice(1)
          .map(({ sample }) => sample)
          .toSorted(),
        ["", "Is it urgent?"]
      )
      assert.match(templates[0]?.id ?? "", /^tpl_[0-9a-z]{26}$/)
      const [warning, ...others] = VersionWarnings.of(version)
      assert.match(warning ?? "", /^The rows have 3 system prompts \(50 %, 25 %, 25 % of the rows\)/)
      assert.deepStrictEqual(others, [])
      const alone = yield* built((yield* uploaded(jsonl(lines.slice(0, 20)))).id)
      assert.deepStrictEqual(VersionWarnings.of(alone), [])
      assert.deepStrictEqual(
        alone.templates?.map(({ id, share }) => [id, share]),
        [[templates[0]?.id, 1]]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "a version of decisions has a row for equal messages, also after a lost attempt, and no parts (P1214)",
    () =>
      Effect.gen(function* () {
        const evidence = Array.from({ length: 700 }, (_, n) => `evidence ${n} of mail@example.com`)
        const lines = [
          ...evidence.map((input) => decided(input, "Is it spam?", 0.25)),
          ...rows(0, 10),
          // Each of these makes a question of its own.
          ...evidence.slice(0, 600).map((input, n) => decided(input, n < 300 ? "Is it spam?" : `Is it ${n}?`, 0.75))
        ]
        let attempts = 0
        const builder = yield* builderOf(() =>
          attempts++ === 0
            ? Stream.concat(Stream.fromIterable(lines.toReversed().slice(0, 900)), Stream.die("the process ends"))
            : Stream.fromIterable(lines)
        )
        const { id } = yield* created({ from: { calls: {} }, redact: ["email"], holdoutFraction: 0.1 })
        yield* Effect.exit(builder.runOnce)
        yield* TestClock.adjust(DistillLimits.leaseMillis + 1)
        yield* builder.runOnce
        const version = yield* (yield* Datasets).getVersion(live, id)
        assert.deepInclude(version, { status: "ready", rows: 710, droppedReasons: {} })
        assert.deepInclude(version.dropped, { duplicates: 600, invalid: 0, redactions: 700 })
        assert.isAbove(version.holdoutRows, 0)
        const [spam, ...others] = version.questions ?? []
        assert.deepInclude(spam, { instructions: "Is it spam?", kind: "predicate", name: "q", rows: 700 })
        assert.lengthOf(others, 300)
        const decisions = (yield* exported(id)).flatMap((line) => JSON.parse(line).decisions ?? [])
        const isAverage = ({ probabilities, question }: { probabilities: [number, number]; question: string }) =>
          question === spam?.question && probabilities[1] === 0.5
        assert.lengthOf(decisions, 1_000)
        assert.lengthOf(decisions.filter(isAverage), 300)
        assert.lengthOf(yield* storedOf(partsOf(id)), 0)
      }).pipe(Effect.provide(world))
  )

  it.effect("builds a version of another workspace beside any number of one that never end (P820)", () =>
    Effect.gen(function* () {
      const builder = yield* builderOf(({ key }) =>
        key === live.key ? Stream.never : Stream.fromIterable(rows(0, 40))
      )
      yield* Effect.replicateEffect(created({ from: { calls: {} } }), Pools.versions.size, { discard: true })
      yield* Effect.forkChild(builder.forever)
      yield* TestClock.adjust(1)
      const { id } = yield* created({ from: { calls: {} } }, stranger)
      const version = yield* Effect.repeat(
        Effect.andThen(TestClock.adjust(1), (yield* Datasets).getVersion(stranger, id)),
        { until: ({ status }) => status === "ready", times: 1_000 }
      )
      assert.strictEqual(version.status, "ready")
    }).pipe(Effect.provide(world))
  )

  it.effect("a version of calls holds the row of each, and counts those that are none (P91)", () =>
    Effect.gen(function* () {
      const builder = yield* builderOf(() => Stream.fromIterable([...rows(0, 40), "{}", ...rows(0, 5)]))
      const { id } = yield* created({ from: { calls: {} } })
      yield* builder.runOnce
      const version = yield* (yield* Datasets).getVersion(live, id)
      assert.deepInclude(version, { status: "ready", rows: 40 })
      assert.deepStrictEqual(version.dropped, { duplicates: 5, invalid: 1, redactions: 0, unsupported: 0 })
      assert.sameMembers([...(yield* exported(id))], rows(0, 40))
    }).pipe(Effect.provide(world))
  )

  it.effect("an attempt keeps nothing of a lost one: not the calls that have gone since (P90)", () =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<void>()
      const pause = Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
      const before = rows(0, DistillLimits.rowBatch * 2)
      // Gone: the first ten. Come late: ten more.
      const after = rows(10, DistillLimits.rowBatch * 2)
      const lost = yield* builderOf(() => Stream.concat(Stream.fromIterable(before), Stream.fromEffectDrain(pause)))
      const { id } = yield* created({ from: { calls: {} } })
      const losing = yield* Effect.forkChild(lost.runOnce, { startImmediately: true })
      yield* Deferred.await(reached)
      yield* Effect.repeat(Effect.andThen(Effect.yieldNow, storedOf(id)), { until: ({ length }) => length > 0 })
      yield* Fiber.interrupt(losing)
      assert.isAbove((yield* storedOf(id)).length, 0)
      yield* TestClock.adjust(DistillLimits.leaseMillis)
      yield* (yield* builderOf(() => Stream.fromIterable(after))).runOnce
      const version = yield* (yield* Datasets).getVersion(live, id)
      assert.deepInclude(version, { status: "ready", rows: after.length, nearDuplicates: 0 })
      assert.deepStrictEqual(version.dropped, { duplicates: 0, invalid: 0, redactions: 0, unsupported: 0 })
      assert.sameMembers([...(yield* exported(id))], after)
      const upload = yield* uploaded(jsonl(after))
      assert.strictEqual((yield* built(upload.id)).contentSha256, version.contentSha256)
    }).pipe(Effect.provide(world))
  )

  it.effect("one that fails half way leaves no rows (P90)", () =>
    Effect.gen(function* () {
      const content = gzipSync(bytesOf(jsonl(rows(0, DistillLimits.rowBatch * 3))))
      const upload = yield* uploaded(content)
      const blobs = yield* Blobs
      const cut = content.subarray(0, Math.floor(content.length * 0.9))
      const damaged = Layer.succeed(Blobs, { ...blobs, get: () => streamOf(cut, 1024) })
      const builder = yield* Effect.provide(VersionBuilder, Layer.provide(Layer.fresh(layer), damaged))
      const { id } = yield* created({ from: { upload: upload.id } })
      yield* builder.runOnce
      const version = yield* (yield* Datasets).getVersion(live, id)
      assert.deepInclude(version, { status: "failed", rows: 0, contentSha256: null })
      assert.strictEqual(version.error?.code, "source_unreadable")
      assert.deepStrictEqual(yield* storedOf(id), [])
      assert.strictEqual((yield* eventsOf()).at(-1)?.type, "distill.dataset_version.failed")
    }).pipe(Effect.provide(world))
  )

  const words = ["a@b.com", "+44 20 7946 0958", "4111 1111 1111 1111", "hello", "", "é", "[EMAIL]"]
  const word = Schema.Literals(words)
  const pairs = Schema.Array(Schema.Tuple([word, word])).check(Schema.isMaxLength(30))

  it.effect.prop(
    "every row of the source is kept once, redacted, in whatever order and however often it comes (P91)",
    { pairs },
    ({ pairs }) =>
      Effect.gen(function* () {
        const kinds = ["email", "credit_card", "phone"] as const
        const clean = (text: string) =>
          String(Turns.atOnce(redactingRow({ completion: text }, kinds)).value["completion"])
        const expected = new Set(pairs.map(([prompt, completion]) => rowOf(clean(prompt), clean(completion))))
        // An empty prompt is no near-duplicate.
        const prompts = new Set([...expected].map((row) => fold(JSON.parse(row).messages[0].content) || row))
        const version = yield* built((yield* uploaded(jsonl(pairs.map(([a, b]) => rowOf(a, b))))).id, { redact: kinds })
        assert.sameMembers([...(yield* exported(version.id))], [...expected])
        assert.strictEqual(version.rows, expected.size)
        assert.strictEqual(version.dropped.duplicates, pairs.length - expected.size)
        assert.strictEqual(version.nearDuplicates, expected.size - prompts.size)
        const again = yield* built((yield* uploaded(jsonl(pairs.toReversed().map(([a, b]) => rowOf(a, b))))).id, {
          redact: kinds
        })
        assert.strictEqual(again.contentSha256, version.contentSha256)
      }).pipe(Effect.provide(world)),
    { arbitrary: { runs: 30 } }
  )

  it.effect("counts the first train rows by key, up to its bounds, whatever order they came in (P98)", () =>
    Effect.gen(function* () {
      const read: Array<Row> = []
      const census: Census = { ...noCensus, rows: 3, requestCharacters: 30, features: 60, different: 40, single: 20 }
      const probe = Layer.succeed(StudentProbe, {
        speed: Effect.succeed(1),
        examine: null,
        censusTaker: () => ({
          add: (row) => read.push(row),
          characters: () => (read.length < 3 ? 0 : DistillLimits.censusCharacters),
          census: () => census
        })
      })
      const counted = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
        const builder = yield* Effect.provide(
          builderOf(() => Stream.fromIterable(texts)),
          probe
        )
        const { id } = yield* created({ from: { calls: {} }, holdoutFraction: 0.5 })
        yield* builder.runOnce
        const { profile } = yield* (yield* Datasets).getVersion(live, id)
        const stored = yield* Stream.runCollect((yield* RowStore).scan(live, id, "train"))
        assert.deepStrictEqual(profile?.census, census)
        assert.deepStrictEqual(
          read,
          stored.slice(0, 3).map(({ body }) => JSON.parse(body))
        )
        return read.splice(0)
      })
      assert.deepStrictEqual(yield* counted(rows(0, 40)), yield* counted(rows(0, 40).toReversed()))
    }).pipe(Effect.provide(world))
  )

  it.effect("the census of a heavy row is taken in turns (P124)", () =>
    Effect.gen(function* () {
      const heavy = rowOf("x".repeat(999_000), "y")
      const pausesOf = Effect.fnUntraced(function* (probe: StudentProbe["Service"]) {
        let pauses = 0
        const builder = yield* Effect.provideService(
          builderOf(() => Stream.make(heavy)),
          StudentProbe,
          probe
        )
        const { id } = yield* created({ from: { calls: {} }, holdoutFraction: 0 })
        yield* Effect.provideService(
          builder.runOnce,
          Turns.Pause,
          Effect.sync(() => void pauses++)
        )
        assert.strictEqual((yield* (yield* Datasets).getVersion(live, id)).trainRows, 1)
        return pauses
      })
      const taker: CensusTaker = { add: () => {}, characters: () => 0, census: () => ({ ...noCensus }) }
      const speed = Effect.succeed(1)
      const without = yield* pausesOf({ speed, examine: null, censusTaker: null })
      // The text is read once more, 65,536 characters at a time.
      assert.isAtLeast(yield* pausesOf({ speed, examine: null, censusTaker: () => taker }), without + 15)
    }).pipe(Effect.provide(world))
  )
})
