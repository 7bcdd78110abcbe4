/** `clean: "relabel"`: votes, the budget, and a build that ends half way. The examination and the teacher are scripts. */
import { assert, describe, it } from "@effect/vitest"
import { Queue } from "@limbeck/core/queue/Queue"
import * as DatasetsLayer from "@limbeck/distill/dataset/Datasets"
import { Datasets, type VersionRequest } from "@limbeck/distill/dataset/Datasets"
import * as DatasetVersion from "@limbeck/distill/dataset/DatasetVersion"
import type { Row } from "@limbeck/distill/dataset/Row"
import { RowStore } from "@limbeck/distill/dataset/RowStore"
import { exampleOf, textOf } from "@limbeck/distill/dataset/RowText"
import { layer, VersionBuilder } from "@limbeck/distill/dataset/VersionBuilder"
import { DistillLimits } from "@limbeck/distill/Limits"
import { Candidates } from "@limbeck/distill/race/Candidates"
import { StudentProbe } from "@limbeck/distill/recipe/StudentProbe"
import * as SuspectList from "@limbeck/distill/suspects/SuspectList"
import * as World from "@limbeck/testing/World"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { jsonl, live, rowOf, uploaded, world } from "../upload/World.ts"

const bound = 15
const cost = 10

/** The teacher's answer to a prompt, asked for the first or the second time; null: none comes. */
type Script = (prompt: string, time: number) => string | null

class Teacher {
  readonly asked: Array<string> = []
  readonly script: Script
  readonly microsOfCall: number

  constructor(script: Script, microsOfCall = cost) {
    this.script = script
    this.microsOfCall = microsOfCall
  }

  get layer() {
    return Layer.succeed(Candidates, {
      estimate: () => Effect.succeedSome(cost),
      leastBound: (_, { model, source }) =>
        Effect.succeed(source === "host" ? Option.some(model === "unpriced" ? null : bound) : Option.none()),
      open: (_, __, { reserve, spentMicros }) => {
        let [spent, pending] = [spentMicros, 0]
        const ask = (row: Row) => {
          const prompt = textOf(exampleOf(row).prompt.at(-1)!)
          const call = Effect.sync(() => {
            this.asked.push(prompt)
            spent += this.microsOfCall
            const content = this.script(prompt, this.asked.filter((one) => one === prompt).length)
            return content === null ? Option.none() : Option.some({ role: "assistant", content })
          })
          pending += bound
          return Effect.ensuring(
            Effect.andThen(
              Effect.suspend(() => reserve(spent + pending)),
              call
            ),
            Effect.sync(() => {
              pending -= bound
            })
          )
        }
        return Effect.succeedSome({ ask, spentMicros: () => spent })
      },
      ask: () => Stream.empty,
      repeat: () => Stream.empty
    })
  }
}

/** Rows with the answer `wrong` are suspects, in their order. */
const examiner = Layer.succeed(StudentProbe, {
  speed: Effect.succeed(1),
  censusTaker: null,
  examine: (rows) =>
    Effect.map(Stream.runCollect(rows), (all) => ({
      examined: all.length,
      suspects: all.flatMap((row, at) => {
        const answer = textOf(exampleOf(row).completion)
        const suspect = { row: at, answer, suggested: "right", confidence: 0.9, score: 0.8, neighbours: [] }
        return answer === "wrong" ? [{ ...suspect, isConfident: false }] : []
      })
    }))
})

const relabel = { source: "host", model: "good", maxCostUsd: 0.01 }

const datasetsWith = (teacher: Teacher) =>
  Effect.provide(Datasets, Layer.provide(Layer.fresh(DatasetsLayer.layer), teacher.layer))

type Wrap = (rowStore: RowStore["Service"]) => RowStore["Service"]

const builderWith = Effect.fnUntraced(function* (teacher: Teacher, wrap?: Wrap) {
  const own = yield* RowStore
  const rowStore = Layer.succeed(RowStore, wrap === undefined ? own : wrap(own))
  const ports = Layer.mergeAll(teacher.layer, examiner, rowStore)
  return yield* Effect.provide(VersionBuilder, Layer.provide(Layer.fresh(layer), ports))
})

const createdOf = Effect.fnUntraced(function* (
  teacher: Teacher,
  lines: ReadonlyArray<string>,
  fields: Partial<VersionRequest> = {}
) {
  const datasets = yield* datasetsWith(teacher)
  const { id: upload } = yield* uploaded(jsonl(lines))
  const { id } = yield* datasets.create(live, { name: "tickets" })
  const request = { from: { upload }, holdoutFraction: 0, clean: "relabel" as const, relabel, ...fields }
  return (yield* datasets.createVersion(live, id, request)).id
})

