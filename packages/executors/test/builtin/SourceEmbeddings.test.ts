/** Students of embeddings that a source gives: what is learnt, stored, paid and needed for an answer. */
import { assert, describe, it } from "@effect/vitest"
import { DistillLimits } from "@limbeck/distill/Limits"
import { SourceChatFailure, type SourceModelEmbeddings } from "@limbeck/distill/race/HostedModels"
import * as Budget from "@limbeck/distill/run/Budget"
import type { Progress, StageContext } from "@limbeck/distill/run/Executor"
import { StudentEngine } from "@limbeck/distill/student/StudentEngine"
import * as BuiltinEngine from "@limbeck/executors/builtin/BuiltinEngine"
import * as BuiltinExecutor from "@limbeck/executors/builtin/BuiltinExecutor"
import * as Crypto from "@limbeck/node/Crypto"
import * as Plans from "@limbeck/testing/fixtures/Plans"
import * as StageContexts from "@limbeck/testing/fixtures/StageContexts"
import { embeddingOf, rowsOf } from "@limbeck/testing/fixtures/TopicWords"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"

const vectorOf = (text: string) => Float32Array.from(embeddingOf(text))

/** Ten micro-dollars a text, and twelve at most. */
const sourceOf = (asked: Array<string>, answer = vectorOf): SourceModelEmbeddings => ({
  source: "src_1",
  refusal: null,
  estimate: ({ prompt }) => prompt,
  costMax: ({ texts }) => Effect.succeed(12 * texts.length),
  ask: ({ texts }) =>
    Effect.sync(() => {
      asked.push(...texts)
      return { vectors: texts.map(answer), tokens: texts.length, costMicros: 10 * texts.length }
    })
})

const embeddings = { source: "host", model: "embed-1" }
const version = Plans.version({ rows: 60, trainRows: 40, holdoutRows: 20 })
const recipeAsSent = {
  student_model: "builtin/embedding-classifier",
  stages: [
    { kind: "sft", config: { epochs: 10, embeddings } },
    { kind: "eval", config: {} }
  ],
  rewards: []
}
const run = Plans.newRun(version, { recipeAsSent, dryRun: false }, { executor: BuiltinExecutor.builtinName })
const stageOf = (of: StageContext["run"], kind: string) => of.stages.find((stage) => stage.kind === kind)!
const keyed = (rows: ReturnType<typeof rowsOf>) => rows.map((row, at) => ({ key: `${at}`, row }))
const rows = { train: keyed(rowsOf(40, 0)), holdout: keyed(rowsOf(20, 150)) }

interface Attempt {
  readonly source: SourceModelEmbeddings
  readonly kept?: Map<string, Uint8Array>
  readonly run?: StageContext["run"]
  readonly kind?: string
  /** Of the stage before the attempt. */
  readonly checkpoint?: StageContext["stage"]["checkpoint"]
}

const attempt = Effect.fnUntraced(function* ({ kept, checkpoint = null, kind = "sft", source, ...of }: Attempt) {
  const own = of.run ?? run
  const stage = { ...stageOf(own, kind), checkpoint, usage: checkpoint?.usage ?? Budget.noUsage }
  const { asked: reserved, context } = yield* StageContexts.make(
    { run: own, stage, version, rows, embeddings: source },
    kept
  )
  const said: Array<Progress> = []
  const failure = yield* BuiltinExecutor.executor.execute(context).pipe(
    Stream.runForEach((progress) => Effect.sync(() => said.push(progress))),
    Effect.result
  )
  return { said, failure: Result.getFailure(failure), reserved }
}, Effect.provide(Crypto.layer))

const resultOf = (said: ReadonlyArray<Progress>) => {
  const last = said.at(-1)
  if (last?._tag !== "Finished") throw new Error("no result")
  return last.result as { readonly artifact: { readonly sha256: string; readonly format: string } } // The executor's own.
}

const microsOf = (said: ReadonlyArray<Progress>) =>
  said.flatMap((progress) =>
    progress._tag === "Checkpoint" || progress._tag === "Spend" ? [progress.usage.candidateMicros ?? 0] : []
  )

const checkpointsOf = (said: ReadonlyArray<Progress>) =>
  said.flatMap((progress) =>
    progress._tag === "Checkpoint" ? [{ state: progress.state, usage: progress.usage, at: 0 }] : []
  )

const loading = (format: string, bytes: Uint8Array) =>
  Effect.map(StudentEngine, (engine) => Result.getOrThrow(engine.load(format, bytes))).pipe(
    Effect.provide(BuiltinEngine.layer)
  )