const readyOf = Effect.fnUntraced(function* (id: string) {
  const datasets = yield* Datasets
  const version = yield* datasets.getVersion(live, id)
  const lines = yield* Stream.runCollect(datasets.exportRows(live, id, null))
  const suspects = yield* Stream.runCollect(
    (yield* RowStore).scan(live, SuspectList.rowsOf({ id: version.id, origin: "build" }), null)
  )
  return {
    version,
    answers: new Map(
      lines.map((line) => [textOf(exampleOf(JSON.parse(line)).prompt.at(-1)!), JSON.parse(line).completion])
    ),
    outcomes: new Map(suspects.map(({ body }) => [JSON.parse(body).row.messages[0].content, JSON.parse(body).relabel])),
    journal: yield* Stream.runCollect((yield* RowStore).scan(live, `${id}.relabels`, null))
  }
})

const wrongRows = (count: number) => Array.from({ length: count }, (_, index) => rowOf(`ticket ${index}`, "wrong"))
const always: Script = () => "right"

describe("relabelling", () => {
  it.effect(
    "changes a row by two equal answers, and keeps it where a new answer repeats its own or no two are equal (P1573)",
    () =>
      Effect.gen(function* () {
        const teacher = new Teacher((prompt, time) => {
          if (prompt === "changed") return time === 1 ? "Right" : "right."
          if (prompt === "confirmed") return "Wrong"
          if (prompt === "confirmed later") return time === 1 ? "right" : "wrong"
          if (prompt === "mute") return null
          if (prompt === "address") return "write to jo@example.com"
          return `${time}`
        })
        const suspects = ["changed", "confirmed", "confirmed later", "undecided", "mute", "address"]
        const lines = [
          ...suspects.map((prompt) => rowOf(prompt, "wrong")),
          rowOf("changed", "Right"),
          rowOf("fine", "right")
        ]
        const id = yield* createdOf(teacher, lines, { redact: ["email"] })
        yield* (yield* builderWith(teacher)).runOnce
        const { answers, journal, outcomes, version } = yield* readyOf(id)
        assert.strictEqual(version.status, "ready")
        assert.deepStrictEqual(version.cleaning, {
          examined: 8,
          suspects: 6,
          confident: 0,
          reason: null,
          relabel: { asked: 6, changed: 2, confirmed: 2, undecided: 2, spentMicros: 11 * cost, reason: null }
        })
        // The changed row duplicates another row.
        assert.deepInclude(version, { rows: 7, trainRows: 7 })
        assert.deepInclude(version.dropped, { duplicates: 1, redactions: 1 })
        assert.deepStrictEqual(Object.fromEntries(answers), {
          address: "write to [EMAIL]",
          changed: "Right",
          confirmed: "wrong",
          "confirmed later": "wrong",
          fine: "right",
          mute: "wrong",
          undecided: "wrong"
        })
        assert.deepStrictEqual(outcomes.get("changed"), { outcome: "changed", answers: ["Right", "right."] })
        assert.deepStrictEqual(outcomes.get("confirmed"), { outcome: "confirmed", answers: ["Wrong"] })
        assert.deepStrictEqual(outcomes.get("mute"), { outcome: "undecided", answers: [null, null] })
        assert.strictEqual(teacher.asked.length, 11)
        assert.lengthOf(journal, 0)
      }).pipe(Effect.provide(world))
  )

  it.effect("asks once about equal copies, and answers all of them", () =>
    Effect.gen(function* () {
      const teacher = new Teacher(always)
      const id = yield* createdOf(teacher, [rowOf("a", "wrong"), rowOf("a", "wrong")], { dedupe: "none" })
      yield* (yield* builderWith(teacher)).runOnce
      const { version } = yield* readyOf(id)
      assert.deepInclude(version.cleaning?.relabel, { asked: 1, changed: 1 })
      const lines = yield* Stream.runCollect((yield* Datasets).exportRows(live, id, null))
      assert.deepStrictEqual(
        lines.map((line) => JSON.parse(line).completion),
        ["right", "right"]
      )
    }).pipe(Effect.provide(world))
  )

  for (const microsOfCall of [cost, bound, 1e9]) {
    it.effect(
      `never passes its budget: a call costs ${microsOfCall} micro-dollars by the source's report (P1574)`,
      () =>
        Effect.gen(function* () {
          const budgetMicros = 200
          const teacher = new Teacher(always, microsOfCall)
          const id = yield* createdOf(teacher, wrongRows(40), {
            relabel: { ...relabel, maxCostUsd: budgetMicros / 1e6 }
          })
          yield* (yield* builderWith(teacher)).runOnce
          const { outcomes, version } = yield* readyOf(id)
          const { asked, reason, spentMicros } = version.cleaning!.relabel!
          assert.isAbove(asked, 0)
          assert.isBelow(asked, 40)
          assert.isAtMost(spentMicros, budgetMicros)
          assert.isAtMost(teacher.asked.length * Math.min(bound, microsOfCall), budgetMicros)
          assert.include(reason ?? "", "budget")
          assert.strictEqual([...outcomes.values()].filter(({ outcome }) => outcome === "not_asked").length, 40 - asked)
        }).pipe(Effect.provide(world))
    )
  }

  it.effect("gives up a source that answers none of the first rows", () =>
    Effect.gen(function* () {
      const teacher = new Teacher(() => null)
      const id = yield* createdOf(teacher, wrongRows(40))
      yield* (yield* builderWith(teacher)).runOnce
      const { version } = yield* readyOf(id)
      assert.isBelow(
        teacher.asked.length,
        2 * (DistillLimits.teacherRepeatsFailures + DistillLimits.relabelAskedMax) + 1
      )
      assert.include(version.cleaning?.relabel?.reason ?? "", "answered none")
      assert.deepInclude(version.cleaning?.relabel, { changed: 0, confirmed: 0 })
    }).pipe(Effect.provide(world))
  )

  /** A store whose write of this number to the journal or to the suspects never ends. */
  const halting = (rowStore: RowStore["Service"], at: number): RowStore["Service"] => {
    let writes = 0
    const isHalting = (name: string) => /\.(relabels|suspects)/.test(name) && ++writes > at
    return {
      ...rowStore,
      append: (partition, name, rows) => (isHalting(name) ? Effect.never : rowStore.append(partition, name, rows)),
      replace: (partition, name, rows) => (isHalting(name) ? Effect.never : rowStore.replace(partition, name, rows))
    }
  }

  // A build of 6 suspects with two answers each writes to them some 27 times.
  for (const at of [0, 1, 4, 9, 15, 20, 25, 26]) {
    it.effect(
      `goes on after a crash at write ${at}: it asks again only what was in flight, within the budget (P1575)`,
      () =>
        Effect.gen(function* () {
          const teacher = new Teacher(always)
          const budgetMicros = 12 * cost + DistillLimits.relabelAskedMax * 3 * bound
          const id = yield* createdOf(teacher, wrongRows(6), {
            relabel: { ...relabel, maxCostUsd: budgetMicros / 1e6 }
          })
          const lost = yield* builderWith(teacher, (own) => halting(own, at))
          const fiber = yield* Effect.forkChild(lost.runOnce, { startImmediately: true })
          yield* Effect.repeat(Effect.yieldNow, { times: 2_000 })
          yield* Fiber.interrupt(fiber)
          const before = teacher.asked.length
          yield* (yield* Queue).offer(live, DatasetVersion.topic, id, 0)
          yield* TestClock.adjust(DistillLimits.leaseMillis)
          yield* (yield* builderWith(teacher)).runOnce
          const { answers, version } = yield* readyOf(id)
          assert.deepInclude(version.cleaning?.relabel, {
            asked: 6,
            changed: 6,
            confirmed: 0,
            undecided: 0,
            reason: null
          })
          assert.strictEqual([...answers.values()].filter((answer) => answer === "right").length, 6)
          assert.isAtMost(teacher.asked.length, 12 + Math.min(before, DistillLimits.relabelAskedMax))
          const { spentMicros } = version.cleaning!.relabel!
          assert.isAtLeast(spentMicros, teacher.asked.length * cost)
          assert.isAtMost(spentMicros, budgetMicros)
        }).pipe(Effect.provide(world))
    )
  }

  it.effect("is refused without a budget that holds a call of a known source and a known price (P1576)", () =>
    Effect.gen(function* () {
      const teacher = new Teacher(always)
      const datasets = yield* datasetsWith(teacher)
      const { id: upload } = yield* uploaded(jsonl([rowOf("a", "b")]))
      const { id } = yield* datasets.create(live, { name: "tickets" })
      const refusal = (fields: Partial<VersionRequest>) =>
        World.failureOf(datasets.createVersion(live, id, { from: { upload }, clean: "relabel", ...fields }))
      const invalid = "InvalidInput"
      const cases: ReadonlyArray<readonly [Partial<VersionRequest>, string, string]> = [
        [{}, invalid, "relabel"],
        [{ clean: "drop", relabel }, invalid, "relabel"],
        [{ relabel: { ...relabel, maxCostUsd: 0 } }, invalid, "relabel.budget.max_cost_usd"],
        [{ relabel: { ...relabel, maxCostUsd: 1e-7 } }, invalid, "relabel.budget.max_cost_usd"],
        [{ relabel: { ...relabel, maxCostUsd: 14e-6 } }, invalid, "relabel.budget.max_cost_usd"],
        [{ relabel: { ...relabel, source: "elsewhere" } }, "ReferenceUnknown", "relabel.source"],
        [{ relabel: { ...relabel, model: "unpriced" } }, invalid, "relabel.model"]
      ]
      for (const [fields, tag, param] of cases) {
        const error = yield* refusal(fields)
        assert.deepStrictEqual([error?._tag, error?.["param"] ?? error?.["field"]], [tag, param])
      }
      assert.lengthOf(teacher.asked, 0)
    }).pipe(Effect.provide(world))
  )
})