describe("embeddings of a source", () => {
  it.live("let a student answer for words that its rows lack, each distinct text paid once (P1723)", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const kept = StageContexts.memory()
      const trained = yield* attempt({ source: sourceOf(asked), kept })
      const { artifact } = resultOf(trained.said)
      assert.strictEqual(artifact.format, "limbeck-embedding-classifier/1")
      assert.deepStrictEqual(asked.toSorted(), rows.train.map(({ row }) => row.messages[0].content).toSorted())
      assert.strictEqual(microsOf(trained.said).at(-1), 10 * 40)
      assert.strictEqual(trained.reserved[0]?.candidateMicros, 12 * DistillLimits.embeddedTextsMax)
      const student = yield* loading(artifact.format, kept.get(artifact.sha256)!)
      assert.deepInclude(student.embeddings, { source: "src_1", model: "embed-1", dimensions: 4 })
      const fresh = rowsOf(60, 150)
      const right = fresh.filter(({ completion, messages }) => {
        const text = student.embeddings!.textOf(messages)
        return student.predict(messages, vectorOf(text)).text === completion
      }).length
      assert.isAtLeast(right, 57)
      assert.throws(() => student.predict(fresh[0]!.messages), /needs an embedding of 4 numbers/)
      assert.throws(() => student.predict(fresh[0]!.messages, new Float32Array(5)), /needs an embedding/)
    })
  )

  it.live("are requested again for no stored text, and give the same bytes (P1724)", () =>
    Effect.gen(function* () {
      const whole = StageContexts.memory()
      const first = resultOf((yield* attempt({ source: sourceOf([]), kept: whole })).said)
      const asked: Array<string> = []
      const kept = StageContexts.memory()
      let requests = 0
      const source = sourceOf(asked)
      const breaking: SourceModelEmbeddings = {
        ...source,
        ask: (question) =>
          ++requests === 2
            ? Effect.fail(new SourceChatFailure({ isTransient: false, mayHaveCost: false, message: "answered 500" }))
            : source.ask(question)
      }
      const broken = yield* attempt({ source: breaking, kept })
      assert.deepInclude(Option.getOrThrow(broken.failure), {
        code: "embeddings_failed",
        message: "The source of the embeddings answered 500",
        retryable: false
      })
      const stored = [...asked]
      assert.lengthOf(stored, DistillLimits.embeddedTextsMax)
      const checkpoint = checkpointsOf(broken.said).at(-1)!
      // What the attempt before had reserved may have been sent.
      const resumed = { ...run, reservedMicros: 77 }
      const again = yield* attempt({ source: sourceOf(asked), kept, run: resumed, checkpoint })
      assert.deepStrictEqual(resultOf(again.said), first)
      assert.lengthOf(asked, 40)
      assert.lengthOf(new Set(asked), 40)
      assert.strictEqual(microsOf(again.said).at(-1), 10 * 40 + 77)
      // The texts are complete: a later attempt of the training requests none, and nothing is uncertain.
      const later = checkpointsOf(again.said).at(-1)!
      const last = yield* attempt({ source: sourceOf(asked), kept, run: resumed, checkpoint: later })
      assert.deepStrictEqual(resultOf(last.said), first)
      assert.lengthOf(asked, 40)
      assert.strictEqual(microsOf(last.said).at(-1), 10 * 40 + 77)
    })
  )

  it.live("end a stage whose budget does not hold them, before they are requested (P1725)", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const poor = { ...run, budgetMicros: 12 * DistillLimits.embeddedTextsMax + 20 }
      const { failure, reserved } = yield* attempt({ source: sourceOf(asked), run: poor })
      assert.strictEqual(Option.getOrThrow(failure).code, "budget_exceeded")
      assert.isAtMost(asked.length, DistillLimits.embeddedTextsMax)
      assert.isAtLeast(reserved.length, 2)
      const seen: Array<string> = []
      const longer = (text: string) =>
        seen.length > DistillLimits.embeddedTextsMax ? new Float32Array(5) : vectorOf(text)
      const odd = yield* attempt({ source: sourceOf(seen, longer) })
      assert.strictEqual(Option.getOrThrow(odd.failure).code, "embeddings_failed")
    })
  )

  it.live("are requested for the rows of the evaluation too, and count in the cost of an answer (P1726)", () =>
    Effect.gen(function* () {
      const kept = StageContexts.memory()
      const trained = resultOf((yield* attempt({ source: sourceOf([]), kept })).said)
      const asked: Array<string> = []
      const stages = run.stages.map((stage) => (stage.kind === "sft" ? { ...stage, result: trained } : stage))
      const evaluated = yield* attempt({ source: sourceOf(asked), kept, run: { ...run, stages }, kind: "eval" })
      assert.lengthOf(asked, 20)
      const answers = evaluated.said.flatMap((progress) => (progress._tag === "Answer" ? [progress] : []))
      assert.lengthOf(answers, 20)
      const right = answers.filter(({ completion, row: { row } }) => completion === row.completion).length
      assert.isAtLeast(right, 19)
      assert.isTrue(answers.every(({ costMicros }) => (costMicros ?? 0) >= 10 && (costMicros ?? 0) < 1_000))
      assert.strictEqual(microsOf(evaluated.said).at(-1), 10 * 20)
    })
  )

  it.effect("are requested one by one in the evaluation, whose latency includes theirs (P1770)", () =>
    Effect.gen(function* () {
      const kept = StageContexts.memory()
      const trained = resultOf((yield* attempt({ source: sourceOf([]), kept })).said)
      const sizes: Array<number> = []
      const source = sourceOf([])
      const slow: SourceModelEmbeddings = {
        ...source,
        ask: (question) => {
          sizes.push(question.texts.length)
          return Effect.andThen(TestClock.adjust(120_000), source.ask(question))
        }
      }
      const stages = run.stages.map((stage) => (stage.kind === "sft" ? { ...stage, result: trained } : stage))
      const { said } = yield* attempt({ source: slow, kept, run: { ...run, stages }, kind: "eval" })
      assert.deepStrictEqual(sizes, new Array(20).fill(1))
      const answers = said.flatMap((progress) => (progress._tag === "Answer" ? [progress] : []))
      assert.lengthOf(answers, 20)
      // One after another: concurrent ones would have waited for each other's time too.
      for (const { costMicros, latencyMillis } of answers) {
        assert.isAtLeast(latencyMillis, 120_000)
        assert.isBelow(latencyMillis, 2 * 120_000)
        assert.isBelow(costMicros ?? 0, 10_000)
      }
    })
  )
})
